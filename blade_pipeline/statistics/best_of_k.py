"""Expected best of k attempts for scores that are not 0/1."""

import math

import numpy as np

from blade_pipeline.statistics._arrays import Values, floats


def best_of_k(values: Values, k: int) -> float:
    """Expected largest score of ``k`` attempts drawn from those made: sum_i x_(i) C(i-1,k-1)/C(n,k).

    Order statistics; x_(i) is the i-th smallest. It uses every attempt and no order, unlike the largest of the first
    k. For 0/1 scores it equals pass@k.

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
    ordered = np.sort(scores[~np.isnan(scores)])
    n = ordered.size
    if n < k:
        return math.nan
    draws = math.comb(n, k)
    return math.fsum(x * (math.comb(i, k - 1) / draws) for i, x in enumerate(ordered.tolist()) if i >= k - 1)
