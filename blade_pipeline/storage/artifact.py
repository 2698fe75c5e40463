"""What a stage makes: a table, a document, or both, and the files it publishes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Artifact:
    """The result of one stage for one cell.

    ``versioned`` replaces ``document`` in the data version where a document also lists something whose change must
    not travel further, such as the size of a growing log. ``files`` are published for people to read; a stage that
    makes some names their digests in its document, so that the version covers them. ``shared`` files may leave the
    team: they lie by their own paths below ``shareable/``, and those of the artifact before that are not among them go.
    """

    table: pa.Table | None = None
    document: Mapping[str, Any] | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    shared: Mapping[str, bytes] | None = None
    versioned: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Stored:
    """An artifact as it was read back, with the data version its file carries."""

    artifact: Artifact
    version: str


def canonical_json(document: Any) -> bytes:
    """JSON with sorted keys and no spaces, the same bytes for the same content.

    Raises:
        ValueError: a number is NaN or infinite.
        TypeError: a value has no JSON form.
    """
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")
