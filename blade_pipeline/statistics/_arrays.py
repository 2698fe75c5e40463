"""Array conventions and order-free sums shared by the room.

Every sum of floats goes through ``math.fsum``, which is correctly rounded, so no result depends on the order of
rows, tasks or files.
"""

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[Any] | Sequence[float]


def floats(values: Values | float) -> FloatArray:
    """Return ``values`` as a flat float64 array."""
    return np.asarray(values, dtype=np.float64).reshape(-1)


def paired(*arrays: Values | float) -> list[FloatArray]:
    """Return the arrays as flat float64 arrays of one common length (scalars are repeated).

    Raises:
        ValueError: the lengths differ.
    """
    return [np.array(part, dtype=np.float64) for part in np.broadcast_arrays(*(floats(a) for a in arrays))]


def mean(values: FloatArray) -> float:
    """Mean, correctly rounded sum; NaN for an empty array."""
    return math.fsum(values.tolist()) / values.size if values.size else math.nan


def variance(values: FloatArray) -> float:
    """Sample variance (ddof 1) by two passes; NaN for fewer than two values; exactly 0 when all are equal."""
    if values.size < 2:
        return math.nan
    if values.min() == values.max():
        return 0.0
    return math.fsum(np.square(values - mean(values)).tolist()) / (values.size - 1)


def total(values: FloatArray) -> float:
    """Correctly rounded sum; 0 for an empty array."""
    return math.fsum(values.tolist())
