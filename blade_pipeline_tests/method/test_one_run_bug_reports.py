"""Inputs of public bug reports about one run (``bug_reports.md``), and the right behaviour on each.

Every expected value is the one the report's entry states, or hand arithmetic beside it.
"""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, failure, planned, rollout, write_run


def run_of(tmp_path: Path, profile: Profile | None = None, **files: Any) -> Analyzed:
    write_run(tmp_path / "bench" / "run", **files)
    return analyzed_folder(tmp_path, profile)["bench/run"]


def grid(tasks: int, repeats: int) -> list[dict[str, Any]]:
    return [planned(task, repeat) for task in range(tasks) for repeat in range(repeats)]


def outcomes(run: Analyzed) -> dict[str, Any]:
    return run.coverage["accounting"]


def test_b03_masked_rows_leave_the_score_and_stay_in_coverage(tmp_path: Path) -> None:
    run = run_of(tmp_path, rows=[rollout(0, 0, 1.0), rollout(0, 1, 0.0, mask_sample=True)], inputs=grid(1, 2))
    assert run.scores["pass_at_1"] == 1.0
    assert (outcomes(run)["measured"], outcomes(run)["masked"]) == (1, 1)
    assert run.scores["bounds"]["pass_at_1"] == {"low": 0.5, "high": 1.0}


def test_b04_a_run_of_failures_alone_has_no_score(tmp_path: Path) -> None:
    run = run_of(tmp_path, rows=[], inputs=grid(1, 1), failures=[failure(0, 0, "judge_failed")])
    assert run.scores["pass_at_1"] is None
    assert run.scores["bounds"]["pass_at_1"] == {"low": 0.0, "high": 1.0}
    assert outcomes(run)["failed"] == 1
    assert run.coverage["coverage"] == 0.0


def test_b05_the_nested_mask_counts_and_a_text_is_no_mask(tmp_path: Path) -> None:
    rows = [
        rollout(0, 0, 1.0, instance_config={"mask_sample": True}),
        rollout(0, 1, 0.0, mask_sample=False),
        rollout(1, 0, 1.0, mask_sample="false"),
    ]
    run = run_of(tmp_path, rows=rows, inputs=[planned(0, 0), planned(0, 1), planned(1, 0)])
    assert (outcomes(run)["masked"], outcomes(run)["measured"]) == (1, 2)
    sources = run.aligned["mask_source"].to_pylist()
    assert sources == ["instance_config.mask_sample", None, "mask_sample!"]


def test_b06_failures_do_not_vanish_from_the_denominator(tmp_path: Path) -> None:
    rows = [rollout(task, 0, 1.0) for task in range(16)] + [rollout(16, 0, 0.0), rollout(17, 0, 0.0)]
    run = run_of(tmp_path, rows=rows, inputs=grid(20, 1), failures=[failure(18, 0), failure(19, 0)])
    assert run.scores["pass_at_1"] == pytest.approx(16 / 18)
    assert run.scores["accountings"]["failures_as_zero"] == pytest.approx(0.80)
    assert run.scores["bounds"]["pass_at_1"] == {"low": pytest.approx(16 / 20), "high": pytest.approx(18 / 20)}


def test_b08_null_absent_text_and_out_of_range_are_four_reasons(tmp_path: Path) -> None:
    rewards = [1, 0, 1.7, -0.2, None, ..., "C"]
    rows = [rollout(task, 0, reward) for task, reward in enumerate(rewards)]
    run = run_of(tmp_path, Profile(reward_range=(0, 1)), rows=rows, inputs=grid(7, 1))
    assert outcomes(run)["measured"] == 2
    reasons = {entry["reason"]: entry["count"] for entry in run.coverage["unscored_reasons"]}
    assert reasons == {"out_of_range": 2, "invalid_null": 1, "invalid_absent": 1, "invalid_type": 1}


def test_b09_tasks_without_a_scored_row_stay_in_the_count(tmp_path: Path) -> None:
    lost = [(t, r) for t in range(5) for r in range(2) if (t, r) != (0, 0)]
    run = run_of(tmp_path, rows=[rollout(0, 0)], inputs=grid(5, 2), failures=[failure(t, r) for t, r in lost])
    assert run.scores["pass_at_1"] == 1.0
    assert (run.scores["num_tasks"], run.scores["total_tasks"]) == (1, 5)
    assert run.scores["bounds"]["pass_at_1"] == {"low": pytest.approx(0.1), "high": pytest.approx(1.0)}
    assert run.bucket_counts["missing"] == 4


def test_b10_pass_hat_k_under_both_rules(tmp_path: Path) -> None:
    run = run_of(
        tmp_path, rows=[rollout(0, repeat) for repeat in range(3)], inputs=grid(1, 4), failures=[failure(0, 3)]
    )
    # excluded: C(3,2)/C(3,2) = 1; as a failure: C(3,2)/C(4,2) = 3/6
    assert run.scores["pass_hat"]["2"]["value"] == 1.0
    assert run.scores["pass_hat"]["2"]["failures_as_zero"] == pytest.approx(0.5)
    assert run.scores["pass_hat"]["2"]["low"] == pytest.approx(0.5)
    assert (run.scores["pass_at"]["2"]["value"], run.scores["pass_at"]["2"]["failures_as_zero"]) == (1.0, 1.0)
    # with a masked repeat instead, nothing failed: the rules part, and the worst case counts it as a fail
    rows = [*(rollout(0, repeat) for repeat in range(3)), rollout(0, 3, 1.0, mask_sample=True)]
    masked = run_of(tmp_path / "masked", rows=rows, inputs=grid(1, 4)).scores["pass_hat"]["2"]
    assert (masked["value"], masked["failures_as_zero"], masked["low"]) == (1.0, 1.0, pytest.approx(0.5))


def test_b16_one_table_whose_parts_sum(tmp_path: Path) -> None:
    rows = [rollout(t, 0, 1.0) for t in range(3)] + [rollout(t, 0, 0.0) for t in (3, 4)]
    rows.append(rollout(5, 0, 1.0, mask_sample=True))
    run = run_of(tmp_path, rows=rows, inputs=grid(8, 1), failures=[failure(6, 0)])
    count = outcomes(run)
    assert [count[name] for name in ("measured", "masked", "unscored", "failed", "missing")] == [5, 1, 0, 1, 1]
    assert count["expected"] == 8


def test_b17_the_bracket_comes_by_itself(tmp_path: Path) -> None:
    rows = [rollout(t, 0, 1.0) for t in range(24)] + [rollout(t, 0, 0.0) for t in range(24, 41)]
    run = run_of(tmp_path, rows=rows, inputs=grid(45, 1))
    assert run.scores["accountings"] == {
        "observed": pytest.approx(24 / 41),
        "failures_as_zero": pytest.approx(24 / 41),  # the four are missing, not failed
        "all_unscored_as_zero": pytest.approx(24 / 45),
        "all_as_one": pytest.approx(28 / 45),
    }


def test_b18_too_few_scored_repeats_give_no_pass_at_k(tmp_path: Path) -> None:
    rows = [rollout(0, 0, 0.0)] + [rollout(0, repeat, None) for repeat in (1, 2, 3)]
    run = run_of(tmp_path, rows=rows, inputs=grid(1, 4))
    assert run.scores["pass_at_k"] == 0.0
    assert "2" not in run.scores["pass_at"]


def test_b19_k_never_exceeds_the_repeats(tmp_path: Path) -> None:
    rows = [rollout(task, 0, float(task < 2)) for task in range(6)]
    run = run_of(tmp_path, rows=rows, inputs=grid(6, 1))
    assert run.scores["pass_at_1"] == pytest.approx(1 / 3)
    assert list(run.scores["pass_at"]) == ["1"]


def test_b20_planned_repeats_come_from_the_inputs(tmp_path: Path) -> None:
    rows = [rollout(t, r) for t in (0, 1) for r in range(4)] + [rollout(2, 0)]
    run = run_of(tmp_path, rows=rows, inputs=grid(3, 4))
    assert run.per_task["planned"].to_pylist() == [4, 4, 4]
    assert run.per_task["measured"].to_pylist() == [4, 4, 1]
    assert outcomes(run)["missing"] == 3
    assert run.scores["repeats"]["measured_per_task"] == {"min": 1, "median": 4.0, "max": 4}
    assert run.scores["repeats"]["planned_per_task"] == {"min": 4, "median": 4.0, "max": 4}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_b21_repeat_indices_change_nothing(tmp_path: Path, order: tuple[int, int]) -> None:
    first, second = order
    rows = [rollout(0, first, 1), rollout(0, second, 0), rollout(1, first, 0), rollout(1, second, 1)]
    assert run_of(tmp_path, rows=rows, inputs=grid(2, 2)).scores["pass_at_1"] == 0.5


def test_b23_a_partial_run_is_analysed_with_its_coverage(tmp_path: Path) -> None:
    run = run_of(tmp_path, rows=[rollout(t, 0) for t in range(4)], inputs=grid(10, 1))
    assert run.coverage["coverage"] == pytest.approx(0.4)


def test_b24_equal_rows_count_once_and_unequal_ones_are_a_conflict(tmp_path: Path) -> None:
    same = run_of(tmp_path / "same", rows=[rollout(0, 0, 1), rollout(0, 0, 1), rollout(0, 1, 0)], inputs=grid(1, 2))
    assert same.scores["pass_at_1"] == 0.5
    assert outcomes(same)["duplicates"] == 1
    unequal = run_of(tmp_path / "not", rows=[rollout(0, 0, 1), rollout(0, 0, 0), rollout(0, 1, 0)], inputs=grid(1, 2))
    assert unequal.scores["bounds"]["pass_at_1"] == {"low": 0.0, "high": 0.5}
    assert [entry["reason"] for entry in unequal.coverage["unscored_reasons"]] == ["conflict"]


def test_a_later_attempt_wins_whatever_the_order(tmp_path: Path) -> None:
    attempts = [rollout(0, 0, 0.0), rollout(0, 0, 1.0, _ng_attempt_index=1)]
    for name, rows in (("up", attempts), ("down", attempts[::-1])):
        run = run_of(tmp_path / name, rows=rows, inputs=grid(1, 1))
        assert run.scores["pass_at_1"] == 1.0
        assert outcomes(run)["duplicates"] == 1


def test_b26_a_glued_line_is_bad_and_its_rollouts_are_missing(tmp_path: Path) -> None:
    half = '{"_ng_task_index":0,"_ng_rollout_index":1,"rew{"_ng_task_index":0,"_ng_rollout_index":2,"reward":1}'
    run = run_of(tmp_path, rows=[rollout(0, 0), half, rollout(0, 3)], inputs=grid(1, 4))
    assert (outcomes(run)["malformed_lines"], outcomes(run)["missing"]) == (1, 2)


def test_b31_one_pass_of_twenty_has_a_standard_error(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one", rows=[rollout(t, 0, float(t == 0)) for t in range(20)], inputs=grid(20, 1))
    # sd of one 1 and nineteen 0 is sqrt(.05 * .95 * 20/19); over sqrt(20) that is 0.05
    assert one.scores["intervals"]["pass_at_1"]["se"] == pytest.approx(0.05)
    every = run_of(tmp_path / "all", rows=[rollout(t, 0) for t in range(20)], inputs=grid(20, 1))
    # two-sided 95 % Clopper-Pearson at 20 of 20: 0.025 ** (1/20)
    assert every.scores["intervals"]["pass_at_1"]["low"] == pytest.approx(0.8316, abs=1e-4)


def test_b44_a_mask_that_appears_late_is_seen(tmp_path: Path) -> None:
    rows = [rollout(t, 0) for t in range(25_000 - 10)] + [
        rollout(t, 0, mask_sample=True) for t in range(25_000 - 10, 25_000)
    ]
    assert outcomes(run_of(tmp_path, rows=rows))["masked"] == 10


def test_b45_no_line_is_tolerated_in_silence(tmp_path: Path) -> None:
    good = '{"_ng_task_index":%d,"_ng_rollout_index":0,"reward":1}'
    rows = [good % 0, good % 1 + "TRAILER", good % 2, good.replace("1}", "NaN}") % 3, good % 4]
    run = run_of(tmp_path, rows=rows)
    assert (outcomes(run)["lines"], outcomes(run)["malformed_lines"]) == (5, 1)
    assert [entry["reason"] for entry in run.coverage["unscored_reasons"]] == ["invalid_nan"]
    assert outcomes(run)["measured"] == 3


@pytest.mark.parametrize("field", ["latency", "reward"])
def test_huge_numbers_leave_a_result(tmp_path: Path, field: str) -> None:
    rows = [rollout(t, r, **{"reward": float(t), field: 1e99 * (t + r)}) for t in range(2) for r in range(2)]
    run = run_of(tmp_path, rows=rows, inputs=grid(2, 2))
    assert outcomes(run)["measured"] == 4
    assert run.scores["agents"]["simple"]["native"][f"max/{field}"] == 2e99


def test_a_reward_too_large_to_square_is_unscored_and_stops_nothing(tmp_path: Path) -> None:
    rows = [rollout(0, 0, 1.0, elapsed=1.7e308), rollout(0, 1, 1.7e308), rollout(1, 0, -1.7e308), rollout(1, 1, 0.0)]
    run = run_of(tmp_path, rows=rows, inputs=grid(2, 2))
    assert (outcomes(run)["measured"], outcomes(run)["unscored"]) == (2, 2)
    assert run.scores["pass_at_1"] == 0.5
    assert run.coverage["unscored_reasons"] == [{"reason": "too_large", "count": 2}]


def test_a_score_field_says_why_it_is_no_score(tmp_path: Path) -> None:
    values = [0.5, 1.7e308, None, "high"]
    rows = [rollout(task, 0, 1.0, quality=value) for task, value in enumerate(values)] + [rollout(4, 0, 1.0)]
    run = run_of(tmp_path, rows=rows, inputs=grid(5, 1), profile=Profile(score="quality"))
    reasons = {entry["reason"]: entry["count"] for entry in run.coverage["unscored_reasons"]}
    assert outcomes(run)["measured"] == 1
    assert reasons == {"too_large": 1, "invalid_null": 1, "invalid_type": 1, "invalid_absent": 1}
