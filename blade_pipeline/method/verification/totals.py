"""Totals of tables that do not add up."""

from collections.abc import Collection, Iterator
from typing import Any

from blade_pipeline.method.verification.cell import is_total
from blade_pipeline.method.verification.figures import Figure, figures_of
from blade_pipeline.method.verification.markdown import Said, Table
from blade_pipeline.method.verification.ratios import ratios


def wrong_totals(table: Table, names: Collection[str]) -> Iterator[dict[str, Any]]:
    """One record per column of counts whose total row is not the sum of the rows above it.

    ``names`` are lower-case names of the data's own, such as a category ``total``: their rows are no totals.
    """
    for position in range(len(table.rows)):
        if not is_total(table, position) or position < 2 or table.rows[position].cells[0].plain().lower() in names:
            continue
        for column in range(1, len(table.rows[position].cells)):
            stated = _count(table.rows[position].cells[column])
            parts = [_count(row.cells[column]) for row in table.rows[:position] if column < len(row.cells)]
            numbers = [part for part in parts if part is not None]
            if stated is None or len(numbers) != position:
                continue
            right = sum(number.value for number in numbers)
            if right != stated.value:
                yield _record(table, position, column, stated, right)


def _record(table: Table, position: int, column: int, stated: Figure, right: float) -> dict[str, Any]:
    heading = table.header[column] if column < len(table.header) else f"column {column + 1}"
    return {"line": table.rows[position].line, "column": heading, "stated": stated.text, "right": f"{right:g}"}


def _count(cell: Said) -> Figure | None:
    """The count of a cell: its only figure when it is a whole number, or the part of its ratio."""
    figures = {figure.start: figure for figure in figures_of(cell.text)}
    ratio = next(ratios(cell.text, figures), None)
    found = ratio.part if ratio is not None else next(iter(figures.values())) if len(figures) == 1 else None
    return found if found is not None and found.unit == "" and found.decimals == 0 else None
