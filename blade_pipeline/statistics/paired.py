"""Difference of two runs for new tasks: the tasks they share are the sample."""

import math

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, mean, paired
from blade_pipeline.statistics._distributions import t_quantile, t_two_sided_p
from blade_pipeline.statistics.interval import Difference, Interval, clipped_to_possible
from blade_pipeline.statistics.score_interval import FEW_FAMILIES, ROUNDING, Clusters, cluster_se

METHOD = "paired t over tasks"


def paired_difference(
    a_means: Values,
    b_means: Values,
    *,
    level: float = 0.95,
    clusters: Clusters | None = None,
    proportion: bool = True,
    width: float = 1.0,
) -> Difference:
    """Mean difference B minus A over common tasks, with an interval and a t test for new tasks of the same kind.

    d_i = B_i - A_i; standard error sd(d)/sqrt(n), or clustered by family; t with n-1 degrees of freedom (Miller
    2024, "Adding Error Bars to Evals", section 4). The spread of d holds the sampling noise of both runs, so nothing
    is added for it.

    Args:
        a_means: run A's mean score of each common task, shape (tasks,).
        b_means: run B's, in the same order. Tasks that are NaN on either side are left out.
        level: nominal coverage.
        clusters: family of each task, shape (tasks,).
        proportion: scores lie in a known range, so a difference lies in [-width, width].
        width: highest minus lowest possible score.

    Returns:
        A difference with question ``new_tasks``; ends, ``se`` and p null with the reason for fewer than two tasks.
        When every task differs by the same amount c, ``se`` is 0 with a note, p is the sign test's, and the ends
        come from the Clopper-Pearson bound u = 1 - (alpha/2)^(1/n) on the share of tasks that might differ
        otherwise: [c - u(w+c), c + u(w-c)] for scores in a range of width w. Equal results on a few
        tasks are not certainty about new ones.
    """
    a, b = paired(a_means, b_means)
    kept = np.isfinite(a) & np.isfinite(b)
    d = b[kept] - a[kept]
    names = None if clusters is None else [c for c, keep in zip(clusters, kept.tolist(), strict=True) if keep]
    if not d.size:
        return _unknown(None, level, 0, "no task was measured in both runs")
    estimate, bounded = mean(d), proportion and bool(np.all(np.abs(d) <= width))
    se, groups = cluster_se(d, names)
    if math.isnan(se):
        return _unknown(estimate, level, groups, "one common task or family has no spread")
    if se <= ROUNDING * max(1.0, abs(estimate)):
        return _constant(estimate, level, groups, width if bounded else None)
    half = t_quantile(groups - 1, 0.5 + level / 2) * se
    note = f"only {groups} families" if names is not None and groups < FEW_FAMILIES else None
    method = METHOD if names is None else "paired t, clustered by families"
    interval = Interval(
        estimate, se, estimate - half, estimate + half, level, method, "new_tasks", float(groups - 1), groups, note=note
    )
    if bounded:
        interval = clipped_to_possible(interval, width)
    return Difference(interval, estimate / se, t_two_sided_p(groups - 1, estimate / se))


def constant_ends(value: float, n: int, tail: float, width: float) -> tuple[float, float]:
    """Ends for the mean of values in [-width, width] of which ``n`` equalled ``value``, each end at level ``tail``."""
    others = 1.0 - tail ** (1.0 / n)
    return value - others * (width + value), value + others * (width - value)


def differences(a_means: Values, b_means: Values) -> FloatArray:
    """B minus A on the tasks that both measured."""
    a, b = paired(a_means, b_means)
    kept = np.isfinite(a) & np.isfinite(b)
    return np.asarray(b[kept] - a[kept])


def _constant(estimate: float, level: float, n: int, width: float | None) -> Difference:
    note = f"all {n} units differ by the same amount, which is not certainty"
    p = 1.0 if estimate == 0.0 else min(1.0, 2.0 * 0.5**n)
    if width is None:
        reason = "equal differences of a score without declared range leave the interval open"
        interval = Interval(estimate, 0.0, None, None, level, "none", "new_tasks", None, n, reason=reason, note=note)
        return Difference(interval, None, p)
    low, high = constant_ends(estimate, n, (1 - level) / 2, width)
    method = "Clopper-Pearson on the share of tasks that differ otherwise"
    return Difference(Interval(estimate, 0.0, low, high, level, method, "new_tasks", None, n, note=note), None, p)


def _unknown(estimate: float | None, level: float, n: int, reason: str) -> Difference:
    return Difference(
        Interval(estimate, None, None, None, level, "none", "new_tasks", None, n, reason=reason), None, None
    )
