"""Where artifacts live: atomic files, their versions, the registry of runs and the DuckDB catalogue."""

from blade_pipeline.storage.artifact import Artifact, Stored, canonical_json
from blade_pipeline.storage.cell import Cell
from blade_pipeline.storage.registry import Entry, Registry
from blade_pipeline.storage.sharekey import mark_of, share_key
from blade_pipeline.storage.sources import Learned, SourceMemo, stamp_of
from blade_pipeline.storage.store import SHAREABLE, SHARING, MissingArtifactError, Store
from blade_pipeline.storage.traces import traces
from blade_pipeline.storage.upkeep import delete, files_of, leftovers_of, sizes_of
from blade_pipeline.storage.version import data_version, digest_of

__all__ = [
    "SHAREABLE",
    "SHARING",
    "Artifact",
    "Cell",
    "Entry",
    "Learned",
    "MissingArtifactError",
    "Registry",
    "SourceMemo",
    "Store",
    "Stored",
    "canonical_json",
    "data_version",
    "delete",
    "digest_of",
    "files_of",
    "leftovers_of",
    "mark_of",
    "share_key",
    "sizes_of",
    "stamp_of",
    "traces",
]
