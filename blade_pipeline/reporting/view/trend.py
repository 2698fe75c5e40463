"""The runs of a benchmark in the order of time: their score with its interval, coverage and mask rate."""

from collections.abc import Iterator, Sequence

from blade_pipeline.reporting.blocks import Block, Cell, Figure, Paragraph, absent, cells, code, say, table
from blade_pipeline.reporting.figures import trend
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import percent, plural
from blade_pipeline.reporting.view.run_scores import MEAN, PASS, RunScore, run_score
from blade_pipeline.reporting.view.summary import model_of

SHOWN_RUNS = 60
_RATES = {"coverage": "coverage", "mask_rate": "mask rate"}


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
    shown, score = list(enumerate(timed, 1))[-SHOWN_RUNS:], run_score(rows)
    points = [
        (number, name, row[key], row.get(score.low), row.get(score.high))
        for key, name in {score.key: score.name, **_RATES}.items()
        for number, row in shown
        if row.get(key) is not None and 0 <= row[key] <= 1
    ]
    alternative = "; ".join(f"{number}: {score.of(row)}" for number, row in shown)
    title = f"{score.title} with its interval for new tasks, coverage and mask rate, by run"
    yield Figure(trend(points, score.name), title, alternative)
    caption = f"Runs in order of time, {len(shown)} of {plural(len(timed), 'run')}"
    beside = " | pass@1" if score is MEAN else ""
    numbers = f"{score.title} | Interval at 95%, new tasks{beside} | Coverage | Mask rate"
    columns = f"Run | No. | Started (UTC) | Model | {numbers}"
    yield table(caption, columns, [_row(number, row, score) for number, row in shown], f"No. | {numbers}")


def _order(without: int, total: int) -> str:
    told = "The order is that of the earliest time in each run's own rows, oldest first. "
    if without:
        verb = "carries none and is" if without == 1 else "carry none and are"
        told += f"{without} of {plural(total, 'run')} {verb} left out. "
    return told + "Settings may differ from run to run: the pairs below say which runs may be compared."


def _row(number: int, row: Json, score: RunScore) -> tuple[Cell, ...]:
    return cells(
        code(row["run"]), str(number), code(_minute(row["started"])), say(model_of(row)),
        score.of(row), score.span(row), *([PASS.of(row)] if score is MEAN else []),
        percent(row.get("coverage")), percent(row.get("mask_rate")),
    )  # fmt: skip


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")
