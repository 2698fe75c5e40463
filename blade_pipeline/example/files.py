"""Writes the files of a run directory in NeMo Gym's layouts."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from blade_pipeline.example.aggregate import aggregate_entries
from blade_pipeline.example.benchmark import Json
from blade_pipeline.example.config import gym_config, job_config, job_record
from blade_pipeline.example.health import quality_summary, verdict_rows
from blade_pipeline.example.plan import Run, Size
from blade_pipeline.example.rows import materialized_rows
from blade_pipeline.example.simulate import Result

TRUTH = "truth.json"


def refuse_existing(out: Path, runs: Iterable[Run]) -> None:
    """Make sure that nothing a user owns would be overwritten or mixed with other runs.

    Raises:
        FileExistsError: a folder that would be written is there already and not empty, or ``truth.json`` exists.
    """
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"{out} is a file; name a folder for the example.")
    for name in dict.fromkeys([*(run.benchmark.name for run in runs), *(run.directory.split("/")[0] for run in runs)]):
        folder = out / name
        if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
            raise FileExistsError(f"{folder} exists and is not empty; name another folder or move it away.")
    if (out / TRUTH).exists():
        raise FileExistsError(f"{out / TRUTH} exists; name another folder or move it away.")


def write_run(out: Path, size: Size, result: Result) -> Path:
    """Write all files of one run and answer with the folder of its rollouts."""
    run = result.run
    folder = out / run.directory
    folder.mkdir(parents=True, exist_ok=True)
    if run.benchmark.layout == "submit":
        job = folder.parent.parent
        _write(job / "resolved-config.yaml", _yaml(job_config(size, run)))
        write_json(job / "gym-job.json", job_record(run), indent=2)
    _write(folder / "rollouts_materialized_inputs.jsonl", _lines(materialized_rows(size, run, result.tasks)))
    _write(folder / "rollouts_resolved_config.yaml", _yaml(gym_config(size, run)))
    _write(folder / "rollouts.jsonl", _lines(result.rows))
    _write(folder / "rollouts_failures.jsonl", _lines(result.failures))
    write_json(folder / "rollouts_aggregate_metrics.json", aggregate_entries(result), indent=2)
    if run.damaged:
        verdicts = verdict_rows(result)
        write_json(folder / "quality_summary.json", quality_summary(result, verdicts), indent=2)
        _write(folder / "rollout_verdicts.jsonl", _lines(verdicts))
    return folder


def write_json(path: Path, document: Any, indent: int | None = None) -> None:
    """Write a JSON document that ends in a newline, on one line unless indented."""
    _write(path, json.dumps(document, indent=indent, ensure_ascii=False) + "\n")


def _lines(rows: Iterable[Json]) -> str:
    return "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows)


def _yaml(document: Json) -> str:
    return yaml.safe_dump(document, sort_keys=False, width=120)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
