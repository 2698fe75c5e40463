"""Writes that a reader sees whole or not at all, on a disk or in an object store."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from blade_pipeline.storage.lock import in_use, is_unused, remove_unused

TEMPORARY_PREFIX = ".writing-"


def write_atomic(filesystem: Any, path: str, content: bytes, *, local: bool) -> None:
    """Replaces a file at once: temporary file, fsync and rename on a disk, one PUT elsewhere."""
    if local:
        _replace_local(Path(path), content)
    else:
        filesystem.pipe_file(path, content)


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


def _replace_local(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _temporary(path.parent) as (handle, temporary):
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def _temporary(folder: Path) -> Iterator[tuple[int, Path]]:
    """A fresh file that is marked as used; one that was swept away before it was marked is made again."""
    while True:
        handle, name = tempfile.mkstemp(dir=folder, prefix=TEMPORARY_PREFIX)
        with in_use(handle):
            if Path(name).exists():
                yield handle, Path(name)
                return
            os.close(handle)


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
