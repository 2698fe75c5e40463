"""Turns plain values into Arrow record batches of a declared schema; every string becomes valid UTF-8."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.maps import Maps
from blade_pipeline.gym.values import clean_text


def to_batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    """Record batch of tuples in the schema's column order."""
    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [to_array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def to_table(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """Table of tuples in the schema's column order."""
    return pa.Table.from_batches([to_batch(rows, schema)] if rows else [], schema=schema)


def to_array(column: Any, kind: pa.DataType) -> pa.Array:
    """One column; ``Maps`` for the type ``NUMBERS``, else a sequence of plain values or null."""
    if pa.types.is_map(kind):
        return _map_array(column)
    return strings(column) if pa.types.is_string(kind) else pa.array(column, type=kind)


def _map_array(maps: Maps) -> pa.MapArray:
    counts, names, values = maps
    starts: list[int | None] = list(accumulate([count or 0 for count in counts], initial=0))
    if None in counts:
        starts = [None if count is None else start for count, start in zip([*counts, 0], starts, strict=True)]
    offsets = pa.array(starts, type=pa.int32())
    return pa.MapArray.from_arrays(offsets, strings(names), pa.array(values, type=pa.float64()))


def strings(column: Sequence[str | None]) -> pa.StringArray:
    """Strings or null, with every lone surrogate as U+FFFD."""
    try:
        return pa.array(column, type=pa.string())
    except UnicodeEncodeError:
        return pa.array([None if text is None else clean_text(text) for text in column], type=pa.string())
