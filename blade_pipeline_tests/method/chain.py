"""From a run directory to scores, the way the assets go, for tests."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from blade_pipeline.gym import discover, read_expected, read_failures, read_health, read_manifest, read_rollouts
from blade_pipeline.method.align import align
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.comparison import Side
from blade_pipeline.method.coverage import coverage
from blade_pipeline.method.needed import LINES, OF_SCORES, OF_TASKS, ROWS, SCORED_ROWS, of_symptoms
from blade_pipeline.method.scores import scores
from blade_pipeline.models import Profile


@dataclass(frozen=True)
class Analyzed:
    rows: pa.Table
    aligned: pa.Table
    coverage: dict[str, Any]
    scores: dict[str, Any]
    per_task: pa.Table
    buckets: dict[str, str]
    bucket_counts: dict[str, int]
    manifest: dict[str, Any]

    def side(self, run: str) -> Side:
        return Side(run, self.manifest, self.coverage, self.scores, self.per_task, self.aligned)


def analyzed(run: Any, profile: Profile | None = None) -> Analyzed:
    profile = profile or Profile()
    rows, expected, failures = read_rollouts(run), read_expected(run), read_failures(run)
    health = read_health(run, sum(kind == "row" for kind in rows["line_class"].to_pylist()))
    manifest = read_manifest(run, rows, expected)
    aligned = align(expected, only(rows, ROWS), failures, health, profile)
    per_task, scored = scores(only(aligned, OF_SCORES), only(rows, SCORED_ROWS), profile)
    table, document = outcome_buckets(only(aligned, OF_TASKS), profile)
    lines, symptoms = only(rows, LINES), only(aligned, of_symptoms(profile))
    return Analyzed(
        rows=rows,
        aligned=aligned,
        coverage=coverage(symptoms, lines, failures, health, manifest, scored, profile),
        scores=scored,
        per_task=per_task,
        buckets=dict(zip(table["task"].to_pylist(), table["bucket"].to_pylist(), strict=True)),
        bucket_counts=document["counts"],
        manifest=manifest,
    )


def only(table: pa.Table, columns: Collection[str]) -> pa.Table:
    """The columns that a stage is given of a large table."""
    return table.select([name for name in table.column_names if name in columns])


def analyzed_folder(root: Path, profile: Profile | None = None) -> dict[str, Analyzed]:
    """Every run below a folder, by ``benchmark/run``."""
    return {f"{run.benchmark}/{run.run}": analyzed(run, profile) for run in discover(root).runs}


def rollout(task: int, repeat: int, reward: Any = 1.0, **extra: Any) -> dict[str, Any]:
    """One row of a rollouts file; ``reward=...`` leaves the reward out."""
    row = {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "agent_ref": {"name": "simple"},
        "response": {"id": f"r{task}-{repeat}", "model": "m", "output": []},
    }
    return row | ({} if reward is ... else {"reward": reward}) | extra


def planned(task: int, repeat: int, **extra: Any) -> dict[str, Any]:
    """One row of a materialized inputs file."""
    prompt = {"input": [{"role": "user", "content": f"question {task}"}]}
    keys = {"_ng_task_index": task, "_ng_rollout_index": repeat, "agent_ref": {"name": "simple"}}
    return {"responses_create_params": prompt} | keys | extra


def failure(task: int, repeat: int, name: str = "agent_request_failed", **extra: Any) -> dict[str, Any]:
    """One row of a failures sidecar."""
    keys = {"_ng_task_index": task, "_ng_rollout_index": repeat, "agent_ref": {"name": "simple"}}
    return keys | {"_ng_failure_class": name} | extra


def write_run(
    folder: Path,
    rows: Iterable[dict[str, Any] | str],
    inputs: Iterable[dict[str, Any]] | None = None,
    failures: Iterable[dict[str, Any]] | None = None,
) -> Path:
    """A run directory; a row given as text is written as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "rollouts.jsonl", rows)
    if inputs is not None:
        _write(folder / "rollouts_materialized_inputs.jsonl", inputs)
    if failures is not None:
        _write(folder / "rollouts_failures.jsonl", failures)
    return folder


def _write(path: Path, rows: Iterable[dict[str, Any] | str]) -> None:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines))
