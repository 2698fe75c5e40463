"""The lines of a long log, or of a tool's output, that tell of an error: all that is kept of such a text.

Plain searches for a few parts of words find the lines; only those are looked at more closely.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson

from blade_pipeline.gym.errors_in_languages import ERROR_NAMES
from blade_pipeline.gym.logs import is_log
from blade_pipeline.gym.shape import is_transcript
from blade_pipeline.gym.values import clean_text

LONGEST_LINE = 200
"""Characters of a kept line: the longest text that is taken for a message."""

MOST_LINES = 8
"""Different lines kept of one rollout's logs, and as many of its tools."""

_HEAD, _TAIL = 4_000, 12_000
"""Characters of a text that are searched: what follows from an error is long, and stands between them."""

_MIDDLE = 100_000
"""Characters behind the head, and as many before the tail, that are searched where these name no error."""

_HITS = 12
"""The first and the last places, so many each, at which a part of a word is looked at."""

_LOOKED_AT = LONGEST_LINE + 80

_DEEPEST, _KEYS, _MEMBERS = 3, 20, 5

_NAMING = ("rror", "RROR", "xception")
_SPEAKING = ("ailed", "AILED", "atal", "anic", "ault", "imeout", "denied", "not found", "No s")
"""Parts of the words of lines that name an error, and of lines that speak of failing otherwise."""

_CLASS = r"(?:[A-Za-z_$][\w$]*\.)*[A-Z]\w*(?:Error|Exception|Failure|Fault|Timeout|Expired|Interrupt|Exit)\b"
_STRONG = re.compile(
    rf"""(?:^|(?<=[\s\])>|:]))(?:
        {_CLASS}(?:\s*:.*|\s*$)
      | (?:fatal|internal|syntax|compile|compilation|link|linker|runtime|elaboration)?\ ?(?:[Ee]rror|ERROR|FATAL)
        (?:\[\w+\]|\s[A-Z]+\d+)?\s?:.*
      | (?:ERROR|FATAL|CRITICAL)\b[\])\s:|-]+\s*\w.*
      | (?:[Ff]atal|panic|npm\ ERR!)\s?:?\s.*
      | thread\ '[^']*'\ panicked.*
    )""",
    re.VERBOSE,
)
"""From where a line names its error, whatever a logger or a test runner wrote before it."""

_WEAK = re.compile(
    r"\b(?:[Ff]ailed|FAILED|[Ff]atal|[Aa]ssert\w*|[Pp]ermission denied|[Aa]ccess denied|No such file|No space left"
    r"|command not found|not found:|core dumped)\b"
)
_OF_A_TEST = re.compile(r"^(?:FAILED|ERROR)\s+\S+(?:\s+-)?\s*")
_WRAPPERS = re.compile(
    r"\b(?:CalledProcessError|SystemExit)\b|\*\*\* \[|exit (?:status|code) \d+\.?$|(?i:failed \d+ of \d+)"
)
"""Errors that only say that something else has failed."""

_NO_ERROR = re.compile(
    r"(?i)\b(?:0|no|without) (?:\w+ )?(?:errors?|exceptions?|failed|failures?|fatal)\b"
    r"|\b(?:errors?|failed|failures|fatal)[\"']?\s*[:=]\s*(?:0\b|none|null|\[\]|false)|^(?:if|raise|assert|except)\b"
)
"""Counts of none, and lines of source code that a traceback shows."""

_MESSAGE = re.compile(
    rf'"\w*(?:error|message|detail|reason|exception|{ERROR_NAMES})\w*"\s*:\s*("(?:[^"\\]|\\.){{3,}}"?)', re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_HOLDS_NO_LOG = frozenset("options choices messages judge_evaluations judgements rubric rubrics".split())


def lines_of_logs(row: dict[str, Any], names: Iterable[str]) -> list[list[str]]:
    """Field and text of the telling lines of a row's long logs, at most 8 different ones in their order.

    Logs inside lists and objects are searched where no log of the row's own tells anything: they often repeat it.
    """
    found: dict[str, list[str]] = {}
    holders = []
    for name in names:
        value = row[name]
        kind = type(value)
        if kind is str:
            if len(value) > LONGEST_LINE and is_log(name):
                _collect(found, name, value)
        elif (kind is dict or kind is list) and value and name not in _HOLDS_NO_LOG:
            holders.append(name)
    if not found:
        for name in holders:
            _search(found, name, name, row[name], 0)
    return list(found.values())


def telling_line(text: str) -> str | None:
    """The line of a failed tool's output that says most.

    That is the message of an object, else of named errors the last, else the first line with words.
    """
    if text[:1] in "{[" and (message := _MESSAGE.search(text, 0, _HEAD)) is not None:
        return _cut(_first_line(message[1]))
    found = _telling(text)
    return found[-1] if found else next(filter(None, map(_plain, text[:_HEAD].splitlines())), None)


def _first_line(quoted: str) -> str:
    """The first line of a JSON string; one that was cut off ends where it breaks."""
    try:
        text = str(orjson.loads(quoted))
    except orjson.JSONDecodeError:
        text = quoted[1:].partition("\\")[0]
    return text.strip().partition("\n")[0]


def _search(found: dict[str, list[str]], place: str, name: str, value: Any, depth: int) -> None:
    """Logs inside lists and objects."""
    if depth == _DEEPEST or len(found) >= MOST_LINES:
        return
    members = islice(value.items(), _KEYS) if type(value) is dict else ((name, each) for each in value[:_MEMBERS])
    for key, each in members:
        kind = type(each)
        if kind is str:
            if len(each) > LONGEST_LINE and is_log(key):
                _collect(found, place if type(value) is list else f"{place}_{key}", each)
        elif (kind is dict or kind is list) and each and not (is_transcript(key) or key in _HOLDS_NO_LOG):
            _search(found, place if type(value) is list else f"{place}_{key}", key, each, depth + 1)


def _collect(found: dict[str, list[str]], name: str, text: str) -> None:
    for line in _telling(text):
        if len(found) < MOST_LINES:
            found.setdefault(_digitless(line), [name[:100], clean_text(line)])


def _telling(text: str) -> list[str]:
    """Lines that name an error; without one those that only pass it on, without these such as speak of failing."""
    ranked: tuple[dict[str, str], ...] = ({}, {}, {})
    for part, words in _searched(text):
        for line in _lines(part, words):
            if (told := _told(line)) is not None:
                ranked[told[0]].setdefault(_digitless(told[1]), told[1])
        if ranked[0]:
            break
    lines = list(next(filter(None, ranked), {}).values())
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 3], *lines[-3:]]


def _searched(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Parts of a text with the words to look for, in the order in which they are searched."""
    if len(text) <= _HEAD + _TAIL:
        ends = text
        yield ends, _NAMING
    else:
        ends = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
        yield ends, _NAMING
        middle = text[_HEAD:-_TAIL]
        yield (middle if len(middle) <= 2 * _MIDDLE else f"{middle[:_MIDDLE]}\n{middle[-_MIDDLE:]}"), _NAMING
    yield ends, _SPEAKING


def _lines(text: str, parts: tuple[str, ...]) -> dict[str, None]:
    """The different lines that hold a part of a telling word, in order, each cut to 280 characters."""
    lines: dict[str, None] = {}
    for start in sorted({start for part in parts for start in _starts(text, part)}):
        end = text.find("\n", start, start + _LOOKED_AT)
        lines[text[start : start + _LOOKED_AT if end < 0 else end].strip()] = None
    return lines


def _starts(text: str, part: str) -> Iterator[int]:
    """Where the first and the last lines begin that hold a part of a word."""
    at = text.find(part)
    for _ in range(_HITS):
        if at < 0:
            return
        yield text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        if end < 0:
            return
        at = text.find(part, end)
    end = len(text)
    for _ in range(_HITS):
        end = text.rfind("\n", 0, text.rfind(part, 0, end)) + 1
        yield end


def _told(line: str) -> tuple[int, str] | None:
    """How much a line says (0 most) and what of it is kept; null for a line that tells of no error."""
    line = _OF_A_TEST.sub("", line)
    named = _STRONG.search(line)
    if (named is None and _WEAK.search(line) is None) or _NO_ERROR.search(line):
        return None
    if named is None:
        return 2, _cut(line)
    kept = _cut(named[0].strip())
    return 2 if kept.endswith("...") else int(_WRAPPERS.search(kept) is not None), kept


def _cut(line: str) -> str:
    """At most 200 characters, up to the end of a word, so that no part of a longer secret is left."""
    if len(line) <= LONGEST_LINE:
        return line
    return line[:LONGEST_LINE].rpartition(" ")[0] or "a line without spaces"


def _plain(line: str) -> str:
    line = line.strip()
    return _cut(line) if sum(map(str.isalpha, line[:LONGEST_LINE])) > 2 else ""


def _digitless(line: str) -> str:
    return _DIGITS.sub("0", line)
