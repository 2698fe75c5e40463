"""Every task of two runs: how often it passes in the one and in the other."""

from collections import Counter
from collections.abc import Iterator

import pyarrow as pa

from blade_pipeline.reporting.blocks import Block, Figure, cells, table
from blade_pipeline.reporting.figures import scatter
from blade_pipeline.reporting.numbers import count, plural
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.graded import is_graded

PARTS = ("never passes", "sometimes passes", "always passes")


def task_scatter(evidence: Evidence) -> Iterator[Block]:
    """The tasks that run and baseline share, as points and as a square of counts; nothing without a baseline.

    Of a run that goes by its mean score the points are mean scores, and there is no square.
    """
    paired = evidence.inputs.paired
    if paired is not None and is_graded(evidence.inputs):
        yield from _of_means(paired)
        return
    shares = _shares(paired) if paired is not None else []
    if not shares:
        return
    found = Counter(shares)
    above, below = (sum(n for (a, b), n in found.items() if sign * (b - a) > 0) for sign in (1, -1))
    words = f"{plural(len(shares), 'task')}: {count(above)} above the diagonal pass more often in this run, "
    words += f"{count(below)} below it less often, {count(found.total() - above - below)} on it equally often"
    drawing = scatter([(a, b, tasks) for (a, b), tasks in sorted(found.items())])
    yield Figure(drawing, "Each task: share of passed rollouts in the baseline and in this run", words)
    square = Counter((_part(a), _part(b)) for a, b in shares)
    rows = [cells(f"{mine} in this run", *(count(square[other, mine]) for other in PARTS)) for mine in reversed(PARTS)]
    columns = "Tasks | " + " | ".join(f"{part} in the baseline" for part in PARTS)
    yield table(f"{plural(len(shares), 'task')} measured in both runs", columns, rows, columns.removeprefix("Tasks |"))


def _of_means(paired: pa.Table) -> Iterator[Block]:
    rows = ((row["baseline_score_mean"], row["score_mean"]) for row in paired.to_pylist())
    means = [(a, b) for a, b in rows if a is not None and b is not None]
    if not means:
        return
    above, below = (sum(sign * (b - a) > 0 for a, b in means) for sign in (1, -1))
    words = f"{plural(len(means), 'task')}: {count(above)} above the diagonal score higher in this run, "
    words += f"{count(below)} below it lower, {count(len(means) - above - below)} on it the same"
    drawing = scatter([(a, b, tasks) for (a, b), tasks in sorted(Counter(means).items())], passes=False)
    yield Figure(drawing, "Each task: mean score in the baseline and in this run", words)


def _shares(paired: pa.Table) -> list[tuple[float, float]]:
    return [
        (row["baseline_passed"] / row["baseline_measured"], row["passed"] / row["measured"])
        for row in paired.to_pylist()
        if row["baseline_measured"] and row["measured"]
    ]


def _part(share: float) -> str:
    return PARTS[0] if share == 0 else PARTS[2] if share == 1 else PARTS[1]
