"""A cell of a table with what names it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from blade_pipeline.method.verification.figures import Figure, figures_of
from blade_pipeline.method.verification.markdown import Row, Said, Table

_TOTAL = re.compile(r"^(?:sum|total|totals|overall)$", re.I)
_SENTENCE = 6


class Cell(NamedTuple):
    """A cell: the name of its row, the heading of its column, its figures by place, and what else the row holds."""

    name: str
    heading: str
    said: Said
    figures: Mapping[int, Figure]
    table: Table
    row: Row

    @property
    def lone(self) -> Figure | None:
        """The figure of a cell that holds one and little else."""
        figures = list(self.figures.values())
        return figures[0] if len(figures) == 1 else None

    def beside(self, heading: str) -> str:
        """The words of the row's cell under another heading; none where the table has no such column."""
        place = next((n for n, title in enumerate(self.table.header) if title.lower() == heading), len(self.row.cells))
        return self.row.cells[place].plain() if place < len(self.row.cells) else ""


def cell_of(table: Table, row: Row, column: int) -> Cell:
    """A cell with what names it."""
    said = row.cells[column]
    heading = table.header[column].lower() if column < len(table.header) else ""
    figures = {figure.start: figure for figure in figures_of(said.text)}
    return Cell(_name(row.cells[0]), heading, said, figures, table, row)


def is_sentence(said: Said) -> bool:
    """Whether a cell holds as many words as a sentence."""
    return len(said.text.split()) >= _SENTENCE


def is_total(table: Table, row: int) -> bool:
    """Whether a row sums up those above it; one named in code is of something that is called so."""
    return bool(_TOTAL.match(table.rows[row].cells[0].text))


def _name(cell: Said) -> str:
    """The name of a row: its one code span, or ``field = value``, or the words."""
    if len(cell.spans) == 2 and re.fullmatch(r"⟦0⟧ = ⟦1⟧", cell.text):
        return f"{cell.spans[0]} = {cell.spans[1]}"
    if cell.spans and cell.text.startswith("⟦0⟧"):
        return cell.spans[0]
    return re.sub(r"\s+", " ", cell.plain())
