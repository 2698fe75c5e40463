"""Takes what looks private, and what a team calls private, out of a text, and tells the kind of each."""

import re
import unicodedata
from collections.abc import Iterable

from blade_pipeline.gym.private import rules_for

Place = tuple[int, int, str]
TERM = "private term"
"""The kind of a name on the team's deny list."""

_SEPARATOR = r"[-_.\s]*"
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_LONG = 8
_START = r"(?:(?<![^\W\d_])|(?-i:(?<=[a-z])(?=[A-Z])))"
_END = r"(?:(?![^\W\d_])|(?-i:(?<=[a-z])(?=[A-Z])))"


class Scrubber:
    """Knows the rules for what looks private and the names that a team lists as private."""

    def __init__(self, terms: Iterable[str] = ()) -> None:
        """``terms`` match without regard to case, and to ``-``, ``_``, dots and blanks between their parts."""
        wanted = [pattern for term in sorted(terms, key=len, reverse=True) if (pattern := _pattern_of(term))]
        term = re.compile(f"{_START}(?:{'|'.join(wanted)}){_END}", re.IGNORECASE) if wanted else None
        self._terms: list[tuple[str, re.Pattern[str]]] = [(TERM, term)] if term else []

    def scrub(self, text: str) -> tuple[str, list[str]]:
        """The text with ``[redacted: host]`` in the place of what is private, and the kind of every such place."""
        text = unicodedata.normalize("NFC", text)
        places = _merged([(*found.span(), kind) for kind, rule in self._rules(text) for found in rule.finditer(text)])
        for start, end, kind in reversed(places):
            text = f"{text[:start]}[redacted: {kind}]{text[end:]}"
        return text, [kind for _, _, kind in places]

    def kinds(self, text: str) -> set[str]:
        """The kinds of private strings in a text."""
        return {kind for kind, pattern in self._rules(text) if pattern.search(text)}

    def _rules(self, text: str) -> list[tuple[str, re.Pattern[str]]]:
        return [*rules_for(text), *self._terms]


def _merged(places: list[Place]) -> list[Place]:
    """Places that overlap as one, under the kind whose rule comes first."""
    merged: list[Place] = []
    for start, end, kind in sorted(places, key=lambda place: place[:2]):
        if merged and start < merged[-1][1]:
            before = merged.pop()
            first = next(place[2] for place in places if place[2] in (before[2], kind))
            start, end, kind = before[0], max(before[1], end), first
        merged.append((start, end, kind))
    return merged


def _pattern_of(term: str) -> str:
    """A long name also matches where separators were put between any of its letters."""
    pieces = _PIECE.findall(unicodedata.normalize("NFC", term))
    if sum(map(len, pieces)) >= _LONG:
        return r"[-_.\s]{0,2}".join(re.escape(letter) for piece in pieces for letter in piece)
    return _SEPARATOR.join(map(re.escape, pieces))
