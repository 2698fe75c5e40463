"""Turns row tuples into Arrow record batches of a declared schema."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.values import clean_text
from blade_pipeline.tables import NUMBERS


def to_batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    """Record batch of tuples in the schema's column order; every string becomes valid UTF-8."""
    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [_array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def to_table(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """Table of tuples in the schema's column order."""
    return pa.Table.from_batches([to_batch(rows, schema)] if rows else [], schema=schema)


def _array(column: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if kind.equals(NUMBERS):
        return _maps(column)
    return _strings(column) if pa.types.is_string(kind) else pa.array(column, type=kind)


def _strings(column: Sequence[str | None]) -> pa.Array:
    try:
        return pa.array(column, type=pa.string())
    except UnicodeEncodeError:
        return pa.array([None if text is None else clean_text(text) for text in column], type=pa.string())


def _maps(column: Sequence[list[tuple[str, float]] | None]) -> pa.Array:
    """Maps from flat keys and values, which is several times faster than one conversion per map."""
    offsets: list[int | None] = []
    keys: list[str] = []
    values: list[float] = []
    for pairs in column:
        offsets.append(None if pairs is None else len(keys))
        for name, value in pairs or ():
            keys.append(name)
            values.append(value)
    offsets.append(len(keys))
    return pa.MapArray.from_arrays(
        pa.array(offsets, type=pa.int32()), _strings(keys), pa.array(values, type=pa.float64())
    )
