"""Does one repeat score otherwise than the others?"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from blade_pipeline.statistics._arrays import FloatArray


class Friedman(NamedTuple):
    """Friedman's chi-square; q and p are null where fewer than two tasks have repeats that differ."""

    q: float | None
    df: int
    p: float | None
    tasks: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict."""
        return self._asdict()


def friedman(matrix: ArrayLike) -> Friedman:
    """Test that no repeat tends to score higher than another, tasks as blocks (Friedman 1937).

    The scores of a task are ranked over its repeats, ties sharing their ranks: q = (k-1) sum_j (R_j - n(k+1)/2)^2 over
    sum_ij (r_ij - (k+1)/2)^2, chi-square with k-1 degrees of freedom. For 0/1 scores it is Cochran's Q. Like that it
    says nothing of a single task whose repeats differ.

    Args:
        matrix: scores, shape (tasks, repeats). Tasks with a NaN are left out.

    Raises:
        ValueError: the matrix has no two dimensions.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError("friedman needs a matrix of tasks by repeats")
    values = values[~np.isnan(values).any(axis=1)]
    tasks, k = values.shape
    if not values.size or np.sum(np.ptp(values, axis=1) > 0) < 2:
        return Friedman(None, max(0, k - 1), None, tasks)
    apart = np.array([_ranks(scores) for scores in values]) - (k + 1) / 2
    q = (k - 1) * float(np.sum(apart.sum(axis=0) ** 2)) / float(np.sum(apart**2))
    return Friedman(q, k - 1, float(chdtrc(k - 1, q)), tasks)


def _ranks(scores: FloatArray) -> FloatArray:
    """Ranks from 1 on of one task's scores, ties sharing the mean of theirs."""
    _, places, alike = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(alike) - (alike - 1) / 2)[places])
