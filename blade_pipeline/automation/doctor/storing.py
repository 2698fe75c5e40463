"""The store: where it is, whether it can be written, how large it is, how much room is left."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.storage import Cell, Store, sizes_of

LEAST_FREE_BYTES = 1_000_000_000
_SHOWN = 5


def measured(store: Store) -> dict[str, Any]:
    """Place, kind, size in bytes by part, and, on a disk, whether it can be written and the bytes that are free.

    Nothing is written to find out: an object store's rights show when something is stored.
    """
    facts: dict[str, Any] = {"place": store.root, "kind": "folder" if store.local else "object store"}
    exists = store.filesystem.exists(store.root)
    facts |= {"exists": exists, "bytes": sizes_of(store) if exists else {}, "writable": None, "free_bytes": None}
    if store.local:
        nearest = next(folder for folder in (Path(store.root), *Path(store.root).parents) if folder.exists())
        facts |= {"writable": nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)}
        facts |= {"free_bytes": shutil.disk_usage(nearest).free}
    return facts


def store_findings(facts: dict[str, Any]) -> list[Finding]:
    """What the facts of a store ask for."""
    place = facts["place"]
    found = []
    if facts["writable"] is False:
        found.append(
            Finding("store", "act", f"{place} cannot be written", "mend its permissions, or name another --store")
        )
    free = facts["free_bytes"]
    if free is not None and free < LEAST_FREE_BYTES:
        what = f"{free / 1e6:.0f} MB are free on the disk of {place}"
        found.append(Finding("store", "act", what, "make room: blade forget removes runs that nobody needs"))
    if not facts["exists"]:
        found.append(Finding("store", "note", f"{place} is not there yet", "run blade analyze"))
    return found


def leftover_findings(paths: Sequence[str]) -> list[Finding]:
    """Temporary files that killed writers left."""
    if not paths:
        return []
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    what = f"{len(paths)} temporary files of writers that were killed: {', '.join(paths[:_SHOWN])}{more}"
    return [Finding("leftovers", "note", what, "the next blade analyze deletes them")]


def unfinished_findings(cells: Sequence[Cell]) -> list[Finding]:
    """Runs whose removal was stopped midway."""
    return [
        Finding(
            "leftovers", "act", f"forgetting {cell} was stopped midway", f"blade forget {cell.benchmark} {cell.run}"
        )
        for cell in cells
    ]
