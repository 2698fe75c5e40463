"""What a text says of the failure modes and tools of two runs, held against the document of the comparison."""

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

_COLUMNS = ["First run", "Second run", "Change", "p, Holm"]
_SIDES = {"first run": "a", "second run": "b"}
_PARTS = re.compile(rf"^(?P<count>{N}) of (?P<measured>{N})$")
_MOVED = rf"(?P<change>{N}) points, p = (?P<holm_p>{N})"
_MODE = re.compile(
    rf" from (?P<count_a>{N}) of (?P<measured_a>{N}) rollouts before to (?P<count_b>{N}) of (?P<measured_b>{N}), "
    rf"{_MOVED}"
)
_TOOL = re.compile(
    rf" in (?P<count_a>{N}) of (?P<measured_a>{N}) rollouts before and (?P<count_b>{N}) of (?P<measured_b>{N}) now, "
    rf"{_MOVED}"
)
_MODES = re.compile(rf"over (?P<tests>{N}) modes?\); all failures together: (?P<change>{N}) points")
_TOOLS = re.compile(rf"over (?P<tests>{N}) tools?\)")
_ALL = "all failures"


def behaviour_cell(table: Table, cell: Cell, comparison: Json) -> Iterator[Claim]:
    """A cell of the table of failure modes, or of tools, in both runs."""
    if table.header[1:] != _COLUMNS:
        return
    modes, tools = _documents(comparison)
    rows = {row["code"]: row for row in modes.get("rows") or ()} if table.header[0] == "Mode" else {}
    rows |= {row["tool"]: row for row in tools.get("rows") or ()} if table.header[0] == "Tool" else {}
    row = rows.get(cell.name, modes if cell.name == _ALL else None)
    if not row:
        return
    if found := _PARTS.match(cell.said.text) if cell.heading in _SIDES else None:
        right = {name: row[_SIDES[cell.heading]][name] for name in ("count", "measured")}
        yield from _claims(found, cell.figures, right, cell.name)
    elif cell.lone is not None and cell.heading == "change":
        yield from claim(cell.lone, exactly(100 * row["change"], f"change of {cell.name}"))
    elif cell.lone is not None and row.get("holm_p") is not None:
        yield from claim(cell.lone, exactly(row["holm_p"], f"corrected p of {cell.name}"))


def behaviour_sentence(text: str, figures: Figures, comparison: Json) -> Iterator[Claim]:
    """The modes and tools that are said to have moved, each by its name, and all failures together."""
    modes, tools = _documents(comparison)
    for row in modes.get("rows") or ():
        yield from _moved(_MODE, named(row), text, figures, row)
    for row in tools.get("rows") or ():
        yield from _moved(_TOOL, row["tool"], text, figures, row)
    if found := _MODES.search(text) if modes.get("rows") else None:
        right = {"tests": modes["tests"], "change": 100 * modes["change"]}
        yield from _claims(found, figures, right, _ALL)
    if found := _TOOLS.search(text) if tools.get("rows") else None:
        yield from _claims(found, figures, {"tests": tools["tests"]}, "tools")


def _documents(comparison: Json) -> tuple[Json, Json]:
    return comparison.get("modes") or {}, comparison.get("tools") or {}


def _moved(pattern: re.Pattern[str], name: str, text: str, figures: Figures, row: Json) -> Iterator[Claim]:
    places = (found.end() for found in re.finditer(re.escape(name), text))
    for found in filter(None, (pattern.match(text, place) for place in places)):
        sides = {f"{part}_{side}": row[side][part] for side in "ab" for part in ("count", "measured")}
        yield from _claims(found, figures, sides | {"change": 100 * row["change"], "holm_p": row["holm_p"]}, name)


def _claims(found: re.Match[str], figures: Figures, right: Mapping[str, float], what: str) -> Iterator[Claim]:
    for name, value in right.items():
        figure = figures.get(found.start(name))
        if figure is not None:
            yield from claim(figure, exactly(value, f"{name.replace('_', ' ')}, {what}"))
