"""One score under the four rules for rollouts without a measurement."""

import math

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, mean, paired
from blade_pipeline.statistics.interval import Bounds

RULES = ("observed", "failures_as_zero", "all_unscored_as_zero", "all_as_one")


def accountings(
    score_sum: Values | float,
    measured: Values | int,
    failed: Values | int,
    planned: Values | int,
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
) -> dict[str, float | None]:
    """Mean over tasks under each named rule; print all four, with the name of the one that is the headline.

    observed: measured rollouts only. failures_as_zero: failed rollouts count at ``lowest``, the rest is left out.
    all_unscored_as_zero: every planned rollout without a measurement counts at ``lowest`` (the lower bound).
    all_as_one: at ``highest`` (the upper bound). The two bounds are Manski's (2003).

    Args:
        score_sum: sum of measured scores per task, shape (tasks,); one number for a rollout-level (micro) value.
        measured: measured rollouts per task.
        failed: rollouts per task that ended in a recorded failure (not masked, not missing).
        planned: planned rollouts per task; raised to measured + failed where it is less.
        lowest: lowest possible score.
        highest: highest possible score.

    Returns:
        A value per rule; null where no task qualifies. A task counts under a rule when the rule gives it at least
        one rollout.
    """
    sums, n, f, planned_n = paired(score_sum, measured, failed, planned)
    everything = np.maximum(planned_n, n + f)
    return {
        "observed": _macro(sums, n),
        "failures_as_zero": _macro(sums + lowest * f, n + f),
        "all_unscored_as_zero": _macro(sums + lowest * (everything - n), everything),
        "all_as_one": _macro(sums + highest * (everything - n), everything),
    }


def bounds(low_sum: Values | float, high_sum: Values | float, planned: Values | int) -> Bounds:
    """Worst and best case of the mean over tasks (Manski 2003; Horowitz and Manski 2000).

    Args:
        low_sum: score sum per task with every unknown at its lowest, shape (tasks,).
        high_sum: with every unknown at its highest.
        planned: planned rollouts per task; tasks with none are left out.
    """
    low, high, n = paired(low_sum, high_sum, planned)
    return Bounds(_macro(low, n), _macro(high, n))


def _macro(sums: FloatArray, counts: FloatArray) -> float | None:
    kept = counts > 0
    value = mean(sums[kept] / counts[kept])
    return None if math.isnan(value) else value
