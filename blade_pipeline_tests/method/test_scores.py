"""The headline scores of a run with uneven repeats, and which score passes."""

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
