"""Did the mean score of one task change between two runs?"""

import numpy as np
from scipy.special import stdtr

from blade_pipeline.statistics._arrays import FloatArray, Values, paired


def welch_by_task(
    a_means: Values, a_variances: Values, a_repeats: Values, b_means: Values, b_variances: Values, b_repeats: Values
) -> FloatArray:
    """Two-sided p of equal means of each task, over its repeats (Welch 1947; df of Satterthwaite 1946).

    Args:
        a_means: run A's mean score of each task, shape (tasks,).
        a_variances: its variance over repeats (ddof 1).
        a_repeats: its measured repeats.
        b_means: run B's.
        b_variances: run B's.
        b_repeats: run B's.

    Returns:
        p per task; NaN where a side has fewer than two repeats, or where no repeat differs from another of its side,
        which says nothing of chance.
    """
    mean_a, variance_a, n_a, mean_b, variance_b, n_b = paired(
        a_means, a_variances, a_repeats, b_means, b_variances, b_repeats
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = variance_a / n_a, variance_b / n_b
        squared = parts[0] + parts[1]
        df = squared**2 / (parts[0] ** 2 / (n_a - 1) + parts[1] ** 2 / (n_b - 1))
        t = np.abs(mean_b - mean_a) / np.sqrt(squared)
        p = np.minimum(1.0, 2.0 * stdtr(df, -t))
    return np.where((np.minimum(n_a, n_b) >= 2) & (squared > 0), p, np.nan)
