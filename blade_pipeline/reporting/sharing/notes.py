"""Reproducibility Notes of a shareable report: how it was made, its facts, and what was taken out."""

from collections.abc import Iterator, Sequence

from blade_pipeline.reporting.blocks import Block, Heading, Paragraph, cells, say, table
from blade_pipeline.reporting.numbers import count
from blade_pipeline.reporting.sharing.shared import Shared

_RULE = (
    "This edition holds numbers, words of the method and names that its owners let out. Texts of rollouts, files, "
    "paths, commands and settings never enter it. Tasks stand under keyed pseudonyms that are the same in every "
    "report of the benchmark."
)


def notes(shared: Shared, taken: Sequence[tuple[str, str, int]]) -> Iterator[Block]:
    """How the edition was made, the facts it cites, and the list of what was taken out."""
    yield Paragraph(say(_RULE))
    if shared.facts:
        rows = [cells(fact["id"], fact["fact"], fact["difficulty"]) for fact in shared.facts]
        yield table("Facts", "Id | Fact | Hard to guess", rows)
    yield Heading(say("What was taken out"))
    yield from taken_blocks(taken)


def taken_blocks(taken: Sequence[tuple[str, str, int]]) -> Iterator[Block]:
    """The redaction list: kind, count and place, never a value or its length."""
    rows = [cells(section, kind, count(number)) for section, kind, number in taken]
    if rows:
        yield table("Taken out or replaced", "Section | Kind | Places", rows, numeric="Places")
    else:
        yield Paragraph(say("Nothing had to be taken out or replaced."))
