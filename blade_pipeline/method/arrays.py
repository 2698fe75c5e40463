"""From Arrow columns to numpy."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def row_numbers(table: pa.Table) -> pa.Array:
    """0, 1, 2, ... as many as the table has rows."""
    return pa.array(np.arange(table.num_rows))


def by_position(table: pa.Table) -> pa.Table:
    """The table by rising ``position``; a query that joins it to others mostly leaves it so, and sorting costs more."""
    positions = np.asarray(table["position"])
    return table if np.all(positions[1:] > positions[:-1]) else table.sort_by("position")


def at_positions(found: pa.Table, name: str, rows: int) -> pa.Array:
    """A text per ``position`` of ``found`` as a column of as many rows, null where there is none."""
    places = np.full(rows, -1, dtype=np.int64)
    places[np.asarray(found["position"])] = np.arange(found.num_rows)
    return found[name].combine_chunks().take(pa.array(places, mask=places < 0))


def rows_where(table: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    """The rows that the mask marks; the very table, not a copy, where it marks them all."""
    return table if pc.all(mask, skip_nulls=False).as_py() else table.filter(mask)


def with_columns(table: pa.Table, **columns: pa.ChunkedArray | pa.Array) -> pa.Table:
    """The table with other values in some of its columns."""
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def counts(column: pa.ChunkedArray) -> Counts:
    """An integer column, null as 0."""
    return np.asarray(pc.fill_null(column, 0), dtype=np.int64)


def floats(column: pa.ChunkedArray) -> Floats:
    """A numeric column, null as NaN."""
    return np.asarray(pc.fill_null(column.cast(pa.float64()), np.nan), dtype=np.float64)


def ratio(top: Counts | Floats, bottom: Counts) -> Floats:
    """Elementwise quotient, NaN where the bottom is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(bottom > 0, top / bottom, np.nan), dtype=np.float64)


def binary_variance(n: Counts, c: Counts) -> Floats:
    """Sample variance (ddof 1) of ``n`` 0/1 outcomes of which ``c`` are 1; NaN for fewer than two."""
    return ratio(c * (n - c), n * (n - 1))


def known_mean(values: Floats) -> float | None:
    """Mean of the values that are no NaN, the same in whatever order they come; None without any."""
    known = values[~np.isnan(values)]
    known.sort()
    return float(np.add.reduce(known) / known.size) if known.size else None


def is_binary(column: pa.ChunkedArray) -> bool | None:
    """Whether every known value is 0 or 1; None without any."""
    known = pc.drop_null(column)
    return bool(pc.all(pc.is_in(known, pa.array([0.0, 1.0]))).as_py()) if len(known) else None
