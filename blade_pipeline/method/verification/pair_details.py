"""What stands folded below a pair of runs: secondary comparisons, and how the mix of tasks moved."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, Option, claim
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.markdown import Table
from blade_pipeline.method.verification.ratios import N

Json = dict[str, Any]
Figures = Mapping[int, Figure]

_OWN = re.compile(
    rf"^Each run over its own measured tasks: (?P<a>{N})%? on (?P<tasks_a>{N}) tasks? and (?P<b>{N})%? on "
    rf"(?P<tasks_b>{N}) tasks?, a difference of (?P<difference>{N})"
)
_SPLIT = re.compile(
    rf"^By ⟦0⟧: (?P<rates>{N})(?: points)? come from the categories' scores, (?P<mix>{N})(?: points)? from"
)
_SECONDARY = {
    "tasks": "tasks",
    "first run": "a",
    "second run": "b",
    "difference": "value",
    "p": "p",
    "p, holm": "holm_p",
}


def detail_cell(table: Table, cell: Cell, pair: Json) -> Iterator[Claim]:
    """A secondary comparison by its name."""
    if table.header[0] != "Comparison" or cell.heading not in _SECONDARY:
        return
    entry: Json = next((row for row in pair.get("secondary") or () if row["name"] == cell.name), {})
    if cell.lone is not None:
        yield from _claim(cell.lone, entry.get(_SECONDARY[cell.heading]), f"{cell.heading}, {cell.name}")


def detail_sentence(text: str, spans: tuple[str, ...], figures: Figures, pair: Json) -> Iterator[Claim]:
    """The runs over their own tasks, and what of their difference lies in the mix of a field's categories."""
    mix: Json = pair.get("mix") or {}
    field = spans[0] if spans else None
    split: Json = next((row for row in mix.get("by") or () if row["field"] == field), {})
    for pattern, right in ((_OWN, mix), (_SPLIT, split)):
        for found in pattern.finditer(text):
            for name in found.groupdict():
                figure = figures.get(found.start(name))
                if figure is not None:
                    yield from _claim(figure, right.get(name), f"{name.replace('_', ' ')}, {pair['run_b']}")


def _claim(figure: Figure, value: float | None, what: str) -> Iterator[Claim]:
    """Fractions are written in percent or points, all else as it is."""
    scale = 100 if figure.unit in ("%", "points") else 1
    yield from claim(figure, [] if value is None else [Option(scale * value, what)])
