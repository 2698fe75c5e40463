"""Inputs of two poor runs: one repeat without materialized inputs, and files that nobody could read."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method.task_coverage import task_coverage
from blade_pipeline.reporting import ReportInputs
from blade_pipeline_tests.reporting.parts import accounting, aligned, curve, interval, manifest, tables

SINGLE = ["P", "P", "P", "F", "F"]
NO_REPEATS = {
    "cochran_q": None,
    "cochran_df": 0,
    "cochran_p": None,
    "cochran_tasks": 5,
    "cochran_reason": "no task has two measured repeats",
    "measured_per_task": {"min": 1, "median": 1.0, "max": 1},
    "planned_per_task": {"min": 1, "median": 1.0, "max": 1},
    "repeat_agreement": None,
    "agreement_tasks": 0,
    "identical_tasks": 0,
    "identical_unequal_tasks": 0,
    "identical_share": None,
    "compared_tasks": 0,
}


def single_run() -> ReportInputs:
    """5 tasks, one repeat each, no materialized inputs, no configuration: 3 of 5 pass."""
    per_task, buckets, modes_table = tables(SINGLE, [*["always_pass"] * 3, *["always_fail"] * 2])
    total = accounting(None, 5, 0, 0, 0, 0, 0, 0, 3, 5, 0, 0)
    scores = {
        "pass_at_1": 0.6,
        "pass_at_1_micro": 0.6,
        "pass_at_k": 0.6,
        "k": 1,
        "consistency": 0.6,
        "retry_value": 0.0,
        "num_tasks": 5,
        "num_rollouts": 5,
        "passed_rollouts": 3,
        "failed_rollouts": 2,
        "intervals": {"pass_at_1": interval(0.17, 0.93, "new_tasks", "Wilson")},
        "bounds": {},
        "slices": [],
        "slices_left_out": [],
        "pass_at": curve((0.6, 5, 5)),
        "pass_hat": curve((0.6, 5, 5)),
        "accountings": {"observed": 0.6, "failures_as_zero": 0.6, "all_unscored_as_zero": 0.6, "all_as_one": 0.6},
        "variance": {
            "sigma2_within": None,
            "between": None,
            "icc": None,
            "design_effect": None,
            "reason": "one repeat per task",
        },
        "repeats": NO_REPEATS,
        "best_of": None,
        "mean_reward": 0.6,
        "pass_threshold": 1.0,
        "agents": {"solver": {"native": {"mean/reward": 0.6}}},
        "assumptions": [],
    }
    coverage = {
        "schema_version": 1,
        "coverage": None,
        "measured_share": None,
        "task_coverage": task_coverage([], known=False, independent=True),
        "accounting": total,
        "by": {"agent": [{"agent": "solver", **total}], "repeat": [], "slice": [], "task": [], "health": []},
        "health_checks": [],
        "aggregates": [],
        "findings": [],
        "failures": [],
        "unscored_reasons": [],
        "line_classes": [{"class": "row", "count": 5}],
        "assumptions": ["No materialized inputs were found, so how many rollouts were expected is unknown."],
    }
    return _plain_run(
        scores,
        coverage,
        per_task,
        buckets,
        modes_table,
        files=[("rollouts", "rollouts.jsonl", 5120)],
        patterns=SINGLE,
        passed=3,
        failed=2,
        counts={"always_pass": 3, "always_fail": 2},
    )


def empty_run() -> ReportInputs:
    """Nothing could be read: every number is zero or null."""
    per_task, buckets, modes_table = tables([], [])
    total = accounting(None, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 3)
    nothing = ("pass_at_1", "pass_at_1_micro", "pass_at_k", "k", "consistency", "retry_value", "mean_reward")
    scores = {
        **dict.fromkeys(nothing),
        "num_tasks": 0,
        "num_rollouts": 0,
        "passed_rollouts": 0,
        "failed_rollouts": 0,
        "intervals": {},
        "bounds": {},
        "slices": [],
        "slices_left_out": [],
        "pass_at": {},
        "pass_hat": {},
        "agents": {},
        "pass_threshold": 1.0,
        "accountings": dict.fromkeys(("observed", "failures_as_zero", "all_unscored_as_zero", "all_as_one")),
        "variance": {"sigma2_within": None, "between": None, "icc": None, "design_effect": None, "reason": "no rows"},
        "repeats": NO_REPEATS,
        "best_of": None,
        "assumptions": [],
    }
    coverage = {
        "schema_version": 1,
        "coverage": None,
        "measured_share": None,
        "task_coverage": task_coverage([], known=False, independent=True),
        "accounting": total,
        "by": {"agent": [], "repeat": [], "slice": [], "task": [], "health": []},
        "health_checks": [],
        "aggregates": [],
        "findings": [],
        "failures": [],
        "unscored_reasons": [],
        "line_classes": [{"class": "invalid_json", "count": 3}],
        "assumptions": [],
    }
    return _plain_run(
        scores,
        coverage,
        per_task,
        buckets,
        modes_table,
        files=[("rollouts", "rollouts.jsonl", 90)],
        patterns=[],
        passed=0,
        failed=0,
        counts={},
    )


def _plain_run(
    scores: dict[str, Any],
    coverage: dict[str, Any],
    per_task: pa.Table,
    buckets: pa.Table,
    modes_table: pa.Table,
    *,
    files: list[tuple[str, str, int]],
    patterns: list[str],
    passed: int,
    failed: int,
    counts: dict[str, int],
) -> ReportInputs:
    names = ("always_pass", "sometimes_pass", "always_fail", "indeterminate", "missing", "masked")
    modes = [
        {
            "code": "wrong_answer",
            "label": "Answer given, verifier says no",
            "count": failed,
            "total_failed": failed,
            "share": 1.0,
            "tasks": failed,
            "examples": [],
            "rule": "reward below the threshold",
            "root_cause": None,
        }
    ]
    seen = passed + failed
    return ReportInputs(
        benchmark="sums",
        run="night-1",
        manifest=manifest(files, {}, []),
        coverage=coverage,
        scores=scores,
        per_task=per_task,
        buckets=buckets,
        modes_table=modes_table,
        buckets_document={
            "counts": {name: counts.get(name, 0) for name in names},
            "total_tasks": len(patterns),
            "intervals": {name: [0.0, 1.0] for name in names},
        },
        aligned=aligned(patterns, None, None),
        funnel={
            "source": "generic",
            "out_of_order": None,
            "by_slice": [],
            "by_slice_left_out": [],
            "by_model": [],
            "by_model_left_out": 0,
            "total_rollouts": seen,
            "largest_drop": {"phase": "passed", "lost": failed, "entered": seen} if failed else None,
            "phases": [
                {
                    "phase": "passed",
                    "entered": seen,
                    "reached": passed,
                    "survival": passed / seen if seen else None,
                    "conditional_drop": failed / seen if seen else None,
                    "rule": "passed",
                    "source": "generic",
                }
            ],
        },
        modes={
            "modes": modes if failed else [],
            "secondary": [],
            "not_discriminating": [],
            "slices": [],
            "by_slice": [],
            "unexplained": 0,
            "total_failed": failed,
        },
        contrasts={
            "contrasts": [],
            "stratified": [],
            "lengths": {
                "left_out": 0,
                "fields": [],
                "fields_left_out": [],
                "controls": {},
                "features": [],
                "findings": [],
            },
            "note": "No task has both a passing and a failing rollout.",
            "never_pass": {"groups": [], "compared": 24, "compared_steps": 100},
        },
        causes={
            "labels": [],
            "stale_labels": [],
            "counts": dict.fromkeys(["KG", "UK", "BI", "TI", "IR", "DA"], 0) | {"unlabelled": failed},
            "recommendations": [],
            "without_cause": {"tasks": 0, "lost": 0.0, "passing_tasks": 0, "passing_lost": 0.0, "denominator": 1},
            "ablation": None,
        },
        comparison={
            "baseline": None,
            "reason": "this is the first run of the benchmark",
            "pairs": [],
            "references": [],
        },
        facts={"benchmark": "sums", "model": None, "facts": []},
        profile=None,
        labels_document={"present": False, "file": None, "labels": []},
    )
