"""Interval of one run's score on these very tasks: only the repeats would fall differently."""

import math
from typing import NamedTuple

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, mean, paired, total
from blade_pipeline.statistics._distributions import satterthwaite, t_quantile
from blade_pipeline.statistics.interval import Interval

UNSEEN = "Clopper-Pearson on the share of rollouts that differ otherwise"
ONE_REPEAT = "no task has two measured repeats, so the spread between repeats is unknown"


class StratumSum(NamedTuple):
    """Sum over tasks of the variance of the task's mean, and what its Satterthwaite df needs.

    Attributes:
        value: sum of s_i^2/K_i.
        parts: the terms of that sum, shape (tasks with two repeats or more,).
        dfs: K_i - 1 of each term.
        pooled: tasks with one repeat, which were given the mean within-task variance of the others.
        rollouts: tasks with two repeats or more, times the fewest repeats among them.
    """

    value: float
    parts: FloatArray
    dfs: FloatArray
    pooled: int
    rollouts: int

    @property
    def df(self) -> float:
        """Satterthwaite degrees of freedom (1946); NaN when the variance is 0."""
        return satterthwaite(self.parts, self.dfs)


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
    rollouts = int(several.sum()) * int(repeats[several].min())
    return StratumSum(total(parts), parts, repeats[several] - 1, single, rollouts)


def unseen_share(rollouts: int, tail: float) -> float:
    """Largest share of rollouts that could differ from their task's usual outcome when none of ``rollouts`` did.

    Clopper-Pearson at 0: 1 - tail^(1/rollouts). Tasks that differ in this share only make "none" less likely.
    """
    return float(1.0 - tail ** (1.0 / rollouts))


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
        proportion: the score lies in [0, 1]: the interval is cut to it. Values outside switch this off.

    Returns:
        An interval with question ``these_tasks``; ends and ``se`` null with the reason when no task has two
        repeats. Tasks with one repeat get the mean variance of the others, with a note. No repeat differs from its
        task's others: ``se`` 0 with a note, and the ends of the exact bound on the share of rollouts that might have
        (null for scores without range).
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
    bounded = proportion and bool(np.all((mean_of >= 0) & (mean_of <= 1)))
    if se == 0.0:
        return _degenerate(estimate, level, n, summed.rollouts, bounded)
    half = t_quantile(summed.df, 0.5 + level / 2) * se
    low, high = estimate - half, estimate + half
    if bounded:
        low, high = max(0.0, low), min(1.0, high)
    note = pooled_note(summed.pooled)
    return Interval(estimate, se, low, high, level, "stratified within tasks", "these_tasks", summed.df, n, note=note)


def pooled_note(single: int) -> str | None:
    """Say how many tasks borrowed their variance; null when none did."""
    return f"{single} task(s) with one repeat were given the mean variance of the others" if single else None


def _unknown(estimate: float | None, level: float, n: int, reason: str) -> Interval:
    return Interval(estimate, None, None, None, level, "none", "these_tasks", None, n, reason=reason)


def _degenerate(estimate: float, level: float, n: int, rollouts: int, bounded: bool) -> Interval:
    note = "no repeat of any task differed from another, which is not certainty"
    if not bounded:
        reason = "equal repeats of a score without declared range leave the interval open"
        return Interval(estimate, 0.0, None, None, level, "none", "these_tasks", None, n, reason=reason, note=note)
    share = unseen_share(rollouts, (1 - level) / 2)
    low, high = max(0.0, estimate - share), min(1.0, estimate + share)
    return Interval(estimate, 0.0, low, high, level, UNSEEN, "these_tasks", None, n, note=note)
