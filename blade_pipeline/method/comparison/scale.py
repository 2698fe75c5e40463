"""The scale of two runs' scores, and whether it is one: 0 and 100 instead of 0 and 1 make no better model."""

from typing import NamedTuple

import numpy as np

from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import UNIT, Scale, Values
from blade_pipeline.models import Profile

APART = 10.0
"""How many times larger the best task mean of one run must be before its scale is called another."""


class _Scores(NamedTuple):
    """Of the tasks with a score above 0: the smallest sum over a task's rollouts, and the largest mean."""

    least_sum: float
    best_mean: float


def scale_of(metric: str, profile: Profile, a: Values, b: Values) -> Scale | None:
    """Lowest and highest score: 0 and 1 for shares, else as declared; 0 and 1 too where no mean of a task leaves them.

    None where the scores leave 0 to 1 and nobody has said how far they go.
    """
    if metric == "pass@1":
        return UNIT
    if profile.reward_range is not None:
        return profile.reward_range
    means = np.concatenate((a.mean, b.mean))
    known = means[~np.isnan(means)]
    return UNIT if known.size and known.min() >= 0 and known.max() <= 1 else None


def scale_check(a: Side, b: Side) -> Check:
    """Different where one run scores within [0, 1] and the other far above, without any score of 1 or less in a task.

    The latter is told from the tasks' sums, so that a run with over a hundred repeats at 0 and 100 may pass unseen.
    """
    left, right = a.once(_scores), b.once(_scores)
    status = "unknown"
    if left is not None and right is not None:
        status = "different" if _above(left, right) or _above(right, left) else "same"
    best = [None if found is None else found.best_mean for found in (left, right)]
    return check(
        "score_scale",
        "method",
        status,
        a=best[0],
        b=best[1],
        source_a="the best mean score of a task",
        source_b="the best mean score of a task",
        blocking=status == "different",
        label="the scale of the scores",
    )


def _scores(side: Side) -> _Scores | None:
    sums, measured = (np.asarray(side.per_task[name], dtype=float) for name in ("score_sum", "measured"))
    above = (measured > 0) & (sums > 0)
    if not above.any():
        return None
    return _Scores(float(sums[above].min()), float((sums[above] / measured[above]).max()))


def _above(low: _Scores, high: _Scores) -> bool:
    return low.best_mean <= 1 < high.least_sum and high.best_mean >= APART * low.best_mean
