"""What an edition to share tells of the diagnosis: counts, and names of our own or pseudonyms, no text of a run."""

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace

import pytest

from blade_pipeline.reporting.sharing import build_shareable
from blade_pipeline_tests.reporting.samples import mixed_run

PRIVATE = "zebra-lagoon"
MOVED = {
    "name": "topic = sums", "tasks": 5, "a": 0.8, "b": 0.4, "value": -0.4, "p": 0.001, "holm_p": 0.004,
    "sign_flip_mid_p": 0.03,
}  # fmt: skip
STAYED = {"name": "topic = words", "tasks": 5, "a": 0.5, "b": 0.5, "value": 0.0, "p": 0.9, "holm_p": 1.0}
FAILED = [
    {"class": PRIVATE, "stage": "agent", "status": 503, "message": f"{PRIVATE} said no", "count": 3, "tasks": 2},
    {"class": PRIVATE, "stage": PRIVATE, "status": 8_001_234, "message": None, "count": 1, "tasks": 1},
]
REPAIRED = {
    "label": "IR", "action": PRIVATE, "tasks": 0, "task_ids": ["11"], "recoverable_score": 0.0, "numerator": 0.0,
    "denominator": 12, "by_analyst": 0, "by_rule": 0, "sentence": PRIVATE,
    "repair": {"rollouts": 6, "tasks": 2, "numerator": 1.5, "score": 0.125},
}  # fmt: skip


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    run = mixed_run()
    comparison, causes, modes = (deepcopy(part) for part in (run.comparison, run.causes, run.modes))
    comparison["pairs"][0]["secondary"] = [MOVED, STAYED]
    comparison["pairs"][0]["difference"]["sign_test"] = None
    causes["recommendations"].append(REPAIRED)
    causes["ablation"]["modes"][PRIVATE] = causes["ablation"]["modes"]["output_limit"] | {"if_passed": 0.25}
    by = run.coverage["by"] | {"slice": [row | {"coverage": 1.0} for row in run.coverage["by"]["slice"]]}
    coverage = run.coverage | {"failure_messages": FAILED, "by": by}
    run = replace(run, comparison=comparison, causes=causes, modes=modes, coverage=coverage)
    built = build_shareable(run, b"the key of a project", [])
    assert built.hits == []
    return built.files


def _report(files: Mapping[str, bytes]) -> str:
    return files["sums/night-1/report.md"].decode()


def test_the_diagnosis_is_told_in_counts(files: Mapping[str, bytes]) -> None:
    report = _report(files)
    assert "| slice 1 | value 1 | lost | 5 | 80.0% | 40.0% | -40.0 points | p = 0.004 |" in report
    assert "from night-0; 1 slice moved beyond chance; verdict no detectable change." in report
    assert "| agent | 503 | 3 |" in report and "| not told | not told | 1 |" in report
    assert "| IR | infrastructure | 6 | 2 | +12.5 points |" in report
    assert "| all but the best rollout (oracle) | 58.3% | +18.8 points | 4 |" in report
    assert "| group 1 | 4 | typical, shortest, longest | 2 | 1 |" in report


def test_names_of_others_stay_behind(files: Mapping[str, bytes]) -> None:
    assert [name for name, content in files.items() if PRIVATE.encode() in content] == []
    assert "| verifier message 1 | 39.6% | 0.0 points | 0 | +25.0 points |" in _report(files)
    ablation = json.loads(files["sums/night-1/metrics.json"])["ablation"]
    assert sorted(ablation["modes"]) == ["output_limit", "verifier message 1"]
    assert "references" not in ablation
