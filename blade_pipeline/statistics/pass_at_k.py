"""Unbiased pass@k and pass^k of tasks with repeated attempts."""

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.statistics._arrays import FloatArray

Counts: TypeAlias = NDArray[Any] | Sequence[int]


@overload
def pass_at_k(n: int, c: int, k: int) -> float: ...
@overload
def pass_at_k(n: Counts, c: Counts, k: int) -> FloatArray: ...
def pass_at_k(n: int | Counts, c: int | Counts, k: int) -> float | FloatArray:
    """Probability that at least one of ``k`` attempts drawn from the ``n`` made passes: 1 - C(n-c,k)/C(n,k).

    Unbiased for the task's true value (Chen et al. 2021, "Evaluating Large Language Models Trained on Code").
    The plug-in 1-(1-c/n)^k is biased and is not used.

    Args:
        n: attempts measured, per task.
        c: attempts passed, per task; 0 <= c <= n.
        k: attempts drawn, at least 1.

    Returns:
        A fraction per task, NaN where n < k (also when n is 0).

    Raises:
        ValueError: k below 1, a negative count, or c above n.
    """
    n_all, c_all = _checked(n, c, k)
    value = c_all / np.maximum(n_all, 1.0) if k == 1 else 1.0 - _ratio(n_all, n_all - c_all, k)
    return _shaped(np.where(n_all < k, np.nan, value))


@overload
def pass_hat_k(n: int, c: int, k: int) -> float: ...
@overload
def pass_hat_k(n: Counts, c: Counts, k: int) -> FloatArray: ...
def pass_hat_k(n: int | Counts, c: int | Counts, k: int) -> float | FloatArray:
    """Probability that all of ``k`` attempts drawn from the ``n`` made pass: C(c,k)/C(n,k), written pass^k.

    The consistency number of Yao et al. 2024, "tau-bench". Arguments, NaN rule and errors as in :func:`pass_at_k`.
    """
    n_all, c_all = _checked(n, c, k)
    return _shaped(np.where(n_all < k, np.nan, _ratio(n_all, c_all, k)))


def _checked(n: int | Counts, c: int | Counts, k: int) -> tuple[FloatArray, FloatArray]:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    n_all, c_all = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64))
    if bool(np.any((c_all < 0) | (c_all > n_all))):
        raise ValueError("passes must lie between 0 and the number of attempts")
    return n_all, c_all


def _ratio(n: FloatArray, chosen: FloatArray, k: int) -> FloatArray:
    """C(chosen,k)/C(n,k) as a product of k factors; 0 once fewer than k are left to choose from."""
    product = np.ones_like(n)
    for j in range(k):
        product *= np.maximum(chosen - j, 0.0) / np.maximum(n - j, 1.0)
    return product


def _shaped(values: FloatArray) -> float | FloatArray:
    return float(values) if values.ndim == 0 else values
