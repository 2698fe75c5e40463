"""Writes that a reader sees whole or not at all, on a disk or in an object store."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from blade_pipeline.storage.lock import in_use, is_unused, remove_unused

TEMPORARY_PREFIX = ".writing-"


def write_atomic(filesystem: Any, path: str, content: bytes, *, local: bool) -> None:
    """Replaces a file at once: temporary file, fsync and rename on a disk, one PUT elsewhere."""
    if local:
        replace_file(Path(path), content)
    else:
        filesystem.pipe_file(path, content)


def replace_file(path: Path, content: bytes) -> None:
    """Replaces a file of this machine at once, with the rights that the process gives to new files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _temporary(path.parent) as (stream, temporary):
        try:
            with stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def flush(root: Path) -> None:
    """Waits until the files below a folder are on the disk."""
    for path in root.rglob("*"):
        if path.is_file():
            with path.open("rb") as stream:
                os.fsync(stream.fileno())


def sweep(root: Path) -> int:
    """Deletes the temporary files that killed writers left below a folder; answers how many.

    A writer holds a lock on its file, which falls with its process, so that no file in use is touched.
    """
    return sum(map(remove_unused, _temporary_files(root)))


def leftovers(root: Path) -> list[Path]:
    """The temporary files that ``sweep`` would delete."""
    return sorted(filter(is_unused, _temporary_files(root)))


def _temporary_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in names if name.startswith(TEMPORARY_PREFIX))


@contextmanager
def _temporary(folder: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A fresh file that is marked as used; one that was swept away before it was marked is made again."""
    while True:
        path = folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
        with path.open("xb") as stream, in_use(stream.fileno()):
            if path.exists():
                yield stream, path
                return
