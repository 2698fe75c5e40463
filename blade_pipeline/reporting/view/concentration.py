"""Where failures concentrate: slices of the tasks in which a failure mode stands out."""

from collections.abc import Iterator

from blade_pipeline.method.concentrations import ANY, stands_out
from blade_pipeline.reporting.blocks import Block, Heading, Paragraph, cells, code, foreign, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, probability, ratio
from blade_pipeline.reporting.view.evidence import Evidence

SHOWN = 12
"""Rows of the table; further ones are counted."""


def concentration(evidence: Evidence, document: Json) -> Iterator[Block]:
    """A row per failure and slice beyond chance, the clearest first; nothing where no slice stands out."""
    found = [row for row in document.get("slices") or [] if stands_out(row)]
    if not found:
        return
    yield Heading(say("Where failures concentrate"))
    rows = [
        cells(
            say("any failure") if row["mode"] == ANY else code(row["mode"]),
            say(code(row["field"]), " = ", foreign(row["value"])),
            ratio(row["with"], row["tasks"]),
            ratio(row["rest_with"], row["rest_tasks"]),
            probability(row["q"], "q"),
        )
        for row in found[:SHOWN]
    ]
    columns = "Failure | Slice | Tasks in it that show it | Tasks elsewhere that show it | Beyond chance"
    caption = "Slices in which a failure stands out, over measured tasks"
    yield table(caption, columns, rows, numeric="Tasks in it that show it | Tasks elsewhere that show it")
    rest = f" {count(len(found) - SHOWN)} further rows stand out." if len(found) > SHOWN else ""
    tests = "Fisher's exact test per failure and slice, corrected over all tests of the run (Benjamini-Hochberg)."
    yield Paragraph(say(tests, rest, evidence.cite("slice")), "quiet")
