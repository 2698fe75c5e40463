"""Which failure modes became more or less frequent between two runs."""

from collections.abc import Iterator

from blade_pipeline.method.comparison.moved_modes import named
from blade_pipeline.reporting.blocks import Block, Paragraph, Row, Text, cells, code, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, plural, points, probability

SHOWN = 12


def moved_modes(found: Json) -> Iterator[Block]:
    """Failed rollouts by mode in a run and its baseline, on the tasks in common; nothing where none failed."""
    if not found["rows"]:
        return
    if found["sentence"]:
        yield Paragraph(quoted(found["sentence"], 1000))
    caption = f"Failed rollouts by mode, on {plural(found['tasks'], 'common task')}"
    rows = [_row(row) for row in found["rows"][:SHOWN]]
    total = Row(cells("all failures", *(_part(found[side]) for side in "ab"), points(found["change"]), "-"))
    yield table(caption, "Mode | First run | Second run | Change | p, Holm", [*rows, total], "Change")
    left = len(found["rows"]) - SHOWN
    if left > 0:
        yield Paragraph(say(f"{plural(left, 'further mode')} moved less."))
    open_modes = [row for row in found["rows"] if row["reason"]]
    if open_modes:
        names = ", ".join(row["code"] for row in open_modes[:SHOWN])
        yield Paragraph(say("No p for ", quoted(names), ": ", quoted(open_modes[0]["reason"]), "."), "quiet")


def _row(row: Json) -> Row:
    p: Text | str = "none" if row["holm_p"] is None else probability(row["holm_p"])
    sides = (_part(row[side]) for side in "ab")
    label = say(": ", quoted(row["label"])) if named(row) != row["code"] else ()
    return Row(cells(say(code(row["code"]), label), *sides, points(row["change"]), p))


def _part(side: Json) -> str:
    return f"{count(side['count'])} of {count(side['measured'])}"
