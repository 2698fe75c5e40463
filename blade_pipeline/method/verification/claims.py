"""A figure with what it should be."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from blade_pipeline.method.verification.figures import Figure


class Option(NamedTuple):
    """A right value, in the unit of the figure, and what it is."""

    right: float
    what: str


@dataclass(frozen=True)
class Claim:
    """A figure and the values that would bear it out; a ``firm`` one is wrong when none does."""

    figure: Figure
    options: tuple[Option, ...]
    firm: bool = True

    def borne_out(self) -> Option | None:
        """The option that the figure agrees with."""
        return next((option for option in self.options if self.figure.agrees(option.right)), None)


def share(figure: Figure, value: float | None, what: str) -> list[Option]:
    """A fraction in the figure's unit: a percentage unless it is written as a plain number up to 1."""
    if value is None:
        return []
    plain = figure.unit == "" and abs(figure.value) <= 1
    return [Option(value if plain else 100 * value, what)]


def exactly(value: float | None, what: str) -> list[Option]:
    """A count or another plain number."""
    return [] if value is None else [Option(float(value), what)]


def named(
    found: re.Match[str], figures: Mapping[int, Figure], right: Mapping[str, float | None], what: str
) -> Iterator[Claim]:
    """The figure of each group of a match whose name has a right value; ``figures`` are by where they start."""
    for name, value in right.items():
        figure = figures.get(found.start(name)) if found.groupdict().get(name) else None
        if figure is not None:
            yield from claim(figure, exactly(value, f"{name.replace('_', ' ')}, {what}"))


def claim(figure: Figure, options: Iterable[Option], *, firm: bool = True) -> list[Claim]:
    """A claim where there is something to hold it against."""
    found: Sequence[Option] = tuple(options)
    return [Claim(figure, tuple(found), firm)] if found else []
