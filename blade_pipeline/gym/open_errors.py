"""Errors that tools gave a rollout and that it did not get over."""

import re
from collections.abc import Sequence

import orjson

from blade_pipeline.gym.error_lines import MOST_LINES, telling_line
from blade_pipeline.gym.gave_way import environment_line
from blade_pipeline.gym.values import clean_text

TOOL_ERROR = "tool_error"
"""Field under which such an error stands among the telling lines of a row."""

ENVIRONMENT_ERROR = "environment_error"
"""The same where it names what the rollout cannot help, and the work ended there."""

_AFTER = 3
"""Calls after an error up to which the work ended there: a look at what is left, and handing it in."""

_LOOKED_AT = 40
"""The last failed calls that are looked at."""

_ALIKE = 0.5
"""Share of the words of two calls' arguments from which they try the same."""

_LONGEST = 2000
_WORD = re.compile(r"\w+")


def open_errors(
    asked: Sequence[tuple[str, str]], answers: Sequence[str | None], failures: Sequence[tuple[int | None, str]]
) -> list[list[str]]:
    """The telling line of each error after which no such call of the tool went well.

    Of a tool that was given a text with a space in it, such as a command or a query, such a call is one with at least
    half of the words in common; of any other tool it is every call.

    Args:
        asked: tool and arguments of every call, in order.
        answers: what came back from each; null for nothing.
        failures: place of the call, where it is known, and text of every output that looks like an error.

    Returns:
        At most 8 different ``[field, line]`` of the last 40 failures: those at which the work ended, then the first.
    """
    failed = {place for place, _ in failures}
    well = [place for place, answer in enumerate(answers) if answer is not None and place not in failed]
    found: dict[str, list[str]] = {}
    for place, text in failures[-_LOOKED_AT:]:
        if place is not None and _overcome(place, asked, well):
            continue
        line = telling_line(text)
        ended = place is not None and len(asked) - place - 1 <= _AFTER
        if ended and (given_way := environment_line(text, line)) is not None:
            found[given_way] = [ENVIRONMENT_ERROR, clean_text(given_way)]
        elif line is not None:
            found.setdefault(line, [TOOL_ERROR, clean_text(line)])
    return sorted(found.values(), key=lambda error: error[0] != ENVIRONMENT_ERROR)[:MOST_LINES]


def _overcome(place: int, asked: Sequence[tuple[str, str]], well: Sequence[int]) -> bool:
    tool, arguments = asked[place]
    later = [asked[other][1] for other in well if other > place and asked[other][0] == tool]
    if not later:
        return False
    if not _is_free_text(arguments):
        return True
    words = _words(arguments)
    return any(_alike(words, _words(other)) for other in later)


def _is_free_text(arguments: str) -> bool:
    try:
        values = orjson.loads(arguments)
    except ValueError:
        return True
    values = values.values() if isinstance(values, dict) else [values]
    return any(isinstance(value, str) and " " in value.strip() for value in values)


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= _ALIKE * max(len(words), len(others))


def _words(arguments: str) -> frozenset[str]:
    return frozenset(_WORD.findall(arguments[:_LONGEST].lower()))
