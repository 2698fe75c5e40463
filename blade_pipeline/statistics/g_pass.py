"""G-Pass@k: at least a share tau of k drawn attempts pass."""

import math

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, paired


def g_pass_at_k(n: Values | int, c: Values | int, k: int, tau: float) -> FloatArray:
    """Probability that at least ceil(tau k) of ``k`` drawn attempts pass: sum_j C(c,j) C(n-c,k-j)/C(n,k).

    Liu et al. 2024, "Are Your LLMs Capable of Stable Reasoning?"; they advise n >= 3k. tau near 0 is pass@k, tau 1 is
    pass^k.

    Args:
        n: attempts measured per task, shape (tasks,).
        c: attempts passed per task.
        k: attempts drawn, at least 1.
        tau: share in (0, 1].

    Returns:
        A fraction per task, NaN where n < k.

    Raises:
        ValueError: k below 1, tau outside (0, 1], or c outside [0, n].
    """
    if k < 1 or not 0 < tau <= 1:
        raise ValueError(f"k must be at least 1 and tau in (0, 1], got {k} and {tau}")
    attempts, passes = paired(n, c)
    if bool(np.any((passes < 0) | (passes > attempts))):
        raise ValueError("passes must lie between 0 and the number of attempts")
    least = max(1, math.ceil(tau * k - 1e-9))
    pairs = zip(attempts.astype(np.int64).tolist(), passes.astype(np.int64).tolist(), strict=True)
    return np.array([_tail(n_i, c_i, k, least) for n_i, c_i in pairs], dtype=np.float64)


def mg_pass_at_k(n: Values | int, c: Values | int, k: int) -> FloatArray:
    """Mean of G-Pass@k over the upper half of tau: (2/k) sum_{i=ceil(k/2)+1..k} G-Pass@k at tau = i/k.

    Liu et al. 2024. Arguments, NaN rule and errors as in :func:`g_pass_at_k`.
    """
    upper = [g_pass_at_k(n, c, k, i / k) for i in range(math.ceil(k / 2) + 1, k + 1)]
    attempts, _passes = paired(n, c)
    summed = np.sum(upper, axis=0) if upper else np.zeros(attempts.size)
    return np.where(attempts < k, np.nan, 2.0 / k * summed)


def _tail(n: int, c: int, k: int, least: int) -> float:
    if n < k:
        return math.nan
    ways = sum(math.comb(c, j) * math.comb(n - c, k - j) for j in range(least, k + 1))
    return ways / math.comb(n, k)
