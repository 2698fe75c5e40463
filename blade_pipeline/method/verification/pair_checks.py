"""What a report says of the checks of a pair of runs, of gym eval compare's numbers and of the mix of categories."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, Option, claim, named
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.markdown import Table
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.restated import restated

Json = dict[str, Any]
_STATUS = {"differ": "different", "are unknown": "unknown", "are the same in both runs": "same"}
_COUNTED = re.compile(rf"^(?P<part>{N}) of (?P<whole>{N}) checks (?P<status>{'|'.join(_STATUS)})\b")
_TOOL = {"baseline": "baseline", "candidate": "candidate", "delta": "delta"}
_MIX = {
    "tasks, first run": "tasks_a",
    "tasks, second run": "tasks_b",
    "score, first run": "a",
    "score, second run": "b",
}


def check_counts(text: str, figures: Mapping[int, Figure], pair: Json) -> Iterator[Claim]:
    """How many checks of a pair have a status; what its sentences and notes say word for word."""
    if found := _COUNTED.match(text):
        statuses = Counter(check["status"] for check in pair["checks"])
        right = {"part": statuses[_STATUS[found["status"]]], "whole": len(pair["checks"])}
        yield from named(found, figures, right, "checks")
    yield from restated(text, figures, _sentences(pair), "the comparison")


def check_cell(table: Table, cell: Cell, pair: Json) -> Iterator[Claim]:
    """A cell of the tables of checks, of the tool's metrics or of categories."""
    first = table.header[0]
    if first == "Check":
        yield from _of_check(table, cell, pair)
    elif table.header[:2] == ["Metric", "Baseline"]:
        yield from _of_tool(cell, pair)
    elif table.header[:2] == ["Category", "Tasks, first run"] and cell.heading in _MIX and cell.lone is not None:
        rows = [row for split in (pair.get("mix") or {}).get("by") or () for row in split["categories"]]
        values = [row[_MIX[cell.heading]] for row in rows if str(row["value"]) == cell.name]
        yield from _claim(cell.lone, values, f"{cell.heading}, {cell.name}")


def _sentences(pair: Json) -> Iterator[str]:
    told, flips = pair.get("sentence") or "", pair.get("flips") or {}
    yield from (told, f"Comparison: {told}", pair.get("paragraph") or "")
    counted = ", ".join(f"{name}: {flips.get(name)}" for name in ("gained", "lost", "unchanged"))
    if flips:
        yield f"Tasks {counted}; {flips.get('note')}."
    if moves := pair.get("moves"):
        told = f"Tasks with a higher mean score: {moves['up']}, lower: {moves['down']}, the same: {moves['unchanged']}"
        yield f"{told}; {moves['note']}."
    yield from pair.get("settle") or ()


def _of_check(table: Table, cell: Cell, pair: Json) -> Iterator[Claim]:
    own = [check for check in pair["checks"] if cell.row.cells[0].plain().startswith(_label(check))]
    side = {3: "a", 4: "b"}.get(next((n for n, said in enumerate(cell.row.cells) if said is cell.said), 0))
    if cell.heading == "check":
        texts = [text for check in pair["checks"] for text in _told(check)]
        yield from restated(cell.said.text, cell.figures, texts, "the check")
    elif side is not None and len(table.header) > 4:
        sources = [f"`x`, {check[f'source_{side}']}" for check in own if check.get(f"source_{side}")]
        yield from restated(cell.said.text, cell.figures, sources, f"the source, {cell.name}")


def _label(check: Json) -> str:
    return str(check.get("label") or check["id"])


def _told(check: Json) -> Iterator[str]:
    label, note = _label(check), str(check.get("note") or "")
    yield from (label, note, f"{label}: {note}")


def _of_tool(cell: Cell, pair: Json) -> Iterator[Claim]:
    agents = (pair.get("gym_compare") or {}).get("agents") or []
    rows = [row for agent in agents for row in agent["metrics"] if row["metric"] == cell.name]
    if cell.heading in _TOOL and cell.lone is not None:
        yield from _claim(cell.lone, [row[_TOOL[cell.heading]] for row in rows], f"{cell.heading}, {cell.name}")
    elif cell.heading.startswith("welch"):
        for figure, end in zip(cell.figures.values(), ("delta_ci_low", "delta_ci_high"), strict=False):
            yield from _claim(figure, [row.get(end) for row in rows], f"{end}, {cell.name}")


def _claim(figure: Figure, values: list[float | None], what: str) -> Iterator[Claim]:
    scale = 100 if figure.unit in ("%", "points") else 1
    yield from claim(figure, [Option(scale * value, what) for value in values if value is not None])
