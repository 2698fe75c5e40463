"""Digests of the files a stage reads; within one process a file that did not change is read once."""

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.lines import unreadable

_BLOCK = 2**20


class _Stamp(NamedTuple):
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class DigestCache:
    """Remembers the SHA-256 of files by path; trusted while size, mtime_ns, ctime_ns and inode are equal."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[_Stamp, str]] = {}

    def sha256(self, path: Path) -> str:
        """Hex SHA-256 of a file's bytes; a file that changes while it is read is not remembered.

        Raises:
            BladeError: the file cannot be read.
        """
        try:
            before = _stamp(path)
            known = self._known.get(path)
            if known is not None and known[0] == before:
                return known[1]
            content = _hash(path)
            if _stamp(path) == before:
                self._known[path] = (before, content)
        except OSError as error:
            raise unreadable(path, error) from error
        return content


def source_digest(run: RunDirectory, roles: Collection[str], cache: DigestCache | None = None) -> str:
    """SHA-256 over (role, relative name, content SHA-256) of the run's files with these roles.

    Raises:
        BladeError: a file cannot be read.
    """
    trusted = DigestCache() if cache is None else cache
    total = hashlib.sha256()
    for file in sorted(run.having(*roles), key=lambda file: (file.role, run.relative(file.path))):
        entry = [file.role, run.relative(file.path), trusted.sha256(file.path)]
        total.update(json.dumps(entry).encode() + b"\n")
    return total.hexdigest()


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    return _Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _hash(path: Path) -> str:
    content = hashlib.sha256()
    with path.open("rb", buffering=0) as stream:
        while block := stream.read(_BLOCK):
            content.update(block)
    return content.hexdigest()
