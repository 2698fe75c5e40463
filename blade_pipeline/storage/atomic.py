"""Writes that a reader sees whole or not at all, on a disk or in an object store."""

import os
import tempfile
from pathlib import Path
from typing import Any

TEMPORARY_PREFIX = ".writing-"


def write_atomic(filesystem: Any, path: str, content: bytes, *, local: bool) -> None:
    """Replaces a file at once: temporary file, fsync and rename on a disk, one PUT elsewhere."""
    if local:
        _replace_local(Path(path), content)
    else:
        filesystem.pipe_file(path, content)


def _replace_local(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY_PREFIX)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
