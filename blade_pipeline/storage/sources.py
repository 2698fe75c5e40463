"""Remembers the digest of what a stage reads, so that files whose stamp is unchanged are not read again."""

import json
from collections.abc import Iterable
from pathlib import Path

from blade_pipeline.storage.store import Store
from blade_pipeline.storage.version import digest_of

FILE = "sources.json"

Learned = dict[str, tuple[str, str]]
"""Stamp and digest by the name of a source."""


class SourceMemo:
    """Digest of a source by name, trusted while every file's size, mtime, ctime and inode are the same."""

    def __init__(self, store: Store, *, trusted: bool = True) -> None:
        self._store = store
        self._trusted = trusted
        self._known: Learned = {}
        self._learned: Learned = {}
        self.refresh()

    def refresh(self) -> None:
        """Takes over what other processes saved meanwhile."""
        if self._trusted:
            self._known = {**_load(self._store), **self._learned}

    def get(self, name: str, stamp: str) -> str | None:
        """The digest remembered for a source with this stamp."""
        known = self._known.get(name)
        return known[1] if known is not None and known[0] == stamp else None

    def put(self, name: str, stamp: str, digest: str) -> None:
        """Remembers a digest."""
        self._known[name] = self._learned[name] = (stamp, digest)

    def learned_of(self, names: Iterable[str]) -> Learned:
        """What was learned of these sources since the memo was saved, to be adopted by another process's memo."""
        return {name: self._learned[name] for name in names if name in self._learned}

    def adopt(self, learned: Learned) -> None:
        """Remembers what another process's memo learned."""
        self._known |= learned
        self._learned |= learned

    def save(self) -> None:
        """Writes what was learned over what other processes saved meanwhile."""
        if not self._learned:
            return
        with self._store.lock([FILE]):
            self._write({**_load(self._store), **self._learned})
        self._learned = {}

    def forget(self, place: str) -> None:
        """Drops what was remembered of one run's or benchmark's files, in the store too."""
        self._learned = _without(self._learned, place)
        self._known = _without(self._known, place)
        with self._store.lock([FILE]):
            before = _load(self._store)
            if (kept := _without(before, place)) != before:
                self._write(kept)

    def _write(self, entries: Learned) -> None:
        content = json.dumps({name: list(entry) for name, entry in sorted(entries.items())})
        self._store.write_bytes(content.encode(), FILE)


def _without(entries: Learned, place: str) -> Learned:
    """The entries of other places; a name is ``<stage>/<place>``."""
    return {name: entry for name, entry in entries.items() if name.partition("/")[2] != place}


def stamp_of(paths: Iterable[Path]) -> str:
    """One digest over path, size, mtime, ctime and inode of files; a missing file counts as missing."""
    return digest_of([_stamp(path) for path in sorted(paths)])


def _stamp(path: Path) -> list[str | int]:
    try:
        status = path.stat()
    except OSError:
        return [str(path), "missing"]
    return [str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _load(store: Store) -> Learned:
    """The memo of a store; a missing or broken one is empty."""
    content = store.read_bytes(FILE)
    try:
        return {name: (str(stamp), str(digest)) for name, (stamp, digest) in json.loads(content or b"{}").items()}
    except (ValueError, AttributeError, TypeError):
        return {}
