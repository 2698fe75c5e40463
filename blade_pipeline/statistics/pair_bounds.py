"""What the unknown rollouts of two runs could still make of their difference."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from blade_pipeline.statistics._arrays import Values, mean, paired
from blade_pipeline.statistics.interval import flat


@dataclass(frozen=True, slots=True)
class PairBounds:
    """Worst and best case of a difference B minus A.

    Attributes:
        low: lowest possible difference; null without a common task.
        high: highest possible difference.
        sign_identified: zero lies outside [low, high], or the difference is 0 whatever the unknown rows hold.
    """

    low: float | None
    high: float | None
    sign_identified: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict."""
        return flat(self)


@dataclass(frozen=True, slots=True)
class TippingPoint:
    """How the difference B minus A depends on the pass rate q assumed for unscored rollouts of both runs.

    Attributes:
        q: pass rate at which the sign flips; null when it never does within [0, 1].
        observed: difference of the scored means; null when a run has none.
        at_zero: difference when all unscored rollouts fail.
        at_one: difference when all of them pass.
    """

    q: float | None
    observed: float | None
    at_zero: float
    at_one: float

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict."""
        return flat(self)


def pair_bounds(
    a_low: Values | float, a_high: Values | float, b_low: Values | float, b_high: Values | float
) -> PairBounds:
    """Bounds of mean B minus mean A: [mean(L_B - U_A), mean(U_B - L_A)] (Manski 2003).

    Args:
        a_low: worst case of run A per common planned task, shape (tasks,), or one number for the whole run.
        a_high: best case of run A.
        b_low: worst case of run B.
        b_high: best case of run B.
    """
    al, ah, bl, bh = paired(a_low, a_high, b_low, b_high)
    kept = np.isfinite(al) & np.isfinite(ah) & np.isfinite(bl) & np.isfinite(bh)
    if not kept.any():
        return PairBounds(None, None, False)
    low, high = mean(bl[kept] - ah[kept]), mean(bh[kept] - al[kept])
    return PairBounds(low, high, low > 0.0 or high < 0.0 or low == high)


def tipping_point(
    a_sum: float, a_unscored: int, a_expected: int, b_sum: float, b_unscored: int, b_expected: int
) -> TippingPoint:
    """Pass rate among unscored rollouts at which the sign of B minus A flips (Yan, Lee and Li 2009).

    score(q) = (sum + q unscored)/expected is linear in q on both sides.

    Raises:
        ValueError: a run expects no rollout.
    """
    if min(a_expected, b_expected) < 1:
        raise ValueError("both runs must expect at least one rollout")
    at_zero = b_sum / b_expected - a_sum / a_expected
    slope = b_unscored / b_expected - a_unscored / a_expected
    q = -at_zero / slope if slope else None
    a_scored, b_scored = a_expected - a_unscored, b_expected - b_unscored
    observed = b_sum / b_scored - a_sum / a_scored if a_scored and b_scored else None
    return TippingPoint(q if q is not None and 0.0 <= q <= 1.0 else None, observed, at_zero, at_zero + slope)
