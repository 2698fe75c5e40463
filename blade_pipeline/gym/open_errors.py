"""Errors that tools gave a rollout: those that it did not get over, and those that it did."""

import re
from collections.abc import Callable, Container, Sequence
from functools import cache

import orjson

from blade_pipeline.gym.error_lines import MOST_LINES, telling_line
from blade_pipeline.gym.gave_way import environment_line, may_have_given_way
from blade_pipeline.gym.values import clean_text

TOOL_ERROR = "tool_error"
"""Field under which such an error stands among the telling lines of a row."""

MET_ERROR = "met_error"
"""The same for an error that the rollout got over."""

ENVIRONMENT_ERROR = "environment_error"
"""The same where it names what the rollout cannot help, and the work ended there."""

ENVIRONMENT_MET = "environment_met"
"""Field of such an error that the rollout got over, or that did not end its work."""

ENVIRONMENT_ANSWER = "environment_answer"
"""Field of a final message that is no more than such an error."""

BRIEF = 400
"""Characters up to which an output, or a final message, may be no more than a service's words."""

_AFTER = 3
"""Calls after an error up to which the work ended there: a look at what is left, and handing it in."""

_MOST_MET = 4
"""Different errors kept of those that a rollout got over."""

_LOOKED_AT = 40
"""The last failed calls that are looked at."""

_LAST = 2
"""The last calls whose answers are looked at for one even where nothing about them looks like an error."""

_MET = 3
"""The last of them that are looked at for an environment that gave way before the end."""

_ALIKE = 0.5
"""Share of the words of two calls' arguments from which they try the same."""

_LONGEST = 2000
Call = tuple[str, str]
Failure = tuple[int | None, str]
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")


def open_errors(asked: Sequence[Call], answers: Sequence[str | None], failures: Sequence[Failure]) -> list[list[str]]:
    """The telling line of each error after which no such call of the tool went well.

    Of a tool that was given a text with a space in it, such as a command or a query, such a call is one with at least
    half of the words in common; of any other tool it is every call. An error of the environment ended the work where
    at most 3 calls came after it, or where none of its tool went well any more and two or more failed like that.

    Args:
        asked: tool and arguments of every call, in order.
        answers: what came back from each; null for nothing.
        failures: place of the call, where it is known, and text of every output that looks like an error. Brief ones
            among the last 2 answers that name an environment that gave way are looked at as well.

    Returns:
        At most 8 different ``[field, line]`` of the last 40 failures: those at which the work ended, then the first.
        Where it ended at none, one further line may tell of an environment that gave way before. Then come at most 4
        that were got over.
    """
    failed = {place for place, _ in failures}
    late = _late(len(asked), answers, failed)
    if not failures and not late:
        return []
    failed |= {place for place, _ in late}
    well = [place for place, answer in enumerate(answers) if answer is not None and place not in failed]
    words = cache(lambda place: _words(asked[place][1]))
    found: dict[str, list[str]] = {}
    met: list[Failure] = []
    got_over: list[str] = []
    for place, text in failures[-_LOOKED_AT:]:
        if place is not None and _overcome(place, asked, well, words):
            met.append((place, text))
            got_over.append(text)
            continue
        line = telling_line(text)
        ended = place is not None and len(asked) - place - 1 <= _AFTER
        if ended and (given_way := environment_line(text, line)) is not None:
            found[given_way] = [ENVIRONMENT_ERROR, clean_text(given_way)]
        elif line is not None:
            found.setdefault(line, [TOOL_ERROR, clean_text(line)])
            met.append((place, text))
    for place, line in late:
        if not _overcome(place, asked, well, words):
            found[line] = [ENVIRONMENT_ERROR, clean_text(line)]
    lines = sorted(found.values(), key=lambda error: error[0] != ENVIRONMENT_ERROR)[:MOST_LINES]
    before = [] if lines and lines[0][0] == ENVIRONMENT_ERROR else _before(met, asked, well)
    return [*lines, *before, *_met(got_over)]


def _met(got_over: Sequence[str]) -> list[list[str]]:
    """The telling lines of the first errors that were got over and differ in more than digits."""
    found: dict[str, list[str]] = {}
    for text in got_over:
        if len(found) < _MOST_MET and (line := telling_line(text)) is not None:
            found.setdefault(_DIGIT.sub("0", line), [MET_ERROR, clean_text(line)])
    return list(found.values())


def _late(calls: int, answers: Sequence[str | None], failed: Container[int | None]) -> list[tuple[int, str]]:
    """Place and line of brief ones among the last answers that look like none and are an error of the environment."""
    last = [
        (place, text)
        for place in range(max(0, calls - _LAST), calls)
        if place not in failed and (text := answers[place]) is not None and len(text) <= BRIEF
    ]
    if not last or not may_have_given_way(text for _, text in last):
        return []
    return [(place, line) for place, text in last if (line := environment_line(text, None)) is not None]


def _before(met: Sequence[Failure], asked: Sequence[Call], well: Sequence[int]) -> list[list[str]]:
    """The last error of the environment that came before others, and whether its tool never answered again."""
    named = [
        (None if place is None else (asked[place][0], place), line)
        for place, text in reversed(met[-_MET:])
        if (line := environment_line(text, telling_line(text))) is not None
    ]
    if not named:
        return []
    call, line = named[0]
    field = ENVIRONMENT_MET if call is None or not _gone(*call, named, asked, well) else ENVIRONMENT_ERROR
    return [[field, clean_text(line)]]


def _gone(
    tool: str,
    place: int,
    named: Sequence[tuple[tuple[str, int] | None, str]],
    asked: Sequence[Call],
    well: Sequence[int],
) -> bool:
    """Whether a tool failed like that more than once and never went well after it."""
    alike = sum(call is not None and call[0] == tool for call, _ in named)
    return alike > 1 and not any(other > place and asked[other][0] == tool for other in well)


def _overcome(place: int, asked: Sequence[Call], well: Sequence[int], words: Callable[[int], frozenset[str]]) -> bool:
    tool, arguments = asked[place]
    later = [other for other in well if other > place and asked[other][0] == tool]
    if not later:
        return False
    return not _is_free_text(arguments) or any(_alike(words(place), words(other)) for other in later)


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
