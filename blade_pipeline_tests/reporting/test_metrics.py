"""The published metrics of the sample runs."""

import pytest

from blade_pipeline.reporting import ReportInputs
from blade_pipeline.reporting.metrics import BUCKETS, OUTCOMES, metrics
from blade_pipeline_tests.reporting.samples import empty_run, mixed_run, single_run

FIELDS = set(
    """schema_version benchmark run model model_name pass_threshold headline_metric k pass_at_1 pass_at_1_micro
    pass_at_k consistency retry_value total_tasks total_rollouts num_tasks num_rollouts passed_rollouts
    failed_rollouts always_pass_tasks sometimes_pass_tasks always_fail_tasks indeterminate_tasks missing_tasks
    masked_tasks dominant_failure_type dominant_failure_count dominant_failure_fraction ablation coverage
    measured_share task_coverage mean_reward intervals bounds pass_at pass_hat best_of accountings variance
    repeats accounting slices agents""".split()
)
ACCOUNTING = set(
    """expected measured masked unscored failed missing unexpected duplicates lines blank_lines
    malformed_lines""".split()
)


@pytest.mark.parametrize("inputs", [mixed_run(), single_run(), empty_run()], ids=["mixed", "single", "empty"])
def test_fields_and_sums(inputs: ReportInputs) -> None:
    found = metrics(inputs)
    assert set(found) == FIELDS
    assert set(found["accounting"]) == ACCOUNTING
    assert sum(found[f"{bucket}_tasks"] for bucket in BUCKETS) == found["total_tasks"]
    assert found["passed_rollouts"] + found["failed_rollouts"] == found["num_rollouts"]
    assert sum(found["accounting"][outcome] for outcome in OUTCOMES) == found["total_rollouts"]
    assert all(set(agent["accounting"]) == ACCOUNTING for agent in found["agents"].values())


def test_a_mixed_run() -> None:
    found = metrics(mixed_run())
    assert [(row["value"], row["failure_modes"]) for row in found["slices"]] == [
        ("sums", {"wrong_answer": 6, "output_limit": 3}),
        ("words", {"wrong_answer": 5, "output_limit": 3}),
    ]
    # 11 of 17 failed rollouts; (36 + 5 + 1) / 48; 36 / 48
    assert (found["dominant_failure_type"], found["dominant_failure_count"]) == ("wrong_answer", 11)
    assert found["dominant_failure_fraction"] == pytest.approx(0.6470588)
    assert (found["coverage"], found["measured_share"]) == (0.875, 0.75)
    assert (found["total_tasks"], found["num_tasks"], found["total_rollouts"]) == (12, 10, 48)
    assert found["agents"]["solver"]["native"]["pass@1/accuracy"] == 50.0


def test_without_materialized_inputs_the_total_is_what_was_seen() -> None:
    found = metrics(single_run())
    assert found["accounting"]["expected"] is None
    assert found["total_rollouts"] == 5
    assert found["coverage"] is None


def test_nothing_measured_gives_nulls() -> None:
    found = metrics(empty_run())
    assert found["pass_at_1"] is None
    assert found["dominant_failure_type"] is None
    assert found["dominant_failure_count"] == 0
