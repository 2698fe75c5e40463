"""Tells whether one folder is a run directory, and what the run is called."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from blade_pipeline.gym.files import Layout, RunDirectory, RunFile
from blade_pipeline.gym.naming import safe_name
from blade_pipeline.gym.packed import refuse_packed
from blade_pipeline.gym.runyaml import RunYaml, read_run_yaml
from blade_pipeline.gym.shards import ROLLOUTS, chosen_shards, run_file, with_declared, without_strangers
from blade_pipeline.models import BladeError

EVIDENCE = (*ROLLOUTS, "materialized_inputs", "failures", "reward_profiling")
"""Roles of files that make a folder a run."""

_JOB_FILES = ("gym-job.json", "resolved-config.yaml")
_LOG_FOLDER = "logs"


@dataclass(frozen=True)
class Folder:
    """A searched folder, its plain files, and what else than files and links to nothing lies there."""

    path: Path
    files: tuple[os.DirEntry[str], ...]
    others: tuple[Path, ...]


def recognise(folder: Folder) -> RunDirectory | None:
    """The run that a folder holds, or ``None``.

    Raises:
        BladeError: its ``run.yaml`` is broken or names rollouts that are not there, or rollouts are compressed.
    """
    files = [file for entry in folder.files if (file := run_file(Path(entry.path))) is not None]
    declared = next((read_run_yaml(file.path) for file in files if file.role == "run_yaml"), None)
    if declared is not None and declared.rollouts:
        files = with_declared(folder.path / "run.yaml", files, declared.rollouts)
    refuse_packed(files, declared=declared is not None and bool(declared.rollouts))
    if not any(file.role in EVIDENCE for file in files):
        if declared is not None:
            raise BladeError(f"{folder.path / 'run.yaml'} stands beside no rollouts; add them or name them in it.")
        return None
    layout, benchmark, run = _names(folder.path, declared)
    shards = chosen_shards(files)
    files = [*without_strangers(files, shards), *files_around(folder.path, layout)]
    return RunDirectory(
        benchmark=safe_name(benchmark),
        run=safe_name(run),
        path=folder.path,
        layout=layout,
        original_benchmark=benchmark,
        original_run=run,
        rollouts=shards,
        files=tuple(sorted(files, key=lambda file: file.path)),
        model=declared.model if declared else None,
        notes=declared.notes if declared else None,
    )


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


def files_around(path: Path, layout: Layout) -> list[RunFile]:
    """Of a submitted job's folder: its record and config two levels up, and its logs."""
    if layout == "plain" or not _is_submitted(path):
        return []
    job = path.parent.parent
    logs = path.parent / _LOG_FOLDER
    around = [job / name for name in _JOB_FILES]
    with suppress(OSError):
        around += sorted(logs.glob("*.log"))
    return [file for path in around if (file := run_file(path)) is not None]
