"""Inputs of a run with every outcome, written by hand."""

from blade_pipeline.reporting import ReportInputs
from blade_pipeline_tests.reporting.parts import accounting, aligned, curve, interval, manifest, pair, tables

# 12 tasks x 4 repeats. Letters: P 19, F 17, M 5, U 1, X 4, - 2; 19 + 17 + 5 + 1 + 4 + 2 = 48.
MIXED = ["PPPP", "PPPP", "PPPP", "PFPP", "FPFF", "PPFM", "PF-F", "FFFF", "FFUF", "FFXF", "MMMM", "XXX-"]
MIXED_BUCKETS = [
    *["always_pass"] * 3,
    *["sometimes_pass"] * 4,
    "always_fail",
    "indeterminate",
    "indeterminate",
    "masked",
    "missing",
]


def mixed_run() -> ReportInputs:
    """12 tasks, 4 repeats, every outcome: pass@1 = 5.0 / 10 = 0.5 over tasks, 19 / 36 over rollouts."""
    per_task, buckets, modes_table = tables(MIXED, MIXED_BUCKETS)
    total = accounting(48, 36, 5, 1, 4, 2, 0, 0, 19, 43, 1, 0)
    scores = {
        "pass_at_1": 0.5,
        "pass_at_1_micro": 19 / 36,
        "pass_at_k": 0.675,
        "k": 3,
        "consistency": 0.3,
        "retry_value": 0.175,
        "num_tasks": 10,
        "num_rollouts": 36,
        "passed_rollouts": 19,
        "failed_rollouts": 17,
        "intervals": {
            "pass_at_1": interval(0.19, 0.81, "new_tasks", "t over task means"),
            "pass_at_1_these_tasks": interval(0.41, 0.59, "these_tasks", "within-task normal"),
        },
        "bounds": {"pass_at_1": {"low": 0.44, "high": 0.63}},
        "pass_at": curve((0.5, 10, 10), (0.6167, 10, 10), (0.675, 10, 10), (0.8333, 6, 10)),
        "pass_hat": curve((0.5, 10, 10), (0.3833, 10, 10), (0.325, 10, 10), (0.5, 6, 10)),
        "accountings": {"observed": 0.5, "failures_as_zero": 0.47, "all_unscored_as_zero": 0.4, "all_as_one": 0.65},
        "variance": {"sigma2_within": 0.06, "between": 0.15, "icc": 0.71, "design_effect": 3.1, "reason": None},
        "mean_reward": 19 / 36,
        "pass_threshold": 1.0,
        "agents": {"solver": {"native": {"mean/reward": 19 / 36, "pass@1/accuracy": 50.0, "pass@2/accuracy": 61.67}}},
        "assumptions": ["A rollout passes when its reward reaches 1."],
    }
    coverage = {
        "schema_version": 1,
        "coverage": 42 / 48,
        "measured_share": 36 / 48,
        "min_coverage": None,
        "accounting": total,
        "by": {
            "agent": [{"agent": "solver", **total, "coverage": 42 / 48, "measured_share": 36 / 48}],
            "repeat": [
                {"agent": "solver", "repeat": rank, **accounting(12, measured, 0, 0, 0, 0, 0, 0, passed)}
                for rank, (measured, passed) in enumerate([(10, 6), (10, 5), (8, 4), (8, 4)])
            ],
            "slice": [
                {"field": "topic", "value": "sums", **accounting(24, 19, 1, 0, 4, 0, 0, 0, 12)},
                {"field": "topic", "value": "words", **accounting(24, 17, 4, 1, 0, 2, 0, 0, 7)},
            ],
            "task": [],
        },
        "failures": [{"class": "timeout", "attempts": 8, "terminal": 4, "recovered": 0, "count": 4}],
        "unscored_reasons": [{"reason": "invalid_nan", "count": 1}],
        "line_classes": [{"class": "blank", "count": 1}, {"class": "row", "count": 42}],
        "assumptions": [],
    }
    example = {"task": "4", "repeat": "0", "file": "rollouts.jsonl", "line": 17, "excerpt_kind": "verifier verdict"}
    modes = {
        "modes": [
            {
                "code": "wrong_answer",
                "label": "Answer given, verifier says no",
                "count": 11,
                "total_failed": 17,
                "share": 11 / 17,
                "tasks": 5,
                "examples": [example, {**example, "task": "7", "line": 28}],
                "rule": "reward below the threshold with a final answer",
                "root_cause": None,
            },
            {
                "code": "output_limit",
                "label": "Stopped at the output limit",
                "count": 6,
                "total_failed": 17,
                "share": 6 / 17,
                "tasks": 2,
                "examples": [{**example, "task": "8", "line": 33}],
                "rule": "incomplete_reason is max_output_tokens",
                "root_cause": "BI",
            },
        ],
        "unexplained": 0,
        "total_failed": 17,
    }
    funnel = {
        "source": "generic",
        "total_rollouts": 48,
        "largest_drop": {"phase": "passed", "lost": 17, "entered": 36},
        "phases": [
            {
                "phase": "expected",
                "entered": 48,
                "reached": 48,
                "conditional_drop": 0.0,
                "survival": 1.0,
                "rule": "all",
            },
            {
                "phase": "completed",
                "entered": 48,
                "reached": 42,
                "conditional_drop": 0.125,
                "survival": 0.875,
                "rule": "a rollout row exists",
            },
            {
                "phase": "scored",
                "entered": 42,
                "reached": 36,
                "conditional_drop": 1 / 7,
                "survival": 0.75,
                "rule": "outcome = 'measured'",
            },
            {
                "phase": "passed",
                "entered": 36,
                "reached": 19,
                "conditional_drop": 17 / 36,
                "survival": 19 / 48,
                "rule": "passed",
            },
        ],
    }
    return ReportInputs(
        benchmark="sums",
        run="night-1",
        manifest=manifest(
            [
                ("rollouts", "rollouts.jsonl", 812345),
                ("materialized_inputs", "rollouts_materialized_inputs.jsonl", 40312),
                ("failures", "rollouts_failures.jsonl", 5120),
                ("resolved_config", "rollouts_resolved_config.yaml", 2100),
            ],
            {"model": "example-8b", "temperature": 0.6, "gym_version": "0.7.0", "dataset": "sums-v2"},
            [],
        ),
        coverage=coverage,
        scores=scores,
        per_task=per_task,
        buckets=buckets,
        buckets_document={
            "counts": {
                "always_pass": 3,
                "sometimes_pass": 4,
                "always_fail": 1,
                "indeterminate": 2,
                "missing": 1,
                "masked": 1,
            },
            "total_tasks": 12,
        },
        aligned=aligned(MIXED, True, '[["call","search",120,"ok",false],["message","assistant",40,"ok",false]]'),
        funnel=funnel,
        modes=modes,
        modes_table=modes_table,
        contrasts={
            "contrasts": [
                {
                    "task": "4",
                    "passing": {"rollout": "4-1"},
                    "failing": {"rollout": "4-0"},
                    "features": [
                        {"name": "tool calls", "passing": 5, "failing": 2},
                        {"name": "output tokens", "passing": 1400, "failing": 620},
                    ],
                    "first_difference": "Step 3: the passing rollout calls `check` again, the failing one answers.",
                }
            ],
            "stratified": [{"feature": "tool calls", "difference": 1.8, "tasks": 4}],
            "note": "Compared inside each task only.",
        },
        causes={
            "labels": [
                {
                    "task": "11",
                    "label": "IR",
                    "by": "rule",
                    "rule": "every attempt failed before the agent ran",
                    "confidence": "high",
                    "evidence": ["11-0", "11-1"],
                    "note": None,
                },
                {
                    "task": "7",
                    "label": "KG",
                    "by": "analyst",
                    "rule": None,
                    "confidence": None,
                    "evidence": ["7-0"],
                    "note": "Does not know the unit.",
                },
                {
                    "task": "4",
                    "label": "UK",
                    "by": "rule",
                    "rule": "mixed outcomes on one task",
                    "confidence": "low",
                    "evidence": ["4-0", "4-1"],
                    "note": None,
                },
            ],
            "counts": {"KG": 1, "UK": 1, "BI": 0, "TI": 0, "IR": 1, "DA": 0, "unlabelled": 5},
            "recommendations": [
                {
                    "label": "UK",
                    "action": "Train on repeated rollouts of the mixed tasks.",
                    "tasks": ["4"],
                    "recoverable_score": 0.175,
                },
                {
                    "label": "IR",
                    "action": "Mend the sandbox start and run these tasks again.",
                    "tasks": ["11"],
                    "recoverable_score": 0.083,
                },
            ],
        },
        comparison={
            "baseline": "night-0",
            "reason": "the run that precedes this one in time",
            "pairs": [pair()],
            "references": [
                {
                    "name": "model card",
                    "score": 0.62,
                    "scale": "fraction",
                    "verdict": "not_comparable",
                    "sentence": "The reference names no configuration, so it is a rough target.",
                }
            ],
        },
        facts={
            "benchmark": "sums",
            "model": "example-8b",
            "facts": [
                {
                    "id": "F1",
                    "topic": "score",
                    "fact": "19 of 36 measured rollouts pass.",
                    "difficulty": "low",
                    "evidence": {"query": "select count(*) from measured_samples where passed", "numbers": {"k": 19}},
                },
                {
                    "id": "F2",
                    "topic": "failure_mode",
                    "difficulty": "medium",
                    "fact": "11 of 17 failed rollouts end in wrong_answer, all in 5 of 12 tasks.",
                    "evidence": {"rows": ["4-0", "7-0"], "numbers": {"k": 11, "n": 17}},
                },
                {
                    "id": "F3",
                    "topic": "sometimes_pass",
                    "difficulty": "high",
                    "fact": "On task 4 the passing rollout makes 5 tool calls, the failing ones 2.",
                    "evidence": {"rows": ["4-0", "4-1"], "numbers": {"passing": 5, "failing": 2}},
                },
            ],
        },
        profile={"present": False, "file": None, "profile": {}},
        labels_document={"present": True, "file": "night-1.yaml", "labels": [{"task": 7, "root_cause": "KG"}]},
    )
