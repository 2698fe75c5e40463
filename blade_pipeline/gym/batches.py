"""Turns plain values into Arrow record batches of a declared schema; every string becomes valid UTF-8."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.values import clean_text, number


class Maps:
    """A column of maps from names to numbers, built flat: many times faster than one conversion per map."""

    def __init__(self) -> None:
        self._offsets: list[int | None] = []
        self._names: list[str] = []
        self._values: list[float] = []

    def append(self, fields: Mapping[str, Any] | None) -> None:
        """Adds a map of the numeric and boolean fields; booleans as 0 and 1, other values and NaN left out."""
        self._offsets.append(None if fields is None else len(self._names))
        for name, value in fields.items() if fields else ():
            kind = type(value)
            if kind is float or kind is int:
                if (finite := number(value)) is None:
                    continue
            elif kind is bool:
                finite = float(value)
            else:
                continue
            self._names.append(name)
            self._values.append(finite)

    def to_array(self) -> pa.MapArray:
        """The column so far."""
        offsets = pa.array([*self._offsets, len(self._names)], type=pa.int32())
        return pa.MapArray.from_arrays(offsets, strings(self._names), pa.array(self._values, type=pa.float64()))


def to_batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    """Record batch of tuples in the schema's column order."""
    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [to_array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def to_table(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """Table of tuples in the schema's column order."""
    return pa.Table.from_batches([to_batch(rows, schema)] if rows else [], schema=schema)


def to_array(column: Sequence[Any] | Maps, kind: pa.DataType) -> pa.Array:
    """One column; ``Maps`` for the type ``NUMBERS``, else plain values or null."""
    if isinstance(column, Maps):
        return column.to_array()
    return strings(column) if pa.types.is_string(kind) else pa.array(column, type=kind)


def strings(column: Sequence[str | None]) -> pa.StringArray:
    """Strings or null, with every lone surrogate as U+FFFD."""
    try:
        return pa.array(column, type=pa.string())
    except UnicodeEncodeError:
        return pa.array([None if text is None else clean_text(text) for text in column], type=pa.string())
