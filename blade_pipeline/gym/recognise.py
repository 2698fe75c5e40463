"""Tells whether one folder is a run directory, and what the run is called."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from blade_pipeline.gym.files import UNSAFE_PREFIX, Layout, RunDirectory, RunFile, role_of
from blade_pipeline.gym.lines import LINE_CAP, Row, read_lines
from blade_pipeline.gym.naming import safe_name
from blade_pipeline.gym.runyaml import RunYaml, read_run_yaml
from blade_pipeline.models import BladeError

EVIDENCE = ("rollouts", "reverified", "materialized_inputs", "failures", "reward_profiling")
"""Roles of files that make a folder a run."""

_JOB_FILES = ("gym-job.json", "resolved-config.yaml")
_SNIFFED_LINES = 20
_LOG_FOLDER = "logs"


@dataclass(frozen=True)
class Folder:
    """A searched folder and its plain files."""

    path: Path
    files: tuple[os.DirEntry[str], ...]


def recognise(folder: Folder) -> RunDirectory | None:
    """The run that a folder holds, or ``None``.

    Raises:
        BladeError: its ``run.yaml`` is broken or names rollouts that are not there.
    """
    files = [file for entry in folder.files if (file := _run_file(entry)) is not None]
    declared = next((read_run_yaml(file.path) for file in files if file.role == "run_yaml"), None)
    if declared is not None and declared.rollouts:
        files = _with_declared(folder.path, files, declared)
    if not any(file.role in EVIDENCE for file in files):
        if declared is not None:
            raise BladeError(f"{folder.path / 'run.yaml'} stands beside no rollouts; add them or name them in it.")
        return None
    layout, benchmark, run = _names(folder.path, declared)
    files += _files_around(folder.path, layout)
    return RunDirectory(
        benchmark=safe_name(benchmark),
        run=safe_name(run),
        path=folder.path,
        layout=layout,
        original_benchmark=benchmark,
        original_run=run,
        rollouts=_shards(files),
        files=tuple(sorted(files, key=lambda file: file.path)),
        model=declared.model if declared else None,
        notes=declared.notes if declared else None,
    )


def _run_file(entry: os.DirEntry[str]) -> RunFile | None:
    """The file with its role; ``None`` when it vanished meanwhile."""
    path = Path(entry.path)
    try:
        status = entry.stat()
    except OSError:
        return None
    return RunFile(role_of(entry.name) or _role_by_content(path), path, status.st_size, status.st_mtime_ns)


def _role_by_content(path: Path) -> str:
    """``rollouts`` for JSON lines whose first readable row looks like one, else ``other``."""
    if path.suffix != ".jsonl":
        return "other"
    try:
        return _role_of_lines(path)
    except BladeError:
        return "other"


def _role_of_lines(path: Path) -> str:
    for line in read_lines(path, LINE_CAP):
        if line.row is not None:
            if not _is_rollout(line.row):
                return "other"
            return "reverified" if path.name.startswith(UNSAFE_PREFIX) else "rollouts"
        if line.number == _SNIFFED_LINES:
            break
    return "other"


def _is_rollout(row: Row) -> bool:
    return "reward" in row or "_ng_task_index" in row or ("responses_create_params" in row and "response" in row)


def _with_declared(path: Path, files: list[RunFile], declared: RunYaml) -> list[RunFile]:
    """The files with exactly the declared ones as rollouts."""
    chosen: dict[Path, RunFile] = {}
    for pattern in declared.rollouts:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern.strip():
            raise BladeError(f"{path / 'run.yaml'}: rollouts {pattern!r} must be a name or pattern inside its folder.")
        matches = sorted(match for match in path.glob(pattern) if match.is_file())
        if not matches:
            raise BladeError(f"{path / 'run.yaml'}: rollouts {pattern!r} matches no file; mend the name.")
        for match in matches:
            status = match.stat()
            chosen[match] = RunFile("rollouts", match, status.st_size, status.st_mtime_ns)
    rest = [file for file in files if file.path not in chosen]
    others = [replace(file, role="other") if file.role in EVIDENCE[:2] else file for file in rest]
    return [*chosen.values(), *others]


def _shards(files: list[RunFile]) -> tuple[Path, ...]:
    """Rollouts in name order; re-verified ones only where there are no others."""
    for role in EVIDENCE[:2]:
        if paths := sorted(file.path for file in files if file.role == role):
            return tuple(paths)
    return ()


def _names(path: Path, declared: RunYaml | None) -> tuple[Layout, str, str]:
    """Layout and original names: of the ``run.yaml``, of a submitted job, else of the folders."""
    layout: Layout = "plain"
    benchmark, run = path.parent.name, path.name
    if _is_submitted(path):
        layout, benchmark, run = "submit", path.parent.name, path.parent.parent.name
    if declared is not None:
        layout = "run.yaml"
        benchmark, run = declared.benchmark or benchmark, declared.model_run or run
    return layout, benchmark or "benchmark", run or "run"


def _is_submitted(path: Path) -> bool:
    return path.name == "artifacts" and bool(path.parent.parent.name)


def _files_around(path: Path, layout: Layout) -> list[RunFile]:
    """Of a submitted job: its record and config two levels up, and its logs."""
    if layout == "plain" or not _is_submitted(path):
        return []
    job = path.parent.parent
    logs = path.parent / _LOG_FOLDER
    around = [job / name for name in _JOB_FILES]
    try:
        around += sorted(logs.glob("*.log"))
    except OSError:
        return _existing(around[:2])
    return _existing(around)


def _existing(paths: list[Path]) -> list[RunFile]:
    found = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        found.append(RunFile(role_of(path.name) or "other", path, status.st_size, status.st_mtime_ns))
    return found
