"""What rollouts do otherwise than in the baseline: the modes in which they fail, and the tools that they call."""

from collections.abc import Iterator, Sequence

from blade_pipeline.reporting.blocks import Block, Paragraph, Row, Text, cells, code, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, plural, points, probability

SHOWN = 12


def moved_modes(found: Json) -> Iterator[Block]:
    """Failed rollouts by mode in a run and its baseline, on the tasks in common; nothing where none failed."""
    rows = found.get("rows") or []
    if not rows:
        return
    caption = f"Failed rollouts by mode, on {plural(found['tasks'], 'common task')}"
    total = Row(cells("all failures", *_parts(found), points(found["change"]), "-"))
    yield from _moved(found, "mode", caption, [_row(_mode(row), row) for row in rows[:SHOWN]], [total])
    untested = [row for row in rows if row["reason"]]
    if untested:
        names = ", ".join(row["code"] for row in untested[:SHOWN])
        yield Paragraph(say("No p for ", quoted(names), ": ", quoted(untested[0]["reason"]), "."), "quiet")


def moved_tools(found: Json) -> Iterator[Block]:
    """Rollouts that call each tool in a run and its baseline; nothing where none is called."""
    rows = found.get("rows") or []
    if rows:
        tasks = plural(found["tasks"], "common task")
        caption = f"Rollouts that call a tool, on {tasks}, without those that an outage or a limit ended"
        yield from _moved(found, "tool", caption, [_row(say(code(row["tool"])), row) for row in rows[:SHOWN]], [])


def _moved(found: Json, noun: str, caption: str, rows: Sequence[Row], total: Sequence[Row]) -> Iterator[Block]:
    if found["sentence"]:
        yield Paragraph(quoted(found["sentence"], 1000))
    columns = f"{noun.title()} | First run | Second run | Change | p, Holm"
    yield table(caption, columns, [*rows, *total], "Change")
    left = len(found["rows"]) - SHOWN
    if left > 0:
        yield Paragraph(say(f"{plural(left, f'further {noun}')} moved less."))


def _mode(row: Json) -> Text:
    says_more = row["label"] != row["code"].replace("_", " ")
    return say(code(row["code"]), say(": ", quoted(row["label"])) if says_more else ())


def _row(name: Text, row: Json) -> Row:
    p = "none" if row["holm_p"] is None else probability(row["holm_p"])
    return Row(cells(name, *_parts(row), points(row["change"]), p))


def _parts(row: Json) -> list[str]:
    return [f"{count(row[side]['count'])} of {count(row[side]['measured'])}" for side in "ab"]
