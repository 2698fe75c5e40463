"""What a text says of the failure modes of two runs, held against the document of the pair."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from blade_pipeline.method.comparison.moved_modes import named
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.markdown import Table
from blade_pipeline.method.verification.ratios import N

Json = dict[str, Any]
Figures = Mapping[int, Figure]

_HEADER = ["Mode", "First run", "Second run", "Change", "p, Holm"]
_SIDES = {"first run": "a", "second run": "b"}
_PARTS = re.compile(rf"^(?P<count>{N}) of (?P<measured>{N})$")
_WENT = re.compile(
    rf" from (?P<count_a>{N}) of (?P<measured_a>{N}) rollouts before to (?P<count_b>{N}) of (?P<measured_b>{N}), "
    rf"(?P<change>{N}) points, p = (?P<holm_p>{N})"
)
_ALL = re.compile(rf"over (?P<tests>{N}) modes?\); all failures together: (?P<change>{N}) points")


def mode_cell(table: Table, cell: Cell, modes: Json) -> Iterator[Claim]:
    """A cell of the table of failure modes in both runs."""
    if table.header != _HEADER:
        return
    row = next((row for row in modes.get("rows") or () if row["code"] == cell.name), None)
    row = modes if row is None and cell.name == "all failures" else row
    if row is None:
        return
    if found := _PARTS.match(cell.said.text) if cell.heading in _SIDES else None:
        right = {name: row[_SIDES[cell.heading]][name] for name in ("count", "measured")}
        yield from _claims(found, cell.figures, right, cell.name)
    elif cell.lone is not None and cell.heading == "change":
        yield from claim(cell.lone, exactly(100 * row["change"], f"change of {cell.name}"))
    elif cell.lone is not None and row.get("holm_p") is not None:
        yield from claim(cell.lone, exactly(row["holm_p"], f"corrected p of {cell.name}"))


def mode_sentence(text: str, figures: Figures, modes: Json) -> Iterator[Claim]:
    """The modes that are said to have moved, each by its code, and all failures together."""
    for row in modes.get("rows") or ():
        before, name, _ = text.partition(f"{named(row)} from")
        found = _WENT.match(text, len(before) + len(name) - len(" from")) if name else None
        if found:
            sides = {f"{name}_{side}": row[side][name] for side in "ab" for name in ("count", "measured")}
            right = sides | {"change": 100 * row["change"], "holm_p": row["holm_p"]}
            yield from _claims(found, figures, right, row["code"])
    found = _ALL.search(text)
    if found and modes.get("change") is not None:
        right = {"tests": modes["tests"], "change": 100 * modes["change"]}
        yield from _claims(found, figures, right, "all failures")


def _claims(found: re.Match[str], figures: Figures, right: Mapping[str, float], what: str) -> Iterator[Claim]:
    for name, value in right.items():
        figure = figures.get(found.start(name))
        if figure is not None:
            yield from claim(figure, exactly(value, f"{name.replace('_', ' ')}, {what}"))
