"""Run directories whose settings stand in their files, and the manifests read from them."""

import json
from pathlib import Path
from typing import Any

import yaml

from blade_pipeline.gym import RunDirectory, read_expected, read_manifest, read_rollouts
from blade_pipeline_tests.gym.run_folder import jsonl, only_run, write_run

CONFIG = "rollouts_resolved_config.yaml"


def manifest_of(run: RunDirectory) -> dict[str, Any]:
    return read_manifest(run, read_rollouts(run), read_expected(run))


def values_of(run: RunDirectory) -> dict[str, Any]:
    return {key: value["value"] for key, value in manifest_of(run)["values"].items()}


def configured(folder: Path, config: dict[str, Any], *rows: Any, **files: Any) -> RunDirectory:
    others = {CONFIG: yaml.safe_dump(config)} | files
    return write_run(folder, jsonl(*rows), others=others)


def submitted(
    folder: Path, gym: dict[str, Any], submit: dict[str, Any], job: dict[str, Any] | None = None
) -> RunDirectory:
    root = folder / "gym-job-20261103T080910Z-0a1b2c"
    artifacts = root / "sums" / "artifacts"
    artifacts.mkdir(parents=True)
    (artifacts / "rollouts.jsonl").write_bytes(jsonl({"reward": 1.0}))
    (artifacts / CONFIG).write_text(yaml.safe_dump(gym))
    (root / "resolved-config.yaml").write_text(yaml.safe_dump(submit))
    (root / "gym-job.json").write_text(json.dumps(job or {}))
    return only_run(folder)
