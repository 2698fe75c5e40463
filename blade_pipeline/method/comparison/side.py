"""One of two runs under comparison."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Side:
    """A run as the comparison sees it: its manifest, accounting, scores and samples."""

    run: str
    manifest: Mapping[str, Any]
    coverage: Mapping[str, Any]
    scores: Mapping[str, Any]
    per_task: pa.Table
    aligned: pa.Table

    def value(self, key: str) -> Any:
        """A manifest value, or None when it is unknown."""
        return self.manifest["values"].get(key, {}).get("value")

    def source(self, key: str) -> str | None:
        """Where a manifest value was read, or why it is unknown."""
        entry = self.manifest["values"].get(key, {})
        place: str | None = entry.get("source") or entry.get("reason")
        return place
