"""Difference of two runs on these very tasks: only the repeats would fall differently."""

import math

import numpy as np

from blade_pipeline.statistics._arrays import Values, mean, paired
from blade_pipeline.statistics._distributions import satterthwaite, t_quantile, t_two_sided_p
from blade_pipeline.statistics.interval import Difference, Interval, clipped_to_possible
from blade_pipeline.statistics.within_task import UNSEEN, pooled_note, stratum_sum, unseen_share

METHOD = "stratified within tasks"


def stratified_difference(
    a_means: Values,
    a_vars: Values,
    a_k: Values | int,
    b_means: Values,
    b_vars: Values,
    b_k: Values | int,
    *,
    level: float = 0.95,
    proportion: bool = True,
    lowest: float = 0.0,
    width: float = 1.0,
) -> Difference:
    """Mean difference B minus A over common tasks, with an interval and a test for a re-run on the same tasks.

    Standard error sqrt(sum_i s_Ai^2/K_Ai + s_Bi^2/K_Bi)/n, Satterthwaite's degrees of freedom (1946). It estimates
    the same variance as Welch over repeat means, with far more degrees of freedom.

    Args:
        a_means: run A's mean score of each common task, shape (tasks,).
        a_vars: its variance over repeats (ddof 1); ignored where the task has one repeat.
        a_k: its measured repeats.
        b_means: run B's mean scores, in the same order.
        b_vars: run B's variances.
        b_k: run B's repeats.
        level: nominal coverage.
        proportion: scores lie in [lowest, lowest + width].
        lowest: lowest possible score.
        width: highest minus lowest possible score.

    Returns:
        A difference with question ``these_tasks``; ends, ``se`` and p null with the reason when no task of one run
        has two repeats. A task with one repeat gets the mean variance of the others of its run, with a note. No
        repeat differs in either run: ``se`` 0 with a note; ends and p come from the exact bound on the share of
        rollouts that might have differed (null for scores without range).
    """
    a, va, ka, b, vb, kb = paired(a_means, a_vars, a_k, b_means, b_vars, b_k)
    kept = np.isfinite(a) & np.isfinite(b) & (ka >= 1) & (kb >= 1)
    a, va, ka, b, vb, kb = (part[kept] for part in (a, va, ka, b, vb, kb))
    n = a.size
    if not n:
        return _unknown(None, level, 0, "no task was measured in both runs")
    estimate = mean(b - a)
    left, right = stratum_sum(va, ka), stratum_sum(vb, kb)
    if left is None or right is None:
        return _unknown(estimate, level, n, "one of the runs has one repeat per task")
    se = math.sqrt(left.value + right.value) / n
    scores = np.concatenate([a, b])
    bounded = proportion and bool(np.all((scores >= lowest) & (scores <= lowest + width)))
    if se == 0.0:
        return _degenerate(estimate, level, n, min(left.rollouts, right.rollouts), width if bounded else None)
    df = satterthwaite(np.concatenate([left.parts, right.parts]), np.concatenate([left.dfs, right.dfs]))
    half = t_quantile(df, 0.5 + level / 2) * se
    note_or_none = pooled_note(left.pooled + right.pooled)
    interval = Interval(
        estimate, se, estimate - half, estimate + half, level, METHOD, "these_tasks", df, n, note=note_or_none
    )
    if bounded:
        interval = clipped_to_possible(interval, width)
    return Difference(interval, estimate / se, t_two_sided_p(df, estimate / se))


def _unknown(estimate: float | None, level: float, n: int, reason: str) -> Difference:
    return Difference(
        Interval(estimate, None, None, None, level, "none", "these_tasks", None, n, reason=reason), None, None
    )


def _degenerate(estimate: float, level: float, n: int, rollouts: int, width: float | None) -> Difference:
    note = "no repeat of any task differed from another in either run, which is not certainty"
    if width is None:
        reason = "equal repeats of a score without declared range leave the interval open"
        interval = Interval(estimate, 0.0, None, None, level, "none", "these_tasks", None, n, reason=reason, note=note)
        return Difference(interval, None, None)
    shares = 2.0 * width * unseen_share(2 * rollouts, (1 - level) / 2)
    low, high = max(-width, estimate - shares), min(width, estimate + shares)
    interval = Interval(estimate, 0.0, low, high, level, UNSEEN, "these_tasks", None, n, note=note)
    return Difference(interval, None, min(1.0, 2.0 * (1.0 - abs(estimate) / (2.0 * width)) ** (2 * rollouts)))
