"""The four hand-written run directories, against the values counted by hand beside them."""

import json
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "cases" / "run_dirs" / "expected.json").read_text())
    return document


def only(shared: Path, layout: str, run: str) -> Analyzed:
    return analyzed_folder(shared / "cases" / "run_dirs" / layout)[run]


def contains(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize("benchmark", ["sums", "words"])
def test_submitted_run(shared: Path, expected: dict[str, Any], benchmark: str) -> None:
    job = "gym-job-20261103T080910Z-0a1b2c"
    wanted = expected[f"submitted/{job}/{benchmark}"]
    run = only(shared, "submitted", f"{benchmark}/{job}")
    contains(run.coverage["accounting"], wanted["accounting"])
    assert run.scores["pass_at_1"] == pytest.approx(wanted["pass_at_1"], abs=1e-12)
    for name in ("always_pass", "sometimes_pass", "always_fail"):
        assert run.bucket_counts[name] == wanted[f"{name}_tasks"]


def test_resumed_run(shared: Path, expected: dict[str, Any]) -> None:
    wanted = expected["resumed/sums/night-1"]
    run = only(shared, "resumed", "sums/night-1")
    contains(run.coverage["accounting"], wanted["accounting"])
    assert run.coverage["coverage"] == wanted["coverage"]
    assert run.coverage["measured_share"] == pytest.approx(wanted["measured_share"], abs=1e-12)
    assert run.scores["pass_at_1"] == wanted["pass_at_1"]
    assert run.scores["pass_at_1_micro"] == pytest.approx(4 / 7, abs=1e-12)
    low, high = wanted["bounds_pass_at_1"]
    assert run.scores["bounds"]["pass_at_1"] == {"low": pytest.approx(low), "high": pytest.approx(high)}
    assert run.buckets == {"0": "always_pass", "1": "sometimes_pass", "2": "missing", "3": "indeterminate"}
    recovered = run.aligned.filter(run.aligned["recovered"]).select(["task", "repeat"]).to_pylist()
    assert recovered == [{"task": "0", "repeat": "2"}]


def test_fan_out_with_a_conflict(shared: Path, expected: dict[str, Any]) -> None:
    agents = expected["fanout/sums/two-agents"]["agents"]
    run = only(shared, "fanout", "sums/two-agents")
    by_agent = {entry["agent"]: entry for entry in run.coverage["by"]["agent"]}
    for name, wanted in agents.items():
        contains(by_agent[name], wanted["accounting"])
        assert run.scores["agents"][name]["pass_at_1"] == wanted["pass_at_1"]
    conflict = run.aligned.to_pylist()
    [row] = [row for row in conflict if row["reason"] == "conflict"]
    assert (row["task"], row["repeat"], row["rank"]) == ("0", "3", 1)
    assert (row["score_low"], row["score_high"]) == (0.0, 1.0)


def test_run_that_is_still_being_written(shared: Path, expected: dict[str, Any]) -> None:
    run = only(shared, "writing", "sums/tonight")
    contains(run.coverage["accounting"], expected["writing/sums/tonight"]["accounting_when_read"])
