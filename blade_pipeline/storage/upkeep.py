"""How large a store is, what killed writers left in it, and which files go with a run."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from blade_pipeline.storage.atomic import leftovers
from blade_pipeline.storage.cell import Cell
from blade_pipeline.storage.store import SHAREABLE, SHARING, Store

PUBLISHED = ("reports", SHAREABLE)
"""Folders of pages for people: ``<benchmark>/`` with its own pages, and ``<benchmark>/<run>/``."""


def sizes_of(store: Store) -> dict[str, int]:
    """Bytes below each part of the store: its folders, and files at its top under their names."""
    found: dict[str, int] = {}
    for path, entry in store.filesystem.find(store.root, detail=True).items():
        part = path[len(store.root) + 1 :].partition("/")[0]
        found[part] = found.get(part, 0) + int(entry["size"] or 0)
    return found


def leftovers_of(store: Store) -> list[str]:
    """The files that the store's ``sweep`` would delete."""
    return [str(path) for path in leftovers(Path(store.root))] if store.local else []


def files_of(store: Store, cell: Cell) -> dict[str, int]:
    """Bytes of every file that belongs to a run or, for a benchmark's own cell, to the benchmark alone."""
    artifacts = {path: store.filesystem.size(path) for (_, of), path in store.artifacts().items() if of == cell}
    pages: dict[str, int] = {}
    for folder in PUBLISHED:
        base = store.path(folder, *str(cell).split("/"))
        depth = None if cell.run is not None else 1
        found = store.filesystem.find(base, maxdepth=depth, detail=True)
        pages |= {path: entry["size"] for path, entry in found.items() if path.startswith(f"{base}/")}
    shared = (store.path(SHAREABLE, path) for asset in SHARING for path in store.shared_by(asset, cell))
    pages |= {path: store.filesystem.size(path) for path in shared if store.filesystem.exists(path)}
    return pages | artifacts


def delete(store: Store, paths: Iterable[str]) -> None:
    """Deletes files by their full paths, and on a disk the folders of their run or benchmark if empty then."""
    for path in paths:
        with suppress(FileNotFoundError):
            store.filesystem.rm_file(path)
        if store.local:
            _leave(store, Path(path).parent)


def _leave(store: Store, folder: Path) -> None:
    """Removes empty folders from here up to the folder of an asset or of a kind of page."""
    while len(folder.relative_to(store.root).parts) > (2 if folder.is_relative_to(store.path("artifacts")) else 1):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
