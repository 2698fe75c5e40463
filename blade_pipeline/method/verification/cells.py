"""What the cells of a table claim, from the name of the row and the heading of the column."""

from blade_pipeline.method.verification.cell import Cell, is_sentence, is_total
from blade_pipeline.method.verification.claims import Claim
from blade_pipeline.method.verification.prose import prose_claims
from blade_pipeline.method.verification.ratios import arithmetic, ratios
from blade_pipeline.method.verification.readers import holds_native, reader_of, total_reader_of
from blade_pipeline.method.verification.sentences import Sentence, is_native
from blade_pipeline.method.verification.subjects import Subjects

_NUMBERED = ("k", "repeat")
"""Headings of first columns that hold numbers of the run's own."""


def cell_claims(cell: Cell, row: int, column: int, subjects: Subjects, *, firm: bool, clear: bool) -> list[Claim]:
    """The claims of a cell in a row and a column of its table.

    Not ``firm`` are those about others, save the arithmetic of a ratio and a native number under its own name, and
    those of a sentence that is not ``clear``.
    """
    table, words, figures = cell.table, cell.said, cell.figures
    if is_sentence(words):
        found = prose_claims(Sentence(words, figures, firm and clear), subjects)
    else:
        found = [made for ratio in ratios(cell.said.text, figures) for made in arithmetic(ratio)]
    reader = total_reader_of(table) if is_total(table, row) else reader_of(table)
    if reader is not None and (column > 0 or cell.heading in _NUMBERED):
        claims = list(reader(cell, subjects))
        own = firm or (is_native(table.path) and holds_native(table))
        found += claims if own else [Claim(made.figure, made.options, firm=False) for made in claims]
    return found
