"""The headline scores of a run with uneven repeats, and which score passes."""

import json
import math
from pathlib import Path

import pytest

from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, planned, rollout, write_run


def run_of(tmp_path: Path, rewards: list[list[float]], profile: Profile | None = None) -> Analyzed:
    """One row per reward; three repeats of each task were planned."""
    rows = [rollout(task, repeat, value) for task, line in enumerate(rewards) for repeat, value in enumerate(line)]
    inputs = [planned(task, repeat) for task in range(len(rewards)) for repeat in range(3)]
    write_run(tmp_path / "bench" / "run", rows, inputs)
    return analyzed_folder(tmp_path, profile)["bench/run"]


def test_the_headline_stands_at_the_largest_k_of_all_measured_tasks(tmp_path: Path) -> None:
    """Three measured repeats of the first task, two of the second, none of the third: k = 2."""
    scores = run_of(tmp_path, [[1.0, 0.0, 0.0], [1.0, 1.0], []]).scores
    assert scores["k"] == 2
    # pass@2: 1 - C(2,2)/C(3,2) = 2/3 and 1; pass^2: 0 and 1; pass@1: 1/3 and 1, 3 of 5 rollouts
    assert scores["pass_at_k"] == pytest.approx(5 / 6)
    assert scores["consistency"] == pytest.approx(1 / 2)
    assert scores["pass_at_1"] == pytest.approx(2 / 3)
    assert scores["pass_at_1_micro"] == pytest.approx(3 / 5)
    assert scores["retry_value"] == pytest.approx(5 / 6 - 2 / 3)
    eligible = {k: (entry["eligible_tasks"], entry["total_tasks"]) for k, entry in scores["pass_at"].items()}
    assert eligible == {"1": (2, 3), "2": (2, 3), "3": (1, 3)}


@pytest.mark.parametrize(
    ("profile", "passing", "failing"),
    [
        (Profile(), 1 - 5e-7, 1 - 2e-6),
        (Profile(pass_threshold=0.5), 0.5 - 5e-7, 0.5 - 2e-6),
        (Profile(pass_threshold=0.2, higher_is_better=False), 0.2 + 5e-7, 0.2 + 2e-6),
    ],
)
def test_the_threshold_forgives_a_millionth(tmp_path: Path, profile: Profile, passing: float, failing: float) -> None:
    run = run_of(tmp_path, [[passing, failing]], profile)
    assert run.aligned.filter(run.aligned["score"].is_valid())["passed"].to_pylist() == [True, False]


def test_the_worked_case_of_reward_values_as_rows(tmp_path: Path, shared: Path) -> None:
    """Case S41 read from a file: the statuses and passes that the statistics room gives for the same values."""
    cases = json.loads((shared / "cases" / "stat_cases.json").read_bytes())["cases"]
    [case] = [case for case in cases if case["id"] == "S41"]
    tokens = {"NaN token": math.nan, "Infinity token": math.inf}
    rewards = [row.get("reward", ...) for row in case["inputs"]["rows"]]
    rewards = [tokens.get(value, value) if isinstance(value, str) else value for value in rewards]
    write_run(tmp_path / "bench" / "run", [rollout(task, 0, value) for task, value in enumerate(rewards)])
    low, high = case["inputs"]["range"]
    aligned = analyzed_folder(tmp_path, Profile(reward_range=(low, high)))["bench/run"].aligned
    found = [
        reason or outcome
        for outcome, reason in zip(*(aligned[name].to_pylist() for name in ("outcome", "reason")), strict=True)
    ]
    assert [name.replace("measured", "scored") for name in found] == case["expected"]["status"]
    assert aligned["passed"].to_pylist() == case["expected"]["passes"]


def test_a_rollout_that_the_inputs_do_not_name_counts_in_no_score(tmp_path: Path) -> None:
    """Three planned repeats of one task, one of them passed; a fourth repeat and a second task nobody asked for."""
    rows = [rollout(0, 0, 1.0), rollout(0, 1, 0.0), rollout(0, 2, 0.0), rollout(0, 3, 1.0), rollout(1, 0, 1.0)]
    write_run(tmp_path / "bench" / "run", rows, [planned(0, repeat) for repeat in range(3)])
    run = analyzed_folder(tmp_path)["bench/run"]
    counts = run.coverage["accounting"]
    assert (counts["expected"], counts["measured"], counts["unexpected"]) == (3, 3, 2)
    assert run.coverage["measured_share"] == run.coverage["coverage"] == 1.0
    assert run.scores["pass_at_1"] == pytest.approx(1 / 3)
    assert (run.scores["total_tasks"], run.scores["num_rollouts"]) == (1, 3)
    assert run.buckets == {"0": "sometimes_pass"}
