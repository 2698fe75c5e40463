"""A text as every reader could decode it: entities, escapes, URL encoding and base64, also one inside the other."""

import base64
import html
import re
import urllib.parse
from collections.abc import Callable, Iterator

DEEPEST = 5
_WIDEST = 8
"""Decoded texts may hold this many times the characters of the text they come from."""

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\([!-/:-@\[-`{-~])|\\[nrt]")
_SHORTEST = 12
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{_SHORTEST},}}")
_BREAK = re.compile(r"(?<=[A-Za-z0-9+/]{60})\\?[\r\n]+\s*")
_STRETCH = re.compile(rb"[ -~]{12,}")
_STANDARD = str.maketrans("-_", "+/")
_SHOWN = re.compile(r"\[U\+([0-9A-F]{4,6})\]")


def layers(text: str) -> Iterator[str]:
    """The text and what its encoded parts say, to a bounded depth and size; every text once."""
    seen, level, budget = {text}, [text], _WIDEST * (len(text) + 1024)
    yield text
    for _ in range(DEEPEST):
        below = []
        for decoded in (found for above in level for found in _decoded(above)):
            if decoded not in seen and budget > 0:
                budget -= len(decoded)
                seen.add(decoded)
                below.append(decoded)
                yield decoded
        level = below


def _decoded(text: str) -> Iterator[str]:
    for decode in _WAYS:
        yield decode(text)
    yield from _from_base64(text)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _character(found[1] or found[2]) or found[3] or " ", text)


def _character(digits: str | None) -> str:
    return chr(int(digits, 16)) if digits else ""


def _without_marks(text: str) -> str:
    """The text without the marks that stand for invisible characters, so that none can part a name."""
    return _SHOWN.sub("", text)


_WAYS: tuple[Callable[[str], str], ...] = (html.unescape, _unescaped, urllib.parse.unquote_plus, _without_marks)


def _from_base64(text: str) -> Iterator[str]:
    for run in _RUN.finditer(_BREAK.sub("", text)):
        found = run[0].translate(_STANDARD)
        for start in range(min(4, len(found) - _SHORTEST + 1)):
            yield from _readable(found[start:])


def _readable(run: str) -> Iterator[str]:
    """What base64 says: its text, or the readable stretches of what is no text."""
    whole = run[: len(run) - (len(run) % 4 == 1)]
    content = base64.b64decode(whole + "=" * (-len(whole) % 4))
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = ""
    if text and text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
        yield text
    elif stretches := _STRETCH.findall(content):
        yield "\n".join(stretch.decode() for stretch in stretches)
