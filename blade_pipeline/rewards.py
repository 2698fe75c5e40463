"""The one rule that says whether a value read from a row is a score."""

import math
from typing import Final, Literal, TypeAlias

LARGEST = 1e100
"""Numbers of this size and more are no measurements: sums of their squares would overflow."""

RewardStatus: TypeAlias = Literal[
    "scored",
    "invalid_nan",
    "invalid_inf",
    "invalid_null",
    "invalid_absent",
    "invalid_type",
    "too_large",
    "out_of_range",
]


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a row without the key, which is not the same as a null."""


def reward_status(value: object, reward_range: tuple[float, float] | None = None) -> RewardStatus:
    """Say whether a reward as read from a row is a measurement.

    A finite number below :data:`LARGEST` in size or a boolean is scored; anything else is unscored with a reason and
    never becomes 0.

    Args:
        value: the parsed JSON value, or :data:`ABSENT`.
        reward_range: declared (lowest, highest); a number outside is ``out_of_range``.
    """
    if value is ABSENT:
        return "invalid_absent"
    if value is None:
        return "invalid_null"
    if not isinstance(value, (bool, int, float)):
        return "invalid_type"
    if value != value:
        return "invalid_nan"
    if isinstance(value, float) and math.isinf(value):
        return "invalid_inf"
    if not -LARGEST < value < LARGEST:
        return "too_large"
    if reward_range is not None and not reward_range[0] <= value <= reward_range[1]:
        return "out_of_range"
    return "scored"
