"""Is a reward a measurement, and does it pass?"""

import math
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.statistics._arrays import Values, floats

RewardStatus: TypeAlias = Literal[
    "scored", "invalid_nan", "invalid_inf", "invalid_null", "invalid_absent", "invalid_type", "out_of_range"
]


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a row without the key, which is not the same as a null."""

PASS_TOLERANCE = 1e-6
"""How far short of the threshold a score may fall and still pass, for sums that were rounded."""


def reward_status(value: object, reward_range: tuple[float, float] | None = None) -> RewardStatus:
    """Say whether a reward as read from a row is a measurement.

    A finite number or a boolean is scored; anything else is unscored with a reason and never becomes 0.

    Args:
        value: the parsed JSON value, or :data:`ABSENT`.
        reward_range: declared (lowest, highest); a finite number outside is ``out_of_range``.
    """
    if value is ABSENT:
        return "invalid_absent"
    if value is None:
        return "invalid_null"
    if not isinstance(value, (bool, int, float)):
        return "invalid_type"
    try:
        number = float(value)
    except OverflowError:
        return "invalid_inf"
    if math.isnan(number):
        return "invalid_nan"
    if math.isinf(number):
        return "invalid_inf"
    if reward_range is not None and not reward_range[0] <= number <= reward_range[1]:
        return "out_of_range"
    return "scored"


def passes(
    score: Values | float, threshold: float = 1.0, tolerance: float = PASS_TOLERANCE, *, higher_is_better: bool = True
) -> NDArray[np.bool_]:
    """Whether each score reaches the threshold, within a tolerance for rounded sums.

    Args:
        score: shape (rollouts,); NaN never passes.
        threshold: pass mark.
        tolerance: how far short of it still passes.
        higher_is_better: False when a low score is good; then the threshold is an upper limit.
    """
    values = floats(score)
    return values >= threshold - tolerance if higher_is_better else values <= threshold + tolerance
