"""What a run adds that goes by its mean score, by hand.

Task 0 scores 0.2 and 0.6, task 1 scores 0.5 and loses its other repeat, task 2 loses one to a failure and scores 0.1.
"""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, failure, planned, rollout, write_run

CELLS = {(0, 0): 0.2, (0, 1): 0.6, (1, 0): 0.5, (2, 1): 0.1}


def scores_of(folder: Path, cells: dict[tuple[int, int], float], profile: Profile | None = None) -> dict[str, Any]:
    inputs = [planned(task, repeat) for task in range(3) for repeat in range(2)]
    rows = [rollout(*cell, score) for cell, score in cells.items()]
    write_run(folder / "bench" / "run", rows, inputs, [failure(2, 0)])
    return analyzed_folder(folder, profile)["bench/run"].scores


def test_the_mean_score_under_each_rule(tmp_path: Path) -> None:
    found = scores_of(tmp_path, CELLS)
    assert found["mean_reward_scale"] == {"worst": 0.0, "best": 1.0}
    assert found["mean_reward_accountings"] == {
        "observed": pytest.approx((0.4 + 0.5 + 0.1) / 3),
        "failures_as_zero": pytest.approx((0.4 + 0.5 + 0.1 / 2) / 3),
        "all_unscored_as_zero": pytest.approx((0.4 + 0.5 / 2 + 0.1 / 2) / 3),
        "all_as_one": pytest.approx((0.4 + 1.5 / 2 + 1.1 / 2) / 3),
    }
    assert found["mean_reward_spread"] == {
        "low": pytest.approx(0.1), "median": pytest.approx(0.4), "high": pytest.approx(0.5),
    }  # fmt: skip


def test_absent_scores_count_at_the_ends_of_the_declared_scale(tmp_path: Path) -> None:
    found = scores_of(tmp_path, CELLS, Profile(reward_range=(-1, 1)))
    assert found["mean_reward_scale"] == {"worst": -1, "best": 1}
    rules = found["mean_reward_accountings"]
    assert rules["failures_as_zero"] == pytest.approx((0.4 + 0.5 + (0.1 - 1) / 2) / 3)
    assert rules["all_unscored_as_zero"] == pytest.approx((0.4 + (0.5 - 1) / 2 + (0.1 - 1) / 2) / 3)


def test_each_repeat_has_its_mean_and_spread(tmp_path: Path) -> None:
    # repeat 0: .2 .5, mean .35, deviation .3/sqrt 2; repeat 1: .6 .1, mean .35, deviation .5/sqrt 2
    found = scores_of(tmp_path, CELLS)
    assert found["mean_reward_repeats"] == [
        {"agent": "simple", "repeat": 0, "num_rollouts": 2, "mean_reward": pytest.approx(0.35),
         "sd": pytest.approx(0.3 / 2**0.5)},
        {"agent": "simple", "repeat": 1, "num_rollouts": 2, "mean_reward": pytest.approx(0.35),
         "sd": pytest.approx(0.5 / 2**0.5)},
    ]  # fmt: skip
    # one task has both repeats: its variance .08 stands for the others; means .4 .5 .1
    split = found["mean_reward_variance"]
    assert split["sigma2_within"] == pytest.approx(0.08)
    assert split["var_task_means"] == pytest.approx(0.13 / 3)
    assert split["between"] == 0.0  # .04333 less (.04 + .08 + .08) / 3
    assert found["mean_reward_drift"] == {"q": None, "df": 1, "p": None, "tasks": 1}


def test_a_run_that_goes_by_passing_has_none_of_these(tmp_path: Path) -> None:
    found = scores_of(tmp_path, {cell: float(score > 0.3) for cell, score in CELLS.items()})
    assert not [name for name in found if name.startswith("mean_reward_")]
