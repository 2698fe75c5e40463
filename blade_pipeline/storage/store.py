"""The folder or bucket where every artifact, report and piece of bookkeeping lies."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from blade_pipeline.models import BladeError
from blade_pipeline.storage.artifact import Artifact, Stored
from blade_pipeline.storage.atomic import TEMPORARY_PREFIX, sweep, write_atomic
from blade_pipeline.storage.cell import Cell
from blade_pipeline.storage.encoding import decode_json, decode_parquet, encode
from blade_pipeline.storage.lease import leased
from blade_pipeline.storage.lock import locked

SHAREABLE = "shareable"
"""The only folder of a store that is meant to leave the team."""
SHARING = ("shareable_report", "shareable_page")
"""The assets whose files lie there, under names that may be pseudonyms."""
ENDINGS = (".parquet", ".json")
PROTOCOLS = ("file", "local", "memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss")
"""Where a file can be replaced at once: disks, and object stores that replace it with one PUT."""

_OPTIONS = {"use_listings_cache": False, "max_concurrency": 1}
"""A listing tells what is there now, and a file is read in one request: in several, halves of two files may come."""


class MissingArtifactError(BladeError):
    """The artifact was never made, or its file is gone."""


class Store:
    """Reads and writes artifacts by asset name and cell, and the published files.

    ``root`` is a folder or the URL of an object store, such as ``s3://bucket/blade``. On a disk every file is replaced
    by rename; elsewhere by one PUT.
    """

    def __init__(self, root: str | Path) -> None:
        """Opens the store.

        Raises:
            BladeError: the URL is none of these, or needs a package that is not installed.
        """
        self.filesystem: Any
        self.filesystem, resolved = _opened(str(root))
        self.root = str(resolved).rstrip("/")
        self.local = isinstance(self.filesystem, LocalFileSystem)

    def path(self, *parts: str) -> str:
        """Full path of a file in the store."""
        return "/".join((self.root, *parts))

    def url(self, *parts: str) -> str:
        """The same as a program names it that the store's file system is registered with; on a disk the path."""
        path = self.path(*parts)
        return path if self.local else str(self.filesystem.unstrip_protocol(path))

    def write(self, asset: str, cell: Cell, artifact: Artifact) -> str:
        """Publishes the artifact's files, then replaces the artifact; answers its data version.

        Raises:
            ValueError: the document holds NaN or an infinite number.
        """
        ending, content, version = encode(artifact)
        self.publish(cell, artifact.files)
        if artifact.shared is not None:
            self._share(asset, cell, artifact.shared)
        self.write_bytes(content, *_parts(asset, cell, ending))
        for other in ENDINGS:
            if other != ending:
                self.remove(*_parts(asset, cell, other))
        return version

    def read(self, asset: str, cell: Cell, columns: Collection[str] | None = None) -> Stored:
        """The artifact and the version it carries, from one file; of a large table only the ``columns`` named.

        Raises:
            MissingArtifactError: there is none.
        """
        content = self.read_bytes(*_parts(asset, cell, ".parquet"))
        if content is not None:
            return decode_parquet(content, columns)
        content = self.read_bytes(*_parts(asset, cell, ".json"))
        if content is None:
            raise MissingArtifactError(f"{asset} of {cell} is not there yet; run blade analyze first.")
        return decode_json(content)

    def artifacts(self) -> dict[tuple[str, Cell], str]:
        """Path of every artifact that is there, from one listing."""
        base = self.path("artifacts")
        keys = ((_key(path[len(base) + 1 :]), path) for path in self.listed("artifacts"))
        return {key: path for key, path in keys if key is not None}

    def publish(self, cell: Cell, files: Mapping[str, bytes]) -> None:
        """Replaces files under ``reports/``, each atomically, and pages last: whoever sees a page finds the rest."""
        for name in sorted(files, key=lambda name: name.endswith(".html")):
            self.write_bytes(files[name], *_report_parts(cell, name))

    def published(self) -> set[str]:
        """Paths of all published files, relative to ``reports/``."""
        base = self.path("reports")
        return {path[len(base) + 1 :] for path in self.listed("reports")}

    def _share(self, asset: str, cell: Cell, files: Mapping[str, bytes]) -> None:
        """Replaces what an artifact shares: first the old files go that are no longer among them."""
        for path in self.shared_by(asset, cell):
            if path not in files:
                self.remove(SHAREABLE, path)
        for path, content in files.items():
            self.write_bytes(content, SHAREABLE, path)

    def shared_by(self, asset: str, cell: Cell) -> list[str]:
        """Paths below ``shareable/`` of what the artifact that is there shares."""
        try:
            document = self.read(asset, cell).artifact.document or {}
        except MissingArtifactError:
            return []
        return list(document.get("shared", ()))

    def is_shared(self, asset: str, cell: Cell) -> bool:
        """Whether everything that the artifact shares is there."""
        return all(self.filesystem.exists(self.path(SHAREABLE, path)) for path in self.shared_by(asset, cell))

    def report_path(self, cell: Cell, name: str) -> str:
        """Where a published file lies."""
        return self.path(*_report_parts(cell, name))

    def read_bytes(self, *parts: str) -> bytes | None:
        """Content of a file, or None when it is not there."""
        try:
            content: bytes = self.filesystem.cat_file(self.path(*parts))
        except FileNotFoundError:
            return None
        return content

    def write_bytes(self, content: bytes, *parts: str) -> None:
        """Replaces a file atomically.

        Raises:
            BladeError: there is no room for it, or the place cannot be written.
        """
        path = self.path(*parts)
        try:
            write_atomic(self.filesystem, path, content, local=self.local)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise BladeError(f"{path} cannot be written ({reason}); mend that and try again.") from error

    def remove(self, *parts: str) -> None:
        """Deletes a file; nothing happens when it is not there."""
        with suppress(FileNotFoundError):
            self.filesystem.rm_file(self.path(*parts))

    def sweep(self) -> int:
        """Deletes what killed writers left behind; answers how many files. An object store has nothing to sweep."""
        return sweep(Path(self.root)) if self.local else 0

    @contextmanager
    def lock(self, names: Iterable[str]) -> Iterator[None]:
        """Keeps every other process that has this store from working on the same names, on whatever machine.

        On a disk a lock file does; it falls with its process, and on a network disk needs one that passes locks on.
        """
        with ExitStack() as held:
            if self.local:
                for name in sorted(set(names)):
                    held.enter_context(locked(Path(self.path(".locks", f"{name}.lock"))))
            else:
                held.enter_context(leased(self.filesystem, self.path(".locks"), names))
            yield

    def listed(self, *parts: str) -> list[str]:
        """Full paths of the files below a folder in order; half-written ones are left out.

        A folder is listed without looking at its files, which takes a twentieth of the time of ``find``.
        """
        base = self.path(*parts)
        paths = _files_below(base) if self.local else self.filesystem.find(base)
        return sorted(path for path in paths if not path.rpartition("/")[2].startswith(TEMPORARY_PREFIX))


def _opened(root: str) -> tuple[Any, str]:
    """File system and path of a folder or URL."""
    protocol = fsspec.core.split_protocol(root)[0]
    if "::" in root or (protocol not in PROTOCOLS if protocol else "://" in root):
        urls = ", ".join(f"{name}://" for name in PROTOCOLS)
        raise BladeError(f"A store is a folder or one URL of {urls}; it cannot be {_without_secrets(root)}.")
    try:
        filesystem, path = fsspec.core.url_to_fs(root, **_OPTIONS)
        if not isinstance(filesystem, LocalFileSystem):
            filesystem.info(path.partition("/")[0])
    except FileNotFoundError:
        raise BladeError(f"A store at {protocol}:// cannot be opened: there is no such bucket; create it.") from None
    except Exception as error:  # whatever the file system's package raises
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        if isinstance(error, ImportError) and protocol in ("s3", "s3a"):
            reason += " (the extra s3 of blade_pipeline)"
        raise BladeError(f"A store at {protocol}:// cannot be opened: {reason}; or name a folder.") from error
    return filesystem, str(path)


def _without_secrets(root: str) -> str:
    """The URL's kind alone: the rest may hold a password."""
    return f"{root.partition('://')[0]}://" if "://" in root else root


def _parts(asset: str, cell: Cell, ending: str) -> tuple[str, ...]:
    place = (cell.benchmark,) if cell.run is None else (cell.benchmark, cell.run)
    return ("artifacts", asset, *place[:-1], place[-1] + ending)


def _report_parts(cell: Cell, name: str) -> tuple[str, ...]:
    place = (cell.benchmark,) if cell.run is None else (cell.benchmark, cell.run)
    return ("reports", *place, name)


def _files_below(folder: str) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        yield from (f"{place}/{name}" for name in names)


def _key(place: str) -> tuple[str, Cell] | None:
    """Asset and cell of a path below ``artifacts/``; None for a stranger."""
    stem, dot, ending = place.rpartition(".")
    asset, *names = stem.split("/")
    if dot + ending not in ENDINGS or len(names) not in (1, 2) or not names[-1]:
        return None
    return asset, Cell(*names)
