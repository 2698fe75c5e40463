"""Tells a text that goes in circles: the same sentence or line again and again."""

from collections import Counter

TIMES = 5
"""How often a sentence must stand in a text before it is looked at."""

_SHORTEST_TEXT = 600
_WINDOW = 8_000
"""Characters at the end that are looked at: a circle is seldom left again."""

_SHORTEST = 20
_WORDS = 4
_SHARE = 3
"""Repeats must fill a third of what is looked at: a refrain, a table or code does less."""


def repeated_sentences(text: str) -> int:
    """How often the most frequent sentence or line of a text's last 8,000 characters stands there.

    0 unless that is at least 5 times and sentences of at least 4 words that stood there before fill a third of it.
    """
    if len(text) < _SHORTEST_TEXT:
        return 0
    window = text[-_WINDOW:]
    if not (_again(window, "\n") or _again(window, ".")):
        return 0
    said = Counter(map(str.strip, window.replace(". ", "\n").split("\n")))
    often = {piece: times for piece, times in said.items() if times >= TIMES and _is_sentence(piece)}
    again = sum((times - 1) * len(piece) for piece, times in often.items())
    return max(often.values()) if _SHARE * again >= len(window) else 0


def _again(text: str, sign: str) -> bool:
    """Whether so many pieces are equal to others that one may stand there often; to split at one sign is quick."""
    if not _has_several(text, sign):
        return False
    pieces = text.split(sign)
    return len(pieces) - len(set(pieces)) >= TIMES - 1


def _has_several(text: str, sign: str) -> bool:
    """Whether there are ends of so many pieces; many times faster than to count them all."""
    at = -1
    for _ in range(TIMES - 1):
        at = text.find(sign, at + 1)
        if at < 0:
            return False
    return True


def _is_sentence(piece: str) -> bool:
    return len(piece) >= _SHORTEST and sum(map(str.isalpha, piece)) > len(piece) // 2 and len(piece.split()) >= _WORDS
