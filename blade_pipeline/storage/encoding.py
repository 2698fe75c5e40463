"""The bytes of an artifact: Parquet that carries the document and the version, or JSON alone."""

import io
import json
from typing import Any, BinaryIO

import pyarrow.parquet as pq

from blade_pipeline.storage.artifact import Artifact, Stored, canonical_json
from blade_pipeline.storage.version import data_version

_DOCUMENT = b"blade_document"
_VERSION = b"blade_version"


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
    sink = io.BytesIO()
    pq.write_table(artifact.table.replace_schema_metadata(metadata), sink, compression="zstd")
    return ".parquet", sink.getvalue(), version


def decode_parquet(stream: BinaryIO) -> Stored:
    """The artifact in an open Parquet file."""
    file = pq.ParquetFile(stream)
    metadata = file.schema_arrow.metadata or {}
    table = file.read().replace_schema_metadata(None)
    return Stored(Artifact(table, _document(metadata)), metadata[_VERSION].decode())


def decode_json(content: bytes) -> Stored:
    """The artifact in the bytes of a JSON file."""
    wrapper = json.loads(content)
    return Stored(Artifact(document=wrapper["document"]), wrapper["data_version"])


def _document(metadata: dict[bytes, bytes]) -> Any:
    return json.loads(metadata[_DOCUMENT]) if _DOCUMENT in metadata else None
