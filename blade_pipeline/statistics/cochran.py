"""Is one repeat different from the others?"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc


class CochranQ(NamedTuple):
    """Cochran's Q; q and p are null where fewer than two tasks hold repeats that differ, see :func:`cochran_q`."""

    q: float | None
    df: int
    p: float | None
    tasks: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict."""
        return self._asdict()


def cochran_q(matrix: ArrayLike) -> CochranQ:
    """Test that every repeat passes equally often, tasks as blocks (Cochran 1950).

    A small p means that one repeat was run under other conditions: an outage, a drift. Comparing runs task by task
    cannot see a shift that hits all tasks of a repeat. A single task with repeats that differ gives the same Q
    whichever of them passes, so it tells nothing.

    Args:
        matrix: passes as 0/1, shape (tasks, repeats). Tasks with a NaN are left out.

    Raises:
        ValueError: the matrix has no two dimensions.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError("cochran_q needs a matrix of tasks by repeats")
    values = values[~np.isnan(values).any(axis=1)]
    k = values.shape[1]
    columns, rows = values.sum(axis=0), values.sum(axis=1)
    if np.sum((rows > 0) & (rows < k)) < 2:
        return CochranQ(None, max(0, k - 1), None, values.shape[0])
    spread = float(k * rows.sum() - np.sum(rows**2))
    q = float((k - 1) * (k * np.sum(columns**2) - columns.sum() ** 2)) / spread
    return CochranQ(q, k - 1, float(chdtrc(k - 1, q)), values.shape[0])
