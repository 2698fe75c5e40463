"""From Arrow columns to numpy."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def counts(column: pa.ChunkedArray) -> Counts:
    """An integer column, null as 0."""
    return np.asarray(pc.fill_null(column, 0), dtype=np.int64)


def floats(column: pa.ChunkedArray) -> Floats:
    """A numeric column, null as NaN."""
    return np.asarray(pc.fill_null(column.cast(pa.float64()), np.nan), dtype=np.float64)
