"""Which files of a folder are the shards of its run, and which sidecars belong to them."""

import glob
from dataclasses import replace
from pathlib import Path

from blade_pipeline.gym.files import SUFFIXES, UNSAFE_PREFIX, RunFile, role_of
from blade_pipeline.gym.lines import Row, read_lines
from blade_pipeline.models import BladeError

ROLLOUTS = ("rollouts", "reverified")

_SNIFFED_LINES = 20
_DERIVED = {ending: role for ending, role in SUFFIXES.items() if ending.startswith("_")}


def run_file(path: Path) -> RunFile | None:
    """The file with its role; ``None`` when it vanished meanwhile."""
    try:
        status = path.stat()
    except OSError:
        return None
    return RunFile(role_of(path.name) or _role_by_content(path), path, status.st_size, status.st_mtime_ns)


def with_declared(run_yaml: Path, files: list[RunFile], patterns: tuple[str, ...]) -> list[RunFile]:
    """The files with exactly the declared ones as rollouts, and the sidecars of declared ones in folders below.

    Raises:
        BladeError: a pattern leaves the folder of the ``run.yaml`` or matches no file.
    """
    chosen = [match for pattern in patterns for match in _matches(run_yaml, pattern)]
    found: dict[Path, RunFile] = {file.path: file for file in files}
    for path in chosen:
        if path.parent != run_yaml.parent:
            around = sorted(path.parent.glob(f"{glob.escape(path.stem)}_*"))
            found |= {file.path: file for near in around if (file := run_file(near)) is not None}
        if (file := run_file(path)) is not None:
            found[path] = replace(file, role="rollouts")
    return [
        replace(file, role="other") if file.role in ROLLOUTS and file.path not in chosen else file
        for file in found.values()
    ]


def chosen_shards(files: list[RunFile]) -> tuple[Path, ...]:
    """Rollouts in name order; re-verified ones only where there are no others."""
    for role in ROLLOUTS:
        if paths := sorted(file.path for file in files if file.role == role):
            return tuple(paths)
    return ()


def without_strangers(files: list[RunFile], shards: tuple[Path, ...]) -> list[RunFile]:
    """The files with the sidecars of rollouts that are not used as ``other``: they speak of other rows."""
    used = {(path.parent, path.stem) for path in shards}
    unused = {
        (file.path.parent, file.path.stem)
        for file in files
        if file.path not in shards and file.path.suffix == ".jsonl" and file.role in (*ROLLOUTS, "other")
    }
    return [replace(file, role="other") if _stem(file) in unused - used else file for file in files]


def _stem(file: RunFile) -> tuple[Path, str] | None:
    endings = [ending for ending, role in _DERIVED.items() if role == file.role and file.path.name.endswith(ending)]
    return (file.path.parent, file.path.name[: -len(max(endings, key=len))]) if endings else None


def _matches(run_yaml: Path, pattern: str) -> list[Path]:
    folder = run_yaml.parent
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern.strip():
        raise BladeError(f"{run_yaml}: rollouts {pattern!r} must be a name or pattern inside its folder.")
    try:
        matches = sorted(match for match in folder.glob(pattern) if match.is_file())
    except (ValueError, OSError):
        matches = []
    if not matches:
        raise BladeError(f"{run_yaml}: rollouts {pattern!r} matches no file; mend the name.")
    return matches


def _role_by_content(path: Path) -> str:
    """``rollouts`` for JSON lines whose first readable row looks like one, else ``other``."""
    if path.suffix != ".jsonl":
        return "other"
    try:
        row = _first_row(path)
    except BladeError:
        return "other"
    if row is None or not _is_rollout(row):
        return "other"
    return "reverified" if path.name.startswith(UNSAFE_PREFIX) else "rollouts"


def _first_row(path: Path) -> Row | None:
    for line in read_lines(path):
        if line.row is not None:
            return line.row
        if line.number == _SNIFFED_LINES:
            break
    return None


def _is_rollout(row: Row) -> bool:
    return "reward" in row or "_ng_task_index" in row or ("responses_create_params" in row and "response" in row)
