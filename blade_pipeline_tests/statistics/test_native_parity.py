"""Every number that NeMo Gym 0.7.0 gives for the shared corpus, recomputed from the rows."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from blade_pipeline.statistics import native
from blade_pipeline_tests.statistics import corpus


def _expected(shared: Path, part: str) -> list[dict[str, Any]]:
    files = [json.loads(path.read_bytes()) for path in sorted((shared / "corpus/expected").glob("*.json"))]
    return [document for document in files if document[part].get("ok")]


def _rows(shared: Path, document: dict[str, Any]) -> list[dict[str, Any]]:
    return corpus.read_rows(shared / "corpus/runs" / document["benchmark"] / document["run"] / "rollouts.jsonl")


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for key in sorted(value) for number in _numbers(value[key])]
    return [number for item in value for number in _numbers(item)] if isinstance(value, list) else [value]


def _same(name: str, ours: dict[str, Any], theirs: dict[str, Any]) -> int:
    assert sorted(ours) == sorted(theirs), name
    for key, value in theirs.items():
        left, right = _numbers(ours[key]), _numbers(value)
        assert len(left) == len(right), (name, key)
        for mine, other in zip(left, right, strict=True):
            assert math.isclose(mine, other, rel_tol=1e-9, abs_tol=1e-9), (name, key, mine, other)
    return sum(len(_numbers(value)) for value in theirs.values())


def test_agent_metrics_equal_the_peers_on_every_file_it_accepts(shared: Path, record_property: Any) -> None:
    documents = _expected(shared, "aggregate")
    compared = 0
    for document in documents:
        rows = _rows(shared, document)
        task, repeat = corpus.indices(rows)
        ours = native.agent_metrics(task, repeat, corpus.columns(rows), corpus.masked(rows))
        compared += _same(document["benchmark"], ours, document["aggregate"]["agent_metrics"])
    record_property("told", f"native agent_metrics: {len(documents)} files and {compared} numbers compared")
    assert len(documents) >= 70


def test_pass_majority_equals_the_peers_on_every_file_it_accepts(shared: Path, record_property: Any) -> None:
    documents = _expected(shared, "pass_majority")
    compared = 0
    for document in documents:
        rows = [row for row in _rows(shared, document) if not row.get("mask_sample")]
        task, _repeat = corpus.indices(rows)
        key = document.get("answer_key")
        answers = [row.get(key) for row in rows] if key else None
        rewards = np.array([float(row["reward"]) for row in rows])
        ours = native.pass_majority(task, {"accuracy": rewards}, answers)
        compared += _same(document["benchmark"], ours, document["pass_majority"]["metrics"])
    record_property("told", f"native pass_majority: {len(documents)} files and {compared} numbers compared")
    assert len(documents) >= 99


def test_completion_and_coverage_equal_the_peers_on_the_masked_runs(shared: Path) -> None:
    documents = [document for document in _expected(shared, "aggregate") if "completion" in document]
    for document in documents:
        rows = _rows(shared, document)
        planned = corpus.read_rows(
            shared / "corpus/runs" / document["benchmark"] / document["run"] / "rollouts_materialized_inputs.jsonl"
        )
        sides = [{(row["_ng_task_index"], row["_ng_rollout_index"]) for row in side} for side in (planned, rows)]
        rollouts = sorted(sides[0] | sides[1])
        inputs, flags = np.array(rollouts)[:, 0], [np.array([one in side for one in rollouts]) for side in sides]
        assert native.profile_completion(inputs, *flags) == document["completion"]["value"]
        task, _repeat = corpus.indices(rows)
        assert native.coverage_block(task, corpus.masked(rows)) == document["coverage"]["value"]["coverage"]
    assert len(documents) == 2
