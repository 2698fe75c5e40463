"""Expected best of k attempts for scores that are not 0/1."""

import math

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, floats


def best_of_k(values: Values, k: int) -> float:
    """Expected largest score of ``k`` attempts drawn from those made: sum_i x_(i) C(i-1,k-1)/C(n,k).

    x_(i) is the i-th smallest of n scores. Each of the C(n,k) sets of k attempts is as likely as any other, and x_(i)
    is the largest of those that take it and k-1 of the i-1 below it: C(i-1,k-1) of them. So this is the mean of the
    largest score over all sets, an unbiased estimate of the expected best of k new attempts (a U-statistic, Hoeffding
    1948). It uses every attempt and no order, unlike the largest of the first k. For 0/1 scores it equals pass@k.

    Args:
        values: scores of one task, shape (attempts,); NaN is left out.
        k: attempts drawn, at least 1.

    Returns:
        The expectation, NaN for fewer than k scores.

    Raises:
        ValueError: k below 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    scores = floats(values)
    known = scores[~np.isnan(scores)]
    return float(best_of_k_by_task(known[None, :], k)[0]) if known.size >= k else math.nan


def best_of_k_by_task(scores: FloatArray, k: int) -> FloatArray:
    """The same for tasks that have equally many attempts, ``k`` or more: shape (tasks, attempts) to (tasks,)."""
    attempts = scores.shape[1]
    draws = math.comb(attempts, k)
    weights = np.array([math.comb(i, k - 1) / draws for i in range(k - 1, attempts)])
    weighted = np.sort(scores, axis=1)[:, k - 1 :] * weights
    return np.array([math.fsum(row) for row in weighted.tolist()], dtype=np.float64)
