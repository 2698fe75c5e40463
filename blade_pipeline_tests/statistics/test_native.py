"""The tool's rules one by one, on the vectors of its documented behaviour."""

import math
import random
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as gen

from blade_pipeline.statistics import native
from blade_pipeline_tests.statistics.approx import near

NAN = math.nan


def scores(*tasks: list[float]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    codes = np.repeat(np.arange(len(tasks)), [len(values) for values in tasks])
    return codes, {"accuracy": np.array([value for values in tasks for value in values], dtype=np.float64)}


def test_binary_tasks_shrink_the_denominator_with_k() -> None:
    # t0 [1,0,1], t1 [0]: pass@1 (2/3+0)/2; pass@2 and @3 only t0: 1; averages of the first k: 1/2, 1/4, 1/3
    metrics = native.pass_majority(*scores([1, 0, 1], [0]))
    assert [metrics[f"pass@{k}/accuracy"] for k in (1, 2, 3)] == near([100 / 3, 100, 100])
    assert [metrics[f"pass@1[avg-of-{k}]/accuracy"] for k in (1, 2, 3)] == near([50, 25, 100 / 3])
    assert metrics["per_sample_aggregate"] == {"accuracy": near([50, 0, 100])}
    # list 50, 0: sd 35.355339, se 25; one task has two values, sd of {1,0} = .707107
    assert metrics["pass@1[avg-of-2]/accuracy/std_dev_across_runs"] == near(35.35533906)
    assert metrics["pass@1[avg-of-2]/accuracy/std_err_across_runs"] == near(25.0)
    assert metrics["pass@1[avg-of-2]/accuracy/avg_sample_std_dev"] == near(0.7071067812)


def test_other_tasks_take_the_largest_of_the_first_k() -> None:
    metrics = native.pass_majority(*scores([0.5, 0.2, 1]))
    assert [metrics[f"pass@{k}/accuracy"] for k in (1, 2, 3)] == near([50, 50, 100])
    assert native.pass_majority(*scores([-1, 0]))["pass@1/accuracy"] == -100


def test_the_two_estimators_mix_within_one_mean() -> None:
    metrics = native.pass_majority(*scores([1, 0], [0.5, 0.7]))
    assert [metrics[f"pass@{k}/accuracy"] for k in (1, 2)] == near([50, 85])


def test_majority_counts_answer_and_score_together() -> None:
    # answers a a b b with scores 1 0 0 0: (a,1); then a tie of (a,1) and (a,0); three way; (b,0) twice wins
    codes, values = scores([1, 0, 0, 0])
    metrics = native.pass_majority(codes, values, ["a", "a", "b", "b"])
    assert [metrics[f"majority@{k}/accuracy"] for k in (1, 2, 3, 4)] == near([100, 50, 100 / 3, 0])
    assert metrics["majority@4/no_answer"] == 0


def test_an_empty_answer_is_an_answer_and_none_is_not() -> None:
    codes, values = scores([1, 1], [1, 1])
    metrics = native.pass_majority(codes, values, ["", None, None, None])
    # no_answer of the four rows: 0 1 1 1; majority@1: task 0 100, task 1 counts 0
    assert metrics["pass@1/no_answer"] == near(75)
    assert metrics["majority@1/accuracy"] == near(50)


def test_a_missing_score_is_left_out_where_the_tool_stops() -> None:
    metrics = native.pass_majority(*scores([NAN, 1], [0, NAN]))
    # one value each: pass@1 (1+0)/2, no pass@2; avg-of-1 has only task 1; list positions: [0], [1]
    assert metrics["pass@1/accuracy"] == near(50)
    assert "pass@2/accuracy" not in metrics
    assert (metrics["pass@1[avg-of-1]/accuracy"], metrics["pass@1[avg-of-2]/accuracy"]) == (0, 50)
    assert metrics["per_sample_aggregate"] == {"accuracy": [0, 100]}
    assert native.pass_majority(*scores([NAN])) == {"per_sample_aggregate": {"accuracy": []}}


def test_no_rows_give_no_metrics() -> None:
    assert native.pass_majority(np.zeros(0, dtype=np.int64), {"accuracy": np.zeros(0)}) == {}
    assert native.agent_metrics(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), {}) == {}


def test_tasks_of_any_size_in_any_order_agree_with_a_plain_loop() -> None:
    generator = random.Random(7)
    tasks = [[generator.choice([0.0, 1.0, 0.5]) for _ in range(generator.randint(1, 6))] for _ in range(40)]
    rows = [(code, value) for code, values in enumerate(tasks) for value in values]
    interleaved = list(rows)
    generator.shuffle(interleaved)
    position: dict[int, int] = {}
    for index, (code, _value) in enumerate(interleaved):
        place = position.setdefault(code, 0)
        interleaved[index] = (code, tasks[code][place])
        position[code] += 1
    codes = np.array([code for code, _value in interleaved])
    metrics = native.pass_majority(codes, {"s": np.array([value for _code, value in interleaved])})
    for k in range(1, 7):
        eligible = [values for values in tasks if len(values) >= k]
        at_k = [
            1 - math.comb(values.count(0.0), k) / math.comb(len(values), k) if 0.5 not in values else max(values[:k])
            for values in eligible
        ]
        assert metrics[f"pass@{k}/s"] == near(100 * sum(at_k) / len(at_k))
        averages = [sum(values[:k]) / len(values[:k]) for values in tasks]
        assert metrics[f"pass@1[avg-of-{k}]/s"] == near(100 * sum(averages) / len(averages))


def test_a_single_rollout_has_a_deviation_of_zero() -> None:
    one = native.baseline_statistics({"reward": np.array([0.5]), "gone": np.array([NAN])})
    assert one == {f"{name}/reward": 0.5 for name in ("mean", "max", "min", "median")} | {"std/reward": 0.0}


def test_a_field_with_one_value_among_fields_with_more_has_no_deviation() -> None:
    metrics = native.baseline_statistics({"reward": np.array([1.0, 0.0]), "rare": np.array([3.0, NAN])})
    assert "std/rare" not in metrics
    assert metrics["mean/rare"] == 3.0
    assert metrics["std/reward"] == near(0.7071067812)


def test_repeats_weigh_equally_whatever_their_tasks() -> None:
    # t0 {1,0}, t1 {1}: mean/reward 2/3 over rows; repeat 0 has mean 1, repeat 1 has 0: across repeats 1/2
    task, repeat = np.array([0, 0, 1]), np.array([0, 1, 0])
    metrics = native.agent_metrics(task, repeat, {"reward": np.array([1.0, 0.0, 1.0])})
    assert metrics["mean/reward"] == near(2 / 3)
    assert metrics["mean_across_repeats/mean/reward"] == near(0.5)
    # t_1(.975) = 12.706205, se .5
    assert metrics["ci_high_95_across_repeats/mean/reward"] == near(0.5 + 12.7062047 * 0.5)
    assert metrics["num_repeats"] == 2


def test_repeat_level_counts_absent_tasks_and_describes_the_present_ones() -> None:
    task, repeat = np.array([0, 1, 2, 0]), np.array([0, 0, 0, 1])
    first, second = native.repeat_level(task, repeat, {"reward": np.array([0.0, 0.5, 1.0, 1.0])})
    assert (first["sample_count"], first["missing_count"]) == (3, 0)
    assert (second["sample_count"], second["missing_count"]) == (1, 2)
    # 0, .5, 1: sd .5, sem .288675, quartiles .25 and .75, t_2 4.302653 * .288675 = 1.242069
    assert (first["std/reward"], first["sem/reward"], first["p25/reward"], first["p75/reward"]) == near(
        (0.5, 0.2886751346, 0.25, 0.75)
    )
    assert first["ci_low_95/reward"] == near(0.5 - 1.242069, abs=1e-6)
    assert (second["std/reward"], "ci_low_95/reward" in second) == (0.0, False)
    assert native.repeat_level(task, np.zeros(4, dtype=np.int64), {}) == []


def test_masked_rows_leave_the_numbers_and_stay_in_the_counts() -> None:
    task, repeat = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    reward, masked = np.array([1.0, 0.0, 1.0, 0.0]), np.array([False, True, True, True])
    metrics = native.agent_metrics(task, repeat, {"reward": reward}, masked)
    assert metrics["mean/reward"] == 1.0
    assert metrics["num_repeats"] == 2
    assert {name: metrics[name] for name in metrics if name.startswith("coverage/")} == {
        "coverage/measured_rollouts": 1, "coverage/masked_rollouts": 3,
        "coverage/measured_tasks": 1, "coverage/fully_masked_tasks": 1,
    }  # fmt: skip
    everything = native.agent_metrics(task, repeat, {"reward": reward}, np.ones(4, dtype=np.bool_))
    assert set(everything) == {name for name in metrics if name.startswith("coverage/")}
    assert native.coverage_block(task, np.zeros(4, dtype=np.bool_)) == {}


def test_primary_metrics_are_means_and_not_their_spread() -> None:
    names = ["mean/reward", "wer", "pass@1/accuracy", "max/reward", "x/p95", "a_ci_lower", "sample_count"]
    names += ["mean_across_repeats/mean/reward", "pass@1[avg-of-2]/accuracy/std_dev_across_runs"]
    assert [name for name in names if native.is_primary(name)] == ["mean/reward", "wer", "pass@1/accuracy"]


def test_performance_counts_only_the_rows_that_report() -> None:
    # 4 rows, 3 with ng_perf; turns 1, 3, 0; completion tokens 10, 60, 5 -> per turn 10, 20 (turns above 0)
    columns = {
        "num_turns": np.array([1.0, 3.0, 0.0]),
        "completion_tokens": np.array([10.0, 60.0, 5.0]),
        "token_observability_coverage": np.array([1.0, 0.5, 0.0]),
        "total_latency_ms": np.array([100.0, 300.0, NAN]),
    }
    summary = native.perf_summary(columns, 4)
    assert (summary["overall_observability_coverage"], summary["token_observability_coverage"]) == (0.75, 0.5)
    assert (summary["mean_tokens_per_turn"], summary["median_tokens_per_turn"]) == (15, 15)
    assert (summary["total_completion_tokens"], summary["mean_completion_tokens"]) == (75, 25)
    # population deviation of 1, 3, 0: sqrt(14/9)
    assert summary["std_num_turns"] == near(math.sqrt(14) / 3)
    assert (summary["total_latency_p50_ms"], summary["total_latency_p90_ms"]) == near((200, 280))
    assert "mean_prompt_tokens" not in summary
    assert native.perf_summary({}, 4) == {}


def test_completion_counts_input_rows_and_extra_results() -> None:
    """Planned are two repeats of a, b and c; rows have both of a, one of b and one of z, which nobody planned."""
    inputs = np.array([0, 0, 1, 1, 2, 2, 3])
    planned = np.array([True] * 6 + [False])
    written = np.array([True, True, True, False, False, False, True])
    assert native.profile_completion(inputs, planned, written) == {
        "expected_rollout_rows": 6, "completed_rollout_rows": 3, "missing_rollout_rows": 3, "extra_rollout_rows": 1,
        "reward_profile_completion_pct": 50.0, "total_input_rows": 3, "complete_input_rows": 1,
        "partial_input_rows": 1, "missing_input_rows": 1,
    }  # fmt: skip
    nothing = np.array([], dtype=bool)
    assert (
        native.profile_completion(np.array([], dtype=int), nothing, nothing)["reward_profile_completion_pct"] == 100.0
    )


def test_subsets_take_the_first_truthy_value_of_a_task() -> None:
    codes, values = scores([1, 0], [0, 0], [1])
    metrics = native.subset_metrics(codes, values, [None, "easy", "hard", "hard", ""])
    assert metrics["easy/pass@1/accuracy"] == near(50)
    assert metrics["hard/pass@2/accuracy"] == 0
    assert not any("per_sample_aggregate" in name for name in metrics)


def test_highest_k_picks_the_largest_k_of_a_pattern() -> None:
    metrics = native.pass_majority(*scores([1, 0, 1], [0, 1, 1]))
    assert list(native.highest_k(metrics, "pass@{k}")) == ["pass@3/accuracy"]
    assert list(native.highest_k(metrics, "pass@1[avg-of-{k}]")) == ["pass@1[avg-of-3]/accuracy"]
    assert native.highest_k(metrics, "majority@{k}") == {}


@given(gen.lists(gen.tuples(gen.integers(0, 3), gen.integers(0, 3), gen.floats(-9, 9)), max_size=12), gen.randoms())
def test_the_order_of_rows_is_irrelevant_to_the_last_bit(rows: list[tuple[int, int, float]], generator: Any) -> None:
    def metrics(rows: list[tuple[int, int, float]]) -> dict[str, Any]:
        table = np.array(rows, dtype=np.float64).reshape(-1, 3)
        task, repeat = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
        return native.agent_metrics(task, repeat, {"reward": table[:, 2]}, table[:, 2] > 5)

    shuffled = list(rows)
    generator.shuffle(shuffled)
    assert metrics(shuffled) == metrics(rows)
