"""Digests of the files a stage reads, with a cache so that unchanged files are not read again."""

import hashlib
import json
import os
import tempfile
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
    """Remembers the SHA-256 of files by path.

    An entry is trusted while size, mtime_ns, ctime_ns and inode are equal. With a ``path`` the entries are loaded
    from that JSON file and ``save`` writes them back; a missing or broken file is an empty cache. With
    ``trusted=False`` every file is read again, and the cache only learns.
    """

    def __init__(self, path: Path | None = None, *, trusted: bool = True) -> None:
        self._path = path
        self._trusted = trusted
        self._known: dict[str, tuple[_Stamp, str]] = _load(path)
        self._learned: dict[str, tuple[_Stamp, str]] = {}

    def sha256(self, path: Path) -> str:
        """Hex SHA-256 of a file's bytes.

        Raises:
            BladeError: the file cannot be read.
        """
        try:
            before = _stamp(path)
            known = self._known.get(str(path))
            if self._trusted and known is not None and known[0] == before:
                return known[1]
            content = _hash(path)
            if _stamp(path) == before:
                self._known[str(path)] = self._learned[str(path)] = (before, content)
        except OSError as error:
            raise unreadable(path, error) from error
        return content

    def save(self) -> None:
        """Writes what was learned, merged over what other processes saved meanwhile; replaces the file atomically."""
        if self._path is None or not self._learned:
            return
        entries = {**_load(self._path), **self._learned}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=".digests-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump({path: [*stamp, content] for path, (stamp, content) in entries.items()}, stream)
            Path(name).replace(self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._learned = {}


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


def _load(path: Path | None) -> dict[str, tuple[_Stamp, str]]:
    if path is None:
        return {}
    try:
        entries = json.loads(path.read_bytes())
        return {name: (_Stamp(*map(int, entry[:4])), str(entry[4])) for name, entry in entries.items()}
    except (OSError, ValueError, TypeError, AttributeError, IndexError):
        return {}
