"""The data version of an artifact: a digest of its content alone."""

import hashlib
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.storage.artifact import Artifact, canonical_json

LENGTH = 32
_PIECE = 2**14
"""Entries of a column that holds equal texts once of which the texts are written out at a time."""


def digest_of(content: Any) -> str:
    """Digest of a JSON-able value."""
    return hashlib.sha256(canonical_json(content)).hexdigest()[:LENGTH]


def data_version(artifact: Artifact) -> str:
    """Digest of table and document, blind to chunks, slices, metadata and what lies beneath a null.

    Raises:
        ValueError: the document holds NaN or an infinite number.
    """
    total = hashlib.sha256()
    document = artifact.document if artifact.versioned is None else artifact.versioned
    if document is not None:
        total.update(b"document" + canonical_json(document))
    if artifact.table is not None:
        _add_table(total, artifact.table)
    return total.hexdigest()[:LENGTH]


def _add_table(total: Any, table: pa.Table) -> None:
    total.update(f"table {table.num_rows}".encode())
    for field, column in zip(table.schema, table.columns, strict=True):
        total.update(f"\n{field.name}\n".encode())
        combined = column.combine_chunks()
        _add_array(total, combined)


def _add_array(total: Any, array: pa.Array) -> None:
    """Validity, then the values that are there; lists and maps by their lengths and their flat content."""
    if pa.types.is_dictionary(array.type):
        for start in range(0, len(array), _PIECE):
            _add_array(total, array.slice(start, _PIECE).dictionary_decode())
        return
    _add_buffers(total, array.is_valid())
    present = array.drop_null() if array.null_count else array
    if pa.types.is_struct(array.type):
        for child in present.flatten():
            _add_array(total, child)
    elif pa.types.is_list(array.type) or pa.types.is_map(array.type):
        _add_buffers(total, pc.subtract(present.offsets[1:], present.offsets[:-1]))
        _add_array(total, _flat(present))
    else:
        _add_buffers(total, present)


def _flat(present: pa.Array) -> pa.Array:
    """The entries of lists, or the key and value pairs of maps, of the rows in view only."""
    first, last = present.offsets[0].as_py(), present.offsets[-1].as_py()
    if pa.types.is_map(present.type):
        entries = pa.StructArray.from_arrays([present.keys, present.items], names=["key", "value"])
        return entries.slice(first, last - first)
    return present.values.slice(first, last - first)


def _add_buffers(total: Any, array: pa.Array) -> None:
    """Arrow's stream form, which writes slices as if they stood alone; booleans as bytes, since bits are padded."""
    plain = array.cast(pa.uint8()) if pa.types.is_boolean(array.type) else array
    batch = pa.record_batch([plain], names=["values"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    total.update(sink.getvalue())
