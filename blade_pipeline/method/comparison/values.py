"""The numbers of two runs on their paired tasks, as arrays in one order."""

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.method.arrays import Counts, Floats, binary_variance, ratio
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

    @cached_property
    def families(self) -> list[str] | None:
        """The family of each task; None when no two tasks share one."""
        return self.family.tolist() if np.unique(self.family).size < self.family.size else None

    def only(self, chosen: Chosen) -> "Values":
        """The same numbers on some of the tasks."""
        return self if chosen.all() else Values(*(getattr(self, name)[chosen] for name in _FIELDS))

    def by_family(self, gap: Floats) -> Floats:
        """Differences of the tasks, summed within families: their signs are exchanged as one."""
        if self.families is None:
            return gap
        names, member = np.unique(self.family, return_inverse=True)
        return np.asarray(np.bincount(member.reshape(-1), weights=gap, minlength=names.size))

    def on_unit(self, scale: Scale) -> "Values":
        """The same numbers with the scores as shares of their range."""
        low, width = scale[0], scale[1] - scale[0]
        return replace(self, mean=(self.mean - low) / width, total=(self.total - low * self.measured) / width)

    def extremes(self) -> tuple[Floats, Floats]:
        """Worst and best mean per task over every completion of the unknown repeats; NaN where none is planned."""
        return ratio(self.total, self.planned), ratio(self.total + self.unknown, self.planned)


_FIELDS = [field.name for field in fields(Values)]


def extent(scale: Scale | None) -> tuple[bool, float, float]:
    """Whether the range of the scores is known, its lowest score (else 0) and its width (else 1)."""
    low, high = scale or UNIT
    return scale is not None, low, high - low


def metric_name(a: Side, b: Side) -> str:
    """``pass@1`` when every measured score of both runs is 0 or 1, else ``mean score``."""
    return "pass@1" if all(side.is_binary is not False for side in (a, b)) else "mean score"


def paired_values(a: Side, b: Side, pairing: Pairing, metric: str) -> tuple[Values, Values]:
    """The values of both runs on the paired tasks, sorted by content so that no file order can matter.

    The family of a task is the one that either run knows.
    """
    order = content_order(a, pairing.a)
    rows_a, rows_b = ([rows[position] for position in order] for rows in (pairing.a, pairing.b))
    family = _families(a, rows_a, b, rows_b)
    return _values(a, rows_a, metric, family), _values(b, rows_b, metric, family)


def both_measured(a: Values, b: Values) -> Chosen:
    """The paired tasks on which both runs have at least one measured repeat."""
    return (a.measured > 0) & (b.measured > 0)


def content_order(side: Side, rows: list[int]) -> list[int]:
    """Positions of some rows of a run's task table by content, then stage and task."""
    return sorted(range(len(rows)), key=lambda position: side.content_keys[rows[position]])


def _families(a: Side, rows_a: list[int], b: Side, rows_b: list[int]) -> Names:
    known = a.task_columns["family"][rows_a], b.task_columns["family"][rows_b], a.task_columns["unit"][rows_a]
    names = [next(name for name in names if name is not None) for names in zip(*known, strict=True)]
    return np.array(names, dtype=np.str_)


def _values(side: Side, rows: list[int], metric: str, family: Names) -> Values:
    column = {name: values[rows] for name, values in side.task_columns.items()}
    measured, passed = column["measured"], column["passed"]
    total = passed.astype(np.float64) if metric == "pass@1" else np.nan_to_num(column["score_sum"])
    unknown = np.maximum(column["unknown"], column["planned"] - measured)
    return Values(
        task=column["task"].astype(np.str_),
        family=family,
        mean=ratio(total, measured),
        variance=binary_variance(measured, passed) if metric == "pass@1" else column["score_variance"],
        measured=measured,
        total=total,
        unknown=unknown,
        failed=column["failed"],
        unscored=column["unscored"],
        masked=column["masked"],
        planned=measured + unknown,
        passed=passed,
    )
