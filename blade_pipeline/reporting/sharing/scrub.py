"""Takes what looks private, and what a team calls private, out of a text, and tells the kind of each."""

import re
from collections.abc import Iterable

from blade_pipeline.gym.private import bared, rules_for
from blade_pipeline.reporting.sharing.fold import folded, places_of

Place = tuple[int, int, str]
TERM = "private term"
"""The kind of a name on the team's deny list."""

_SEPARATOR = r"[-_./:+\s]*"
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_LONG = 8
_START = r"(?:(?<![^\W\d_])|(?-i:(?<=[a-z])(?=[A-Z])))"
_END = r"(?:(?![^\W\d_])|(?-i:(?<=[a-z])(?=[A-Z])))"


class Scrubber:
    """Knows the rules for what looks private and the names that a team lists as private."""

    def __init__(self, terms: Iterable[str] = ()) -> None:
        """``terms`` match whatever the case, the accents and what stands between their parts.

        Between parts may stand blanks and any of ``-_./:+``; letters that look alike are alike.
        """
        wanted = [pattern for term in sorted(terms, key=len, reverse=True) if (pattern := _pattern_of(term))]
        term = re.compile(f"{_START}(?:{'|'.join(wanted)}){_END}", re.IGNORECASE) if wanted else None
        self._terms: list[tuple[str, re.Pattern[str]]] = [(TERM, term)] if term else []

    def scrub(self, text: str) -> tuple[str, list[str]]:
        """The text with ``[redacted: host]`` in the place of what is private, and the kind of every such place."""
        seen, places = folded(text), places_of(text)
        found = [
            (*match.span(), kind)
            for form in dict.fromkeys((seen, bared(seen)))
            for kind, rule in self._rules(form)
            for match in rule.finditer(form)
        ]
        taken = _merged([(places[start], places[end - 1] + 1, kind) for start, end, kind in found if end > start])
        for start, end, kind in reversed(taken):
            text = f"{text[:start]}[redacted: {kind}]{text[end:]}"
        return text, [kind for _, _, kind in taken]

    def kinds(self, text: str) -> set[str]:
        """The kinds of private strings in a text."""
        seen = folded(text)
        return {kind for kind, pattern in self._rules(seen) if pattern.search(seen)}

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
    pieces = _PIECE.findall(folded(term))
    loose = r"[-_.\s]{0,2}" if sum(map(len, pieces)) >= _LONG else ""
    return _SEPARATOR.join(loose.join(map(re.escape, piece)) for piece in pieces)
