"""What each file of a run directory is, told from its name alone."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Layout = Literal["run.yaml", "submit", "plain"]

FIXED_NAMES = {
    "rollout_verdicts.jsonl": "rollout_verdicts",
    "quality_summary.json": "quality_summary",
    "compare_report.json": "compare_report",
    "compare_report.md": "compare_report",
    "suite_compare_report.json": "compare_report",
    "run.yaml": "run_yaml",
    "gym-job.json": "gym_job",
    "resolved-config.yaml": "submit_config",
    "resolved_config.yaml": "resolved_config",
}

SUFFIXES = {
    "_materialized_inputs.jsonl": "materialized_inputs",
    "_failures.jsonl": "failures",
    "_aggregate_metrics.json": "aggregate_metrics",
    "_reward_profiling.jsonl": "reward_profiling",
    "_agent_metrics.json": "agent_metrics",
    "_repeat_level_metrics.json": "repeat_level_metrics",
    "_multistage_state.jsonl": "multistage_state",
    "_resolved_config.yaml": "resolved_config",
    "_coverage.json": "coverage",
    "_manifest.json": "manifest",
    "_sources.json": "sources",
    "_batch_status.json": "batch_status",
    "_run_summary.json": "run_summary",
    "_provenance.json": "provenance",
    "_attempts.jsonl": "attempts",
    "_rollout_verdicts.jsonl": "rollout_verdicts",
    "_run_id": "exporter_state",
    "_export_done": "exporter_state",
    ".capture.jsonl": "capture",
    ".capture.incomplete": "capture",
    ".jsonl.upload.tmp": "upload_spool",
    ".log": "log",
}
"""Known endings of names and their role; the longest that fits decides."""

_BY_LENGTH = sorted(SUFFIXES.items(), key=lambda item: -len(item[0]))

UNSAFE_PREFIX = "unsafe_"


@dataclass(frozen=True)
class RunFile:
    """One file of a run directory.

    ``role`` is ``rollouts``, ``reverified`` (rewards of a forced re-verification), one of the known endings'
    roles, or ``other``; ``size`` is in bytes and ``mtime_ns`` in nanoseconds since 1970.
    """

    role: str
    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class RunDirectory:
    """One run as found on disk.

    ``benchmark`` and ``run`` are safe for partition names and paths; the ``original_`` ones are what the
    directory or its ``run.yaml`` says. ``rollouts`` are the shards in name order; it is empty when a run left
    only its inputs, its failures or a reward profile.
    """

    benchmark: str
    run: str
    path: Path
    layout: Layout
    original_benchmark: str
    original_run: str
    rollouts: tuple[Path, ...]
    files: tuple[RunFile, ...]
    model: str | None = None
    notes: str | None = None

    def having(self, *roles: str) -> tuple[RunFile, ...]:
        """The files with any of these roles, in path order."""
        return tuple(file for file in self.files if file.role in roles)

    def relative(self, path: Path) -> str:
        """Name of a file as reports show it: relative to the run directory, with forward slashes."""
        return Path(os.path.relpath(path, self.path)).as_posix()


def role_of(name: str) -> str | None:
    """Role that a file name alone decides; ``None`` where the content must be asked."""
    if name in FIXED_NAMES:
        return FIXED_NAMES[name]
    for ending, role in _BY_LENGTH:
        if name.endswith(ending):
            return role
    if name.endswith(".jsonl") and "rollouts" in name:
        return "reverified" if name.startswith(UNSAFE_PREFIX) else "rollouts"
    return None
