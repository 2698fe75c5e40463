"""Interval of one run's score on these very tasks: only the repeats would fall differently."""

import math
from typing import NamedTuple

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, mean, paired, total
from blade_pipeline.statistics._distributions import t_quantile
from blade_pipeline.statistics.interval import Interval

ONE_REPEAT = "no task has two measured repeats, so the spread between repeats is unknown"


class StratumSum(NamedTuple):
    """Sum over tasks of the variance of the task's mean, and what its Satterthwaite df needs.

    Attributes:
        value: sum of s_i^2/K_i.
        spread: sum of (weight_i s_i^2)^2/(K_i - 1).
        pooled: tasks with one repeat, which were given the mean within-task variance of the others.
    """

    value: float
    spread: float
    pooled: int

    @property
    def df(self) -> float:
        """Satterthwaite degrees of freedom (1946); NaN when the variance is 0."""
        return self.value**2 / self.spread if self.spread > 0 else math.nan


def stratum_sum(variances: FloatArray, repeats: FloatArray) -> StratumSum | None:
    """Add up the tasks' variances of their means; null when no task has two repeats.

    A task with one repeat has no variance of its own; it gets the unweighted mean of the others', as if it were
    one more of their kind.
    """
    several = repeats >= 2
    if not several.any():
        return None
    single = int(np.sum(~several))
    weight = 1.0 / repeats[several] + single / int(several.sum())
    parts = weight * variances[several]
    return StratumSum(total(parts), total(parts**2 / (repeats[several] - 1)), single)


def within_task_interval(
    means: Values, variances: Values, n_repeats: Values | int, *, level: float = 0.95, proportion: bool = True
) -> Interval:
    """Mean over tasks with an interval for a re-run of the same system on the same tasks.

    Stratified standard error sqrt(sum_i s_i^2/K_i)/n with Satterthwaite's degrees of freedom (1946).

    Args:
        means: mean score of each task, shape (tasks,); tasks without a measured repeat (NaN, or 0 repeats) are left
            out.
        variances: variance over repeats (ddof 1) of each task; ignored (NaN allowed) where a task has one repeat.
        n_repeats: measured repeats of each task, or one number for all.
        level: nominal coverage.
        proportion: cut the interval to [0, 1] when all means lie there.

    Returns:
        An interval with question ``these_tasks``; ends and ``se`` null with the reason when no task has two
        repeats. Tasks with one repeat get the mean variance of the others, with a note. All repeats equal: ``se`` 0
        with a note.
    """
    mean_of, variance_of, repeats = paired(means, variances, n_repeats)
    kept = np.isfinite(mean_of) & (repeats >= 1)
    mean_of, variance_of, repeats = mean_of[kept], variance_of[kept], repeats[kept]
    n = mean_of.size
    if not n:
        return _unknown(None, level, 0, "no task has a measured rollout")
    estimate = mean(mean_of)
    summed = stratum_sum(variance_of, repeats)
    if summed is None:
        return _unknown(estimate, level, n, ONE_REPEAT)
    se = math.sqrt(summed.value) / n
    if se == 0.0:
        return Interval(
            estimate, 0.0, estimate, estimate, level, "stratified within tasks", "these_tasks", None, n,
            note="no repeat of any task differed from another",
        )  # fmt: skip
    half = t_quantile(summed.df, 0.5 + level / 2) * se
    low, high = estimate - half, estimate + half
    if proportion and bool(np.all((mean_of >= 0) & (mean_of <= 1))):
        low, high = max(0.0, low), min(1.0, high)
    note = pooled_note(summed.pooled)
    return Interval(estimate, se, low, high, level, "stratified within tasks", "these_tasks", summed.df, n, note=note)


def pooled_note(single: int) -> str | None:
    """Say how many tasks borrowed their variance; null when none did."""
    return f"{single} task(s) with one repeat were given the mean variance of the others" if single else None


def _unknown(estimate: float | None, level: float, n: int, reason: str) -> Interval:
    return Interval(estimate, None, None, None, level, "none", "these_tasks", None, n, reason=reason)
