"""The bytes of an artifact: Parquet that carries the document and the version, or JSON alone."""

import json
from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from blade_pipeline.storage.artifact import Artifact, Stored, canonical_json
from blade_pipeline.storage.recent import LIMIT, RecentTables
from blade_pipeline.storage.version import data_version

_DOCUMENT = b"blade_document"
_VERSION = b"blade_version"
_RECENT = RecentTables()


def encode(artifact: Artifact) -> tuple[str, bytes, str]:
    """File ending, bytes and data version of an artifact.

    Raises:
        ValueError: the document holds NaN or an infinite number.
    """
    version = data_version(artifact)
    if artifact.table is None:
        return ".json", canonical_json({"data_version": version, "document": artifact.document}), version
    metadata = {_VERSION: version.encode()}
    if artifact.document is not None:
        metadata[_DOCUMENT] = canonical_json(artifact.document)
    sink = pa.BufferOutputStream()
    pq.write_table(artifact.table.replace_schema_metadata(metadata), sink, compression="zstd")
    return ".parquet", sink.getvalue().to_pybytes(), version


def decode_parquet(content: bytes, columns: Collection[str] | None = None) -> Stored:
    """The artifact in the bytes of a Parquet file; of a large table with these columns alone, where they are named.

    A table that is small enough to be kept is read whole, so that all stages share it.
    """
    file = pq.ParquetFile(pa.BufferReader(_owned_by_arrow(content)))
    metadata = file.schema_arrow.metadata or {}
    if columns is None or _size(file.metadata) <= LIMIT:
        table = _RECENT.table(content, lambda: file.read().replace_schema_metadata(None))
    else:
        table = read_columns(file, columns)
    return Stored(Artifact(table, _document(metadata)), metadata[_VERSION].decode())


def decode_json(content: bytes) -> Stored:
    """The artifact in the bytes of a JSON file."""
    wrapper = json.loads(content)
    return Stored(Artifact(document=wrapper["document"]), wrapper["data_version"])


def read_columns(file: pq.ParquetFile, columns: Collection[str]) -> pa.Table:
    """These columns of a large table, after Arrow has given back what it keeps of other tables."""
    pa.default_memory_pool().release_unused()
    return file.read([name for name in file.schema_arrow.names if name in columns]).replace_schema_metadata(None)


def _size(metadata: pq.FileMetaData) -> int:
    """Bytes of a file's columns before they were compressed."""
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))


def _owned_by_arrow(content: bytes) -> pa.Buffer:
    """A copy without any Python object: Arrow's threads let go of one late, which aborts a process that is ending."""
    sink = pa.BufferOutputStream()
    sink.write(content)
    return sink.getvalue()


def _document(metadata: dict[bytes, bytes]) -> Any:
    return json.loads(metadata[_DOCUMENT]) if _DOCUMENT in metadata else None
