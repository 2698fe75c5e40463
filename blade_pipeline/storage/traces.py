"""What tells that somebody changed a store, without opening a file of it."""

import os
from collections.abc import Iterator
from pathlib import Path

from blade_pipeline.storage.store import Store


def traces(store: Store, folder: str) -> list[str]:
    """Lines that change when a file two folders below one of the store's comes, goes or is replaced.

    On a disk the folders' own times tell, so that no file is looked at; an object store is listed.
    """
    if store.local:
        return list(_times(store.path(folder)))
    found = store.filesystem.find(store.path(folder), detail=True)
    return [str(sorted(entry.items(), key=lambda item: item[0])) for _, entry in sorted(found.items())]


def _times(top: str, depth: int = 2) -> Iterator[str]:
    """Path and time of change of the folders below a folder, down to the benchmarks or runs."""
    if depth and Path(top).is_dir():
        with os.scandir(top) as entries:
            below = sorted((entry.path, entry.stat().st_mtime_ns) for entry in entries if entry.is_dir())
        for path, time in below:
            yield f"{path} {time}"
            yield from _times(path, depth - 1)
