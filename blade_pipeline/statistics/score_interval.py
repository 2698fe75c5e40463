"""Interval of one run's score for new tasks of the same kind."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from blade_pipeline.statistics._arrays import FloatArray, Values, floats, mean
from blade_pipeline.statistics._distributions import t_quantile
from blade_pipeline.statistics.interval import Interval
from blade_pipeline.statistics.proportions import clopper_pearson, wilson_at

FEW_FAMILIES = 10
ROUNDING = 1e-12
CENTRE = (0.25, 0.75)

Clusters = NDArray[Any] | Sequence[Hashable]


def cluster_se(values: FloatArray, clusters: Clusters | None = None) -> tuple[float, int]:
    """Clustered standard error of a plain mean and the number of clusters.

    sqrt(G/(G-1) sum_g (sum of deviations in g)^2)/n (Miller 2024, "Adding Error Bars to Evals", appendix A, with
    the G/(G-1) correction). Without ``clusters`` every value is its own cluster: sd/sqrt(n).

    Returns:
        (standard error, clusters); the error is NaN for fewer than two clusters.
    """
    deviations = values - mean(values)
    if values.size and values.min() == values.max():
        deviations = np.zeros_like(values)
    sums = deviations.tolist() if clusters is None else _sums_by(deviations, clusters)
    if len(sums) < 2:
        return math.nan, len(sums)
    squares = math.fsum(s * s for s in sums)
    return math.sqrt(len(sums) / (len(sums) - 1) * squares) / values.size, len(sums)


def score_interval(
    task_means: Values, *, level: float = 0.95, clusters: Clusters | None = None, proportion: bool = True
) -> Interval:
    """Mean over tasks with an interval for new tasks of the same kind (tasks are the sample, never the rollouts).

    The standard error is clustered by task, or by family when ``clusters`` names one per task (Miller 2024), and the
    quantile is Student's with clusters - 1 degrees of freedom. A proportion gets Wilson's interval on the effective
    sample size p(1-p)/SE^2 (Korn and Graubard 1998; Dean and Pagano 2015); with a mean outside [1/4, 3/4], where
    Wilson's is too short on the near side, the t interval on the logit scale. Both stay inside [0, 1]. Any other score
    gets plain t. ``docs/statistics.md`` shows the coverage that decided.

    Args:
        task_means: mean score of each task, shape (tasks,); NaN marks a task without a measured rollout and is
            left out.
        level: nominal coverage.
        clusters: family of each task, shape (tasks,).
        proportion: the score lies in [0, 1]. Values outside [0, 1] switch to plain t.

    Returns:
        An interval with question ``new_tasks``. Fewer than two clusters: ends and ``se`` null, with the reason. All
        task means equal: ``se`` 0 with a note, and the ends of a binomial bound over clusters (Clopper-Pearson at 0
        and 1, Wilson in between), because equal results are not certainty; for other scores the ends are null.
    """
    every = floats(task_means)
    kept = np.isfinite(every)
    values = every[kept]
    if clusters is not None:
        clusters = [name for name, keep in zip(clusters, kept.tolist(), strict=True) if keep]
    if not values.size:
        return _unknown(None, level, 0, "no task has a measured rollout")
    estimate = mean(values)
    unit = "tasks" if clusters is None else "families"
    se, groups = cluster_se(values, clusters)
    if math.isnan(se):
        return _unknown(
            estimate, level, groups, f"one {'task' if clusters is None else 'family'} has no spread between {unit}"
        )
    bounded = proportion and bool(np.all((values >= 0.0) & (values <= 1.0)))
    note = f"only {groups} families" if clusters is not None and groups < FEW_FAMILIES else None
    if se <= ROUNDING * max(1.0, abs(estimate)):
        return _degenerate(estimate, level, groups, unit, bounded)
    t = t_quantile(groups - 1, 0.5 + level / 2)
    over = "task means" if clusters is None else "task means, clustered by families"
    if not bounded:
        low, high = estimate - t * se, estimate + t * se
        method = f"t on {over}"
    elif CENTRE[0] <= estimate <= CENTRE[1]:
        low, high = wilson_at(estimate, estimate * (1 - estimate) / se**2, t)
        method = f"Wilson on effective sample size, t quantile, {over}"
    else:
        centre, half = float(logit(estimate)), t * se / (estimate * (1 - estimate))
        low, high = float(expit(centre - half)), float(expit(centre + half))
        method = f"t on the logit scale, {over}"
    return Interval(estimate, se, low, high, level, method, "new_tasks", float(groups - 1), groups, note=note)


def _sums_by(values: FloatArray, clusters: Clusters) -> list[float]:
    members: dict[Hashable, list[float]] = {}
    for name, value in zip(clusters, values.tolist(), strict=True):
        members.setdefault(name, []).append(value)
    return [math.fsum(group) for group in members.values()]


def _unknown(estimate: float | None, level: float, n: int, reason: str) -> Interval:
    return Interval(estimate, None, None, None, level, "none", "new_tasks", None, n, reason=reason)


def _degenerate(estimate: float, level: float, n: int, unit: str, bounded: bool) -> Interval:
    note = f"all {n} {unit} have the same mean, which is not certainty"
    if not bounded:
        return Interval(
            estimate, 0.0, None, None, level, "none", "new_tasks", None, n,
            reason="equal values of a score without declared range leave the interval open", note=note,
        )  # fmt: skip
    if estimate in (0.0, 1.0):
        low, high = clopper_pearson(round(estimate) * n, n, level)
        method = f"Clopper-Pearson over {unit}"
    else:
        low, high = wilson_at(estimate, n, t_quantile(n - 1, 0.5 + level / 2))
        method = f"Wilson over {unit}, t quantile"
    return Interval(estimate, 0.0, low, high, level, method, "new_tasks", float(n - 1), n, note=note)
