"""Finds run directories below a folder, in any of the three layouts."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.packed import passed_over
from blade_pipeline.gym.public import without_secrets
from blade_pipeline.gym.recognise import Folder, files_around, recognise
from blade_pipeline.models import BladeError

SKIPPED_FOLDERS = frozenset({"preprocessed_datasets", "logs", "model-calls", "otel", "__pycache__", "node_modules"})


@dataclass(frozen=True)
class Discovery:
    """``runs`` in the order of their paths, and one sentence per ``problem``, each naming its path."""

    runs: list[RunDirectory]
    problems: list[str]


def discover(root: Path) -> Discovery:
    """All runs at or below ``root``.

    Hidden folders and those of logs, captures and preprocessed data are not searched. Links to folders are followed
    unless they lead back or above. Two folders with the same names are a problem and neither is a run.

    Raises:
        BladeError: ``root`` is no folder.
    """
    start = _start(root)
    problems: list[str] = []
    found: list[RunDirectory] = []
    for folder in sorted(_folders(start, problems), key=lambda folder: folder.path):
        try:
            run = recognise(folder)
        except BladeError as problem:
            problems.append(without_secrets(str(problem)))
        else:
            if run is not None:
                found.append(run)
                problems += [said for path in folder.others if (said := passed_over(path)) is not None]
    return Discovery(_unique(_without_claimed(found), problems), problems)


def signature(root: Path) -> str:
    """Digest of name, size, times and inode of every file that ``discover`` looks at; it opens none.

    Raises:
        BladeError: ``root`` is no folder.
    """
    problems: list[str] = []
    total = hashlib.sha256()
    for folder in _folders(_start(root), problems):
        files: list[os.DirEntry[str] | Path] = [*folder.files, *_beyond(folder)]
        total.update("\n".join(map(_stamp, files)).encode("utf-8", "surrogateescape"))
    total.update("\n".join(problems).encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _beyond(folder: Folder) -> Iterator[Path]:
    """Files of a folder's run that need not lie in a searched folder: around a submitted job, below a ``run.yaml``."""
    yield from (file.path for file in files_around(folder.path, "submit"))
    if any(file.name == "run.yaml" for file in folder.files):
        yield from (Path(place, name) for place, _, names in os.walk(folder.path) for name in names)


def _stamp(file: os.DirEntry[str] | Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return f"{os.fspath(file)} gone"
    return f"{os.fspath(file)} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _start(root: Path) -> Path:
    """The folder as a full path, whose own links stay as the caller wrote them."""
    start = Path(os.path.normpath(root.absolute()))
    if not start.is_dir():
        what = "is a file" if start.exists() else "does not exist"
        raise BladeError(f"{root} {what}; give a folder that holds run directories.")
    return start


def _folders(start: Path, problems: list[str]) -> Iterator[Folder]:
    """Every folder once; real ones before those reached only through a link."""
    visited: set[tuple[int, int]] = set()
    waiting = [start]
    links: list[Path] = []
    real_start = start.resolve()
    while waiting or links:
        path = waiting.pop() if waiting else links.pop(0)
        try:
            status = path.stat()
            identity = (status.st_dev, status.st_ino)
            if identity in visited:
                continue
            visited.add(identity)
            with os.scandir(path) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            problems.append(f"{path} cannot be searched ({error.strerror}); mend its permissions or move it away.")
            continue
        files = tuple(entry for entry in listed if _is_file(entry))
        yield Folder(path, files, tuple(Path(entry.path) for entry in listed if _is_other(entry)))
        below = [entry for entry in listed if _is_searched(entry)]
        waiting += [Path(entry.path) for entry in reversed(below) if not entry.is_symlink()]
        links += [Path(entry.path) for entry in below if entry.is_symlink() and not _leads_above(entry, real_start)]


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file() and not entry.name.startswith(".")
    except OSError:
        return False


def _is_other(entry: os.DirEntry[str]) -> bool:
    """Whether it is there, not hidden, and no plain file."""
    try:
        return not entry.name.startswith(".") and not entry.is_file() and Path(entry.path).exists()
    except OSError:
        return False


def _is_searched(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir() and not entry.name.startswith(".") and entry.name not in SKIPPED_FOLDERS
    except OSError:
        return False


def _leads_above(entry: os.DirEntry[str], start: Path) -> bool:
    try:
        target = Path(entry.path).resolve(strict=True)
    except (OSError, RuntimeError):
        return True
    return start.is_relative_to(target)


def _without_claimed(runs: list[RunDirectory]) -> list[RunDirectory]:
    """Leaves out folders whose rollouts a ``run.yaml`` further up lists as its own shards."""
    claimed = {path for run in runs if run.layout == "run.yaml" for path in run.rollouts if path.parent != run.path}
    return [run for run in runs if run.layout == "run.yaml" or not claimed.intersection(run.rollouts)]


def _unique(runs: list[RunDirectory], problems: list[str]) -> list[RunDirectory]:
    by_name: dict[tuple[str, str], list[RunDirectory]] = defaultdict(list)
    for run in runs:
        by_name[run.benchmark, run.run].append(run)
    for (benchmark, name), same in by_name.items():
        if len(same) > 1:
            places = " and ".join(str(run.path) for run in same)
            problems.append(
                f"The run {name!r} of benchmark {benchmark!r} is in {places}; "
                "rename one folder or give it a run.yaml with another model_run."
            )
    return [run for run in runs if len(by_name[run.benchmark, run.run]) == 1]
