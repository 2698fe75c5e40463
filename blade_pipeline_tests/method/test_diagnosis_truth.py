"""The failure modes of the example runs against the truth that their random process wrote."""

import json
from pathlib import Path

import pytest

from blade_pipeline.example import write_example
from blade_pipeline.gym import discover
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed

SHOWN_AS = {
    "arithmetic_slip": "judge_comment:the_numbers_differ",
    "unit_mixup": "judge_comment:the_answer_is_in_another_unit_than_the_one_asked_for",
    "truncated": "output_limit",
    "no_answer_line": "no_answer",
    "wrong_item": "verifier message",
    "coupon_not_applied": "verifier message",
    "max_turns": "repeated_calls",
    "gave_up": "stopped_at_error",
}
"""What the rows show of each simulated failure."""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    write_example(folder)
    return folder


def test_every_simulated_failure_is_found_under_its_symptom(example: Path) -> None:
    truths = json.loads((example / "truth.json").read_text())["runs"]
    runs = {str(run.path.relative_to(example)): run for run in discover(example).runs}
    for truth in truths:
        run = next(run for place, run in runs.items() if place.startswith(truth["directory"]))
        _, document = failure_modes(analyzed(run).aligned, Profile())
        found: dict[str, int] = {}
        for mode in document["modes"]:
            told = mode["source"] == "verifier" and not mode["code"].startswith("judge_comment")
            name = "verifier message" if told else mode["code"]
            found[name] = found.get(name, 0) + mode["count"]
        expected: dict[str, int] = {}
        for name, count in truth["failure_modes"].items():
            expected[SHOWN_AS[name]] = expected.get(SHOWN_AS[name], 0) + count
        assert found == {name: count for name, count in expected.items() if count}, truth["directory"]
