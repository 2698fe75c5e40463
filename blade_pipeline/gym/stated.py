"""Whether the final text of a rollout states the expected answer, whatever the verifier extracted from it."""

import re
from functools import lru_cache
from typing import Any

LONGEST = 200
"""Characters of an expected answer beyond which it is a text of its own."""

_WINDOW = 800
_MARK = re.compile(r"(?i)answer\b[^\w\n]{0,6}?(?:\bis\b|\bwas\b|\bwould be\b|[=:])\W{0,8}([^\n]{1,200})")
_CHOSEN = re.compile(
    r"(?i)\b(?:option|choice|letter)\s+(?:is|was|must be)\b\s*(?:therefore|thus|then|clearly)?\W{0,8}([^\n]{1,200})"
)
_LAST_LETTER = re.compile(r"(?:\(([A-Z])\)|\*\*([A-Z])\*\*|(?:^|\n)\W*([A-Z])(?=\W*$))[\s.*_]*$")
_LONE = re.compile(r"(?<!\w)[A-Z]")
_SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_CLOSING = _SPACES + ".*_)"
"""What may follow a letter that ends a text."""

_BOX = "\\boxed{"
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\}){1,200})\}")
_LETTER = re.compile(r"^[\W_]*(?:option\s+|choice\s+)?([A-Za-z])(?:[\W_]*$|[).:\]},*]+\s*)", re.IGNORECASE)
_KEPT = frozenset(".,+/%^=<>:;-")
_OPTIONS = ("options", "choices")
_EMPTY: tuple[Any, ...] = ("", [], {})


def states_expected(row: dict[str, Any], names: tuple[str, ...], text: str) -> bool | None:
    r"""Whether the answer that a text gives at its end is the expected one, up to notation or as the option's letter.

    The end is what follows the last "answer is", "answer:" or "option is", or stands in the last ``\boxed{}`` of the
    last 800 characters; else a capital letter in brackets, in bold or on a line of its own that ends the text. Null
    where the text names no answer so, or the row holds no short expected one.

    Args:
        row: the rollout.
        names: its fields that may hold the expected answer; the first with a value counts.
        text: its last message.
    """
    expected = _first_with_value(row, names)
    if type(expected) is bool or not isinstance(expected, (str, int, float)) or len(str(expected)) > LONGEST:
        return None
    said = _said(text[-_WINDOW:])
    if not said:
        return None
    options = _options(row)
    wanted = _readings(str(expected), options)
    return any(not wanted.isdisjoint(_readings(one, options)) for one in said)


def _first_with_value(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        value = row[name]
        if value is not None and value not in _EMPTY:
            return value
    return None


def _said(tail: str) -> list[str]:
    """The answers that the end of a text names.

    Plain searches come first: the patterns would take as long as all the rest of reading a row of 4 KB.
    """
    lower = tail.lower()
    found = _BOXED.findall(tail)[-1:] if "\\" in tail and _BOX in tail else []
    if "answer" in lower:
        at = max(tail.rfind("nswer"), tail.rfind("NSWER")) - 1
        named = _MARK.match(tail, at) if at >= 0 else None
        found = found if named is None else [*found, named[1]]
    return found or _chosen(tail, lower)


def _chosen(tail: str, lower: str) -> list[str]:
    """The option that the end of a text names, without the word answer."""
    may_choose = "option" in lower or "choice" in lower or "letter" in lower
    if may_choose and (named := [found[1] for found in _CHOSEN.finditer(tail)]):
        return named[-1:]
    if _LONE.match(tail, len(tail.rstrip(_CLOSING)) - 1) is None:
        return []
    letter = _LAST_LETTER.search(tail)
    return [next(filter(None, letter.groups()))] if letter else []


def _readings(text: str, options: dict[str, str]) -> set[str]:
    """The text, without the letter before it, and the option behind that letter, all free of notation."""
    found = {_plain(text)}
    if letter := _LETTER.match(text):
        name = letter[1].upper()
        rest = _plain(text[letter.end() :])
        found |= {rest} if rest else {name.lower()}
        if name in options:
            found.add(_plain(options[name]))
    return found - {""}


def _options(row: dict[str, Any]) -> dict[str, str]:
    """Texts by letter, where the row lists its options: as an object, objects of one letter each, or in order."""
    given = next((row[name] for name in _OPTIONS if row.get(name)), None)
    if isinstance(given, dict):
        return _lettered(given)
    if not isinstance(given, list) or len(given) > 26:
        return {}
    if all(isinstance(one, dict) for one in given):
        return {letter: text for one in given for letter, text in _lettered(one).items()}
    return {chr(ord("A") + n): str(one) for n, one in enumerate(given)}


def _lettered(given: dict[str, Any]) -> dict[str, str]:
    return {key.upper(): str(text) for key, text in given.items() if len(key) == 1}


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum() or sign in _KEPT).strip(".,:;")
