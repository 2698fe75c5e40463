"""Every block of NeMo Gym's numbers is published per agent, and what differs from ours is explained.

Expected numbers are hand arithmetic on the rows beside them.
"""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, planned, rollout, write_run


def run_of(tmp_path: Path, rows: list[Any], profile: Profile | None = None, **files: Any) -> Analyzed:
    write_run(tmp_path / "bench" / "run", rows, **files)
    return analyzed_folder(tmp_path, profile)["bench/run"]


def grid(tasks: int, repeats: int) -> list[dict[str, Any]]:
    return [planned(task, repeat) for task in range(tasks) for repeat in range(repeats)]


# t0 passes in repeat 0 and fails in repeat 1, t1 passes in repeat 0 and has no repeat 1
UNEVEN = [rollout(0, 0, 1.0), rollout(0, 1, 0.0), rollout(1, 0, 1.0)]


def native_of(run: Analyzed, agent: str = "simple") -> dict[str, Any]:
    return dict(run.scores["agents"][agent]["native"])


def test_repeats_have_entries_of_their_own(tmp_path: Path) -> None:
    first, second = native_of(run_of(tmp_path, UNEVEN))["repeat_level_metrics"]
    counts = [(e["_ng_rollout_index"], e["sample_count"], e["missing_count"]) for e in (first, second)]
    assert counts == [(0, 2, 0), (1, 1, 1)]
    assert (first["mean/reward"], second["mean/reward"]) == (1.0, 0.0)
    assert (first["ci_low_95/reward"], first["ci_high_95/reward"]) == (1.0, 1.0)
    assert "ci_low_95/reward" not in second


def test_a_second_agents_repeats_keep_their_own_index(tmp_path: Path) -> None:
    rows = [rollout(task, repeat, 1.0, agent_ref={"name": "b"}) for task in range(2) for repeat in (2, 3)]
    rows += [rollout(task, repeat, 0.0, agent_ref={"name": "a"}) for task in range(2) for repeat in (0, 1)]
    run = run_of(tmp_path, rows)
    indices = {
        agent: [entry["_ng_rollout_index"] for entry in native_of(run, agent)["repeat_level_metrics"]] for agent in "ab"
    }
    assert indices == {"a": [0, 1], "b": [2, 3]}


def test_completion_compares_the_plan_with_the_rows(tmp_path: Path) -> None:
    found = native_of(run_of(tmp_path, UNEVEN, inputs=grid(3, 2)))["profile_completion"]
    # 3 of 6 planned rows; task 0 whole, task 1 half, task 2 absent
    assert found == {
        "expected_rollout_rows": 6, "completed_rollout_rows": 3, "missing_rollout_rows": 3, "extra_rollout_rows": 0,
        "reward_profile_completion_pct": 50.0, "total_input_rows": 3, "complete_input_rows": 1,
        "partial_input_rows": 1, "missing_input_rows": 1,
    }  # fmt: skip
    assert "profile_completion" not in native_of(run_of(tmp_path / "plain", UNEVEN))


def test_the_entries_at_the_largest_k_are_picked(tmp_path: Path) -> None:
    rows = [rollout(0, repeat, reward, answer=text) for repeat, (reward, text) in enumerate([(1.0, "a"), (0.0, "b")])]
    native = native_of(run_of(tmp_path, rows, Profile(answer_key="answer")))
    names = ("pass@2/accuracy", "pass@1[avg-of-2]/accuracy", "majority@2/accuracy")
    assert {name: native["highest_k"][name] for name in names} == {names[0]: 100.0, names[1]: 50.0, names[2]: 50.0}
    assert all("@2/" in name or "avg-of-2" in name for name in native["highest_k"])


def test_subsets_positions_and_performance_are_there(tmp_path: Path) -> None:
    rows = [rollout(0, 0, 1.0, level="easy", ng_perf={"num_turns": 2}), rollout(0, 1, 0.0, level="easy")]
    rows += [rollout(1, 0, 0.0, level="hard"), rollout(1, 1, 0.0, level="hard")]
    native = native_of(run_of(tmp_path, rows, Profile(slices=("level",))))
    assert (native["easy/pass@1/accuracy"], native["hard/pass@1/accuracy"]) == (50.0, 0.0)
    # list positions: 1 and 0 of the two tasks at position 0, 0 and 0 at position 1
    assert native["per_sample_aggregate"] == {"accuracy": [50.0, 0.0]}
    assert native["perf_summary"]["overall_observability_coverage"] == 0.25
    assert native["perf_summary"]["mean_num_turns"] == 2.0
    # the positions' 50 and 0: deviation 35.355, error 25; deviations of the tasks .7071 and 0
    key = "pass@1[avg-of-2]/accuracy"
    assert native[f"{key}/std_dev_across_runs"] == pytest.approx(35.3553390593)
    assert native[f"{key}/std_err_across_runs"] == pytest.approx(25.0)
    assert native[f"{key}/avg_sample_std_dev"] == pytest.approx(0.7071067812 / 2)


def test_a_subset_without_a_name_is_none(tmp_path: Path) -> None:
    """The peer drops tasks whose value is falsy: an empty text, 0 or false."""
    rows = [rollout(task, 0, 1.0, level=value) for task, value in enumerate(["", 0, False, 3, "easy"])]
    native = native_of(run_of(tmp_path, rows, Profile(slices=("level",))))
    subsets = {name.partition("/")[0] for name in native if name.endswith("/pass@1/accuracy")}
    assert subsets == {"3", "easy"}


def notes_of(run: Analyzed) -> str:
    return "\n".join(run.scores["agents"]["simple"]["native_notes"])


def test_three_means_are_told_apart(tmp_path: Path) -> None:
    notes = notes_of(run_of(tmp_path, UNEVEN))
    # rows 2/3; tasks (1/2 + 1)/2; repeats (1 + 0)/2
    assert "`mean/reward` is 0.666667 and our mean score 0.75" in notes
    assert "`mean_across_repeats/mean/reward` is 0.5 and `mean/reward` 0.666667" in notes
    assert "`pass@2` speaks of 1 of 2 measured tasks" in notes
    assert "`pass@1[avg-of-1]/accuracy` is 100 and `pass@1/accuracy` 75" in notes


def test_the_largest_of_the_first_k_is_told(tmp_path: Path) -> None:
    rows = [rollout(0, repeat, reward) for repeat, reward in enumerate([0.5, 1.0])]
    notes = notes_of(run_of(tmp_path, rows))
    # the first score .5 against one pass of two
    assert "`pass@1/accuracy` is 50 and ours 50" not in notes
    rows = [rollout(0, repeat, reward) for repeat, reward in enumerate([0.2, 1.0])]
    assert "`pass@1/accuracy` is 20 and ours 50 percent, 1 of 2 values of k differ" in notes_of(
        run_of(tmp_path / "other", rows)
    )


def test_ids_votes_masks_and_lone_rows_are_told(tmp_path: Path) -> None:
    rows = [rollout(0, 0, 1.0, answer="a", problem_id=7), rollout(0, 1, 1.0, answer="a", mask_sample=True)]
    notes = notes_of(run_of(tmp_path, rows, Profile(answer_key="answer")))
    assert "`mean/problem_id`: NeMo Gym averages every numeric field" in notes
    assert "votes for pairs of answer and score" in notes
    assert "Masked rows leave the statistics" in notes
    assert "`std/reward` is 0 because there is one row" in notes


def test_where_the_numbers_agree_nothing_is_explained(tmp_path: Path) -> None:
    rows = [rollout(task, 0, float(task)) for task in range(2)]
    assert run_of(tmp_path, rows).scores["agents"]["simple"]["native_notes"] == []


def test_the_mean_of_binary_scores_has_ends_within_its_range(tmp_path: Path) -> None:
    rows = [rollout(task, repeat, float(task < 2)) for task in range(3) for repeat in range(2)]
    intervals = run_of(tmp_path, rows).scores["intervals"]
    ends = [(intervals[name]["low"], intervals[name]["high"]) for name in ("mean_reward", "pass_at_1")]
    assert ends[0] == ends[1]
    assert 0 <= ends[0][0] < ends[0][1] <= 1
