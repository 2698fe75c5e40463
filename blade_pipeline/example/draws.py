"""Random numbers that are the same on every Python version and platform.

Only ``random.Random.random`` is used, whose sequence Python promises to keep; everything else is derived from it.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Draws:
    """A stream of random numbers named by its key: equal keys give equal streams, whatever else was drawn."""

    def __init__(self, *key: str | int) -> None:
        self._random = random.Random("/".join(map(str, key)))

    def uniform(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, each with the same chance."""
        return items[self.between(0, len(items) - 1)]

    def weighted(self, weights: Mapping[str, float]) -> str:
        """One of the names, with chances proportional to their weights."""
        left = self.uniform() * sum(weights.values())
        for name, weight in weights.items():
            chosen = name
            left -= weight
            if left < 0:
                break
        return chosen

    def beta(self, a: int, b: int) -> float:
        """A Beta(a, b) number: the a-th smallest of a + b - 1 uniform ones."""
        return sorted(self.uniform() for _ in range(a + b - 1))[a - 1]

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        """The items in random order."""
        return [item for _, _, item in sorted((self.uniform(), n, item) for n, item in enumerate(items))]

    def hexadecimal(self, digits: int) -> str:
        """That many random hex digits."""
        return "".join(self.choice("0123456789abcdef") for _ in range(digits))
