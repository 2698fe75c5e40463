"""The numbers of two runs on their paired tasks, as arrays in one order."""

from dataclasses import dataclass, fields, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from blade_pipeline.method.arrays import Counts, Floats, binary_variance, counts, floats, is_binary, ratio
from blade_pipeline.method.comparison.pairing import Pairing
from blade_pipeline.method.comparison.side import Side

Chosen = NDArray[np.bool_]
Names = NDArray[np.str_]
Scale = tuple[float, float]
UNIT: Scale = (0.0, 1.0)


@dataclass(frozen=True)
class Values:
    """One run's paired tasks; every array has one entry per paired task.

    ``mean`` and ``variance`` (ddof 1) are NaN where nothing, or a single repeat, is measured. ``family`` names the
    tasks that share a source; a task without one is its own.
    """

    task: Names
    family: Names
    mean: Floats
    variance: Floats
    measured: Counts
    total: Floats
    unknown: Counts
    failed: Counts
    unscored: Counts
    masked: Counts
    planned: Counts
    passed: Counts

    @property
    def missing(self) -> Counts:
        """Planned repeats that left no trace."""
        return self.unknown - self.masked - self.failed - self.unscored

    @property
    def families(self) -> list[str] | None:
        """The family of each task; None when no two tasks share one."""
        return self.family.tolist() if np.unique(self.family).size < self.family.size else None

    def only(self, chosen: Chosen) -> "Values":
        """The same numbers on some of the tasks."""
        return Values(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def on_unit(self, scale: Scale) -> "Values":
        """The same numbers with the scores as shares of their range."""
        low, width = scale[0], scale[1] - scale[0]
        return replace(self, mean=(self.mean - low) / width, total=(self.total - low * self.measured) / width)

    def extremes(self) -> tuple[Floats, Floats]:
        """Worst and best mean per task over every completion of the unknown repeats; NaN where none is planned."""
        return ratio(self.total, self.planned), ratio(self.total + self.unknown, self.planned)


def metric_name(a: Side, b: Side) -> str:
    """``pass@1`` when every measured score of both runs is 0 or 1, else ``mean score``."""
    scores = (side.aligned["score"] for side in (a, b))
    return "pass@1" if all(is_binary(score) is not False for score in scores) else "mean score"


def paired_values(a: Side, b: Side, pairing: Pairing, metric: str) -> tuple[Values, Values]:
    """The values of both runs on the paired tasks, sorted by content so that no file order can matter."""
    order = content_order(a.per_task, pairing.a)
    rows_a, rows_b = ([rows[position] for position in order] for rows in (pairing.a, pairing.b))
    family = _families(a, rows_a, b, rows_b)
    return _values(a, rows_a, metric, family), _values(b, rows_b, metric, family)


def both_measured(a: Values, b: Values) -> Chosen:
    """The paired tasks on which both runs have at least one measured repeat."""
    return (a.measured > 0) & (b.measured > 0)


def content_order(table: pa.Table, rows: list[int]) -> list[int]:
    """Positions of the rows of a task table by content, then stage and task."""
    chosen = table.select(["pair_digest", "stage", "task"]).take(pa.array(rows, pa.int64()))
    digests, stages, tasks = (chosen[name].to_pylist() for name in chosen.column_names)
    return sorted(range(len(rows)), key=lambda row: (digests[row] or "", stages[row], tasks[row]))


def _families(a: Side, rows_a: list[int], b: Side, rows_b: list[int]) -> Names:
    """The family of each paired task, from whichever run knows it."""
    first, second = (
        side.per_task_with_outcomes.take(pa.array(rows, pa.int64())) for side, rows in ((a, rows_a), (b, rows_b))
    )
    return np.array(pc.coalesce(first["family"], second["family"], first["unit"]).to_pylist(), dtype=np.str_)


def _values(side: Side, rows: list[int], metric: str, family: Names) -> Values:
    joined = side.per_task_with_outcomes.take(pa.array(rows, pa.int64()))
    measured, passed = counts(joined["measured"]), counts(joined["passed"])
    total = passed.astype(np.float64) if metric == "pass@1" else np.nan_to_num(floats(joined["score_sum"]))
    unknown = np.maximum(counts(joined["unknown"]), counts(joined["planned"]) - measured)
    task = np.array(joined["task"].to_pylist(), dtype=np.str_)
    return Values(
        task=task,
        family=family,
        mean=ratio(total, measured),
        variance=binary_variance(measured, passed) if metric == "pass@1" else floats(joined["score_variance"]),
        measured=measured,
        total=total,
        unknown=unknown,
        failed=counts(joined["failed"]),
        unscored=counts(joined["unscored"]),
        masked=counts(joined["masked"]),
        planned=measured + unknown,
        passed=passed,
    )
