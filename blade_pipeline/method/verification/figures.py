"""Figures of a text: numbers with their unit and the precision with which they are written."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Unit = Literal["", "%", "points", "KB", "MB", "GB"]
SCALES: dict[Unit, float] = {"": 1.0, "%": 1.0, "points": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9}
"""How many of the plain unit one of these is, for sizes."""

_NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?(?:e(?:-\d{1,3}|\+?\d{1,2}))?"
_FIGURE = re.compile(
    rf"(?<![\w.@^/#$⟦-])(?P<number>{_NUMBER})(?:(?P<percent> ?%)|(?P<points> (?:percentage )?points?\b|pp\b| pp\b)"
    r"|(?P<size> [KMG]B\b))?"
    r"(?![\w@⟧]|[.:-]\d|-[a-z])"
)
_SLIP = 1e-9


@dataclass(frozen=True)
class Figure:
    """A number as a text writes it, in the unit that stands behind it; ``start`` and ``end`` are its place.

    ``below``: the text says that the value is less than the figure.
    """

    text: str
    value: float
    decimals: int
    unit: Unit
    start: int
    end: int
    below: bool = False

    def agrees(self, right: float) -> bool:
        """Whether the figure is ``right`` (in the figure's unit) at the precision at which it is written."""
        if self.below and right < self.value:
            return True
        return abs(self.value - right) <= 0.5 * 10.0**-self.decimals + _SLIP * max(1.0, abs(right))

    def written(self, right: float) -> str:
        """The right value as the text would write it."""
        unit = self.unit if self.unit in ("", "%") else f" {self.unit}"
        return f"{right:.{max(0, self.decimals)}f}{unit}"


def figures_of(text: str) -> Iterator[Figure]:
    """Every figure of a text from left to right; parts of words, dates, versions and ids are none.

    Neither is what is larger than any number that is computed here: a text of the data may write 1e9999.
    """
    for found in _FIGURE.finditer(text):
        mantissa, _, power = found["number"].replace(",", "").partition("e")
        decimals = len(mantissa.partition(".")[2]) - int(power or 0)
        value = float(f"{mantissa}e{power or 0}")
        if not math.isfinite(value):
            continue
        below = text[: found.start()].rstrip().endswith("<")
        yield Figure(found[0].rstrip(","), value, decimals, _unit(found), found.start(), found.end(), below)


def _unit(found: re.Match[str]) -> Unit:
    if found["size"]:
        sizes: dict[str, Unit] = {"KB": "KB", "MB": "MB", "GB": "GB"}
        return sizes[found["size"].strip()]
    return "%" if found["percent"] else "points" if found["points"] else ""
