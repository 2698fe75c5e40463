"""Array conventions and order-free sums shared by the room.

Sums over tasks go through ``math.fsum``, which is correctly rounded; long columns of rollouts are sorted first. So no
result depends on the order of rows, tasks or files.
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
    """Return the arrays as flat float64 arrays of one length; a plain number stands for itself in every place.

    Raises:
        ValueError: the arrays' lengths differ.
    """
    parts = [np.asarray(values, dtype=np.float64) for values in arrays]
    sizes = {part.size for part in parts if part.ndim}
    if len(sizes) > 1:
        raise ValueError(f"arrays of one length are needed, got lengths {sorted(sizes)}")
    size = sizes.pop() if sizes else 1
    return [part.reshape(-1) if part.ndim else np.full(size, float(part)) for part in parts]


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


def sorted_values(column: FloatArray) -> FloatArray:
    """The values of a column that are not NaN, in ascending order."""
    return np.sort(column[~np.isnan(column)])


def sorted_deviation(ordered: FloatArray) -> float:
    """Sample deviation (ddof 1) of two or more ascending values; exactly 0 when all are equal."""
    return 0.0 if ordered[0] == ordered[-1] else float(np.std(ordered, ddof=1))
