"""Tells a text that goes in circles: the same sentence or line again and again."""

from collections import Counter, defaultdict
from collections.abc import Collection
from itertools import pairwise

TIMES = 8
"""How often a sentence must stand in a text before it is looked at: a refrain ends before, a circle goes on."""

_SHORTEST_TEXT = 600
_WINDOW = 8_000
"""Characters at the end that are looked at: a circle is seldom left again."""

_SHORTEST = 20
_WORDS = 4
_SHARE = 3
"""Repeats must fill a third of what is looked at: a refrain, a table or code does less."""


def repeated_sentences(text: str) -> int:
    """How often the most frequent sentence or line of a text's last 8,000 characters stands there.

    0 unless that is at least 8 times and what stood there before fills a third of it: one sentence of at least 4 words,
    or such sentences each after the same one as before. Set phrases in ever another order are a way of writing, no
    circle.
    """
    if len(text) < _SHORTEST_TEXT:
        return 0
    window = text[-_WINDOW:]
    if not (_again(window, "\n") or _again(window, ".")):
        return 0
    pieces = [piece for piece in map(str.strip, window.replace(". ", "\n").split("\n")) if piece]
    often = {piece: times for piece, times in Counter(pieces).items() if times >= TIMES and _is_sentence(piece)}
    if not often:
        return 0
    alone = max((times - 1) * len(piece) for piece, times in often.items())
    again = max(alone, _in_order(pieces, often))
    return max(often.values()) if again and _SHARE * again >= len(window) else 0


def _in_order(pieces: list[str], often: Collection[str]) -> int:
    """Characters of the frequent sentences that most often follow another, beyond the first time each."""
    follow: dict[str, Counter[str]] = defaultdict(Counter)
    for first, then in pairwise(pieces):
        if then in often:
            follow[first][then] += 1
    most = (then.most_common(1)[0] for then in follow.values())
    return sum((times - 1) * len(piece) for piece, times in most if times >= TIMES - 1)


def _again(text: str, sign: str) -> bool:
    """Whether so many pieces are equal to others that one may stand there often.

    To find so many ends of pieces is many times faster than to count them all, and to split at one sign is quick.
    """
    at = -1
    for _ in range(TIMES - 1):
        at = text.find(sign, at + 1)
        if at < 0:
            return False
    pieces = text.split(sign)
    return len(pieces) - len(set(pieces)) >= TIMES - 1


def _is_sentence(piece: str) -> bool:
    return len(piece) >= _SHORTEST and sum(map(str.isalpha, piece)) > len(piece) // 2 and len(piece.split()) >= _WORDS
