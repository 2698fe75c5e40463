"""The runs of a benchmark in the order of time: pass@1 with its interval, coverage and mask rate."""

from collections.abc import Iterator, Sequence

from blade_pipeline.reporting.blocks import Block, Cell, Figure, Paragraph, absent, cells, code, say, table
from blade_pipeline.reporting.figures import trend
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import percent, plural, share_range
from blade_pipeline.reporting.view.summary import model_of

SHOWN_RUNS = 60
_SERIES = {"pass_at_1": "pass@1", "coverage": "coverage", "mask_rate": "mask rate"}


def in_time(rows: Sequence[Json]) -> list[Json]:
    """The runs that carry a time, the oldest first."""
    return sorted((row for row in rows if row.get("started")), key=lambda row: (row["started"], row["run"]))


def trend_blocks(rows: Sequence[Json]) -> Iterator[Block]:
    """What the order goes by, a chart and a table of the newest runs."""
    timed = in_time(rows)
    if len(timed) < 2:
        yield absent("a trend. Fewer than two runs carry a time in their rows.")
        return
    yield Paragraph(say(_order(len(rows) - len(timed), len(rows))))
    shown = list(enumerate(timed, 1))[-SHOWN_RUNS:]
    points = [
        (number, name, row[key], row.get("low"), row.get("high"))
        for key, name in _SERIES.items()
        for number, row in shown
        if row.get(key) is not None
    ]
    alternative = "; ".join(f"{number}: {percent(row.get('pass_at_1'))}" for number, row in shown)
    yield Figure(trend(points), "pass@1 with its interval for new tasks, coverage and mask rate, by run", alternative)
    caption = f"Runs in order of time, {len(shown)} of {plural(len(timed), 'run')}"
    numeric = "No. | pass@1 | Interval at 95%, new tasks | Coverage | Mask rate"
    columns = "Run | No. | Started (UTC) | Model | pass@1 | Interval at 95%, new tasks | Coverage | Mask rate"
    yield table(caption, columns, [_row(number, row) for number, row in shown], numeric)


def _order(without: int, total: int) -> str:
    told = "The order is that of the earliest time in each run's own rows, oldest first. "
    if without:
        verb = "carries none and is" if without == 1 else "carry none and are"
        told += f"{without} of {plural(total, 'run')} {verb} left out. "
    return told + "Settings may differ from run to run: the pairs below say which runs may be compared."


def _row(number: int, row: Json) -> tuple[Cell, ...]:
    return cells(
        code(row["run"]), str(number), code(_minute(row["started"])), say(model_of(row)),
        percent(row.get("pass_at_1")), share_range(row.get("low"), row.get("high")),
        percent(row.get("coverage")), percent(row.get("mask_rate")),
    )  # fmt: skip


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")
