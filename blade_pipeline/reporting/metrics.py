"""The numbers of a run as ``metrics.json`` publishes them."""

from typing import Any

from blade_pipeline.reporting.inputs import Json, ReportInputs

SCHEMA_VERSION = 1
OUTCOMES = ("measured", "masked", "unscored", "failed", "missing")
ACCOUNTING = ("expected", *OUTCOMES, "unexpected", "duplicates", "lines", "blank_lines", "malformed_lines")
BUCKETS = ("always_pass", "sometimes_pass", "always_fail", "indeterminate", "missing", "masked")
SCORES = ("pass_at_1", "pass_at_1_micro", "pass_at_k", "k", "consistency", "retry_value")
PARTS = ("mean_reward", "intervals", "bounds", "pass_at", "pass_hat", "best_of", "accountings", "variance", "repeats")
GRADED = tuple(f"mean_reward_{name}" for name in ("scale", "accountings", "spread", "variance", "repeats", "drift"))
"""What only a run has that goes by its mean score."""
SIZES = ("num_tasks", "num_rollouts", "passed_rollouts", "failed_rollouts")


def metrics(inputs: ReportInputs) -> Json:
    """The document published as ``metrics.json``.

    Bucket counts sum to ``total_tasks``; ``passed_rollouts`` and ``failed_rollouts`` sum to ``num_rollouts``.
    ``total_rollouts`` is what was expected, or what was seen when that is unknown (``accounting.expected`` is then
    null). Scores are fractions, null when nothing was measured. Every number has a row in ``docs/metrics.md``.
    """
    scores, counts = inputs.scores, inputs.buckets_document["counts"]
    model = value_of(inputs.manifest, "model")
    return {
        "schema_version": SCHEMA_VERSION,
        "benchmark": inputs.benchmark,
        "run": inputs.run,
        "model": model,
        "model_name": model,
        "pass_threshold": scores["pass_threshold"],
        "headline_metric": scores.get("headline_metric", "pass_at_1"),
        **{name: scores[name] for name in (*SCORES, *SIZES)},
        "total_tasks": inputs.buckets_document["total_tasks"],
        "total_rollouts": total_rollouts(inputs.coverage["accounting"]),
        **{f"{bucket}_tasks": counts[bucket] for bucket in BUCKETS},
        **_dominant(inputs.modes),
        "ablation": _ablation(inputs),
        "coverage": inputs.coverage["coverage"],
        "measured_share": inputs.coverage["measured_share"],
        "task_coverage": inputs.coverage["task_coverage"],
        **{name: scores[name] for name in PARTS},
        **{name: scores[name] for name in GRADED if name in scores},
        "accounting": accounting(inputs.coverage["accounting"]),
        "slices": _slices(inputs),
        "agents": _agents(inputs),
    }


def accounting(counts: Json) -> Json:
    """The published part of an accounting."""
    return {name: counts.get(name) for name in ACCOUNTING}


def seen_rollouts(counts: Json) -> int:
    """Rollouts with any outcome; equals what was expected when that is known."""
    return sum(int(counts[outcome]) for outcome in OUTCOMES)


def total_rollouts(counts: Json) -> int:
    """Rollouts expected; those seen when the expectation is unknown."""
    return int(counts["expected"]) if counts["expected"] is not None else seen_rollouts(counts)


def dominant_mode(modes: Json) -> Json | None:
    """The primary failure mode with the most failed rollouts; of equal ones the more severe."""
    found = [mode for mode in modes["modes"] if mode["count"]]
    return max(found, key=lambda mode: mode["count"], default=None)


def value_of(manifest: Json, key: str) -> Any:
    """A value of the manifest; null when it is unknown."""
    return (manifest["values"].get(key) or {}).get("value")


def _slices(inputs: ReportInputs) -> list[Json]:
    """What each slice scored, with its failed rollouts by primary failure mode."""
    found = {(row["field"], row["value"]): row["modes"] for row in inputs.modes["by_slice"]}
    return [
        row | {"failure_modes": {mode["code"]: mode["count"] for mode in found.get((row["field"], row["value"]), ())}}
        for row in inputs.scores["slices"]
    ]


def _dominant(modes: Json) -> Json:
    mode, failed = dominant_mode(modes), modes["total_failed"]
    return {
        "dominant_failure_type": mode["code"] if mode else None,
        "dominant_failure_count": mode["count"] if mode else 0,
        "dominant_failure_fraction": mode["count"] / failed if mode and failed else None,
    }


def _ablation(inputs: ReportInputs) -> Json | None:
    """The within-task counterfactuals, beside the published scores."""
    found: Json | None = inputs.causes["ablation"]
    return found and found | {"references": {row["name"]: row["score_fraction"] for row in references(inputs)}}


def references(inputs: ReportInputs) -> list[Json]:
    """The published scores that pass@1 can be held against."""
    return [row for row in inputs.comparison["references"] if row["metric"] == "pass@1"]


def _agents(inputs: ReportInputs) -> Json:
    counted = {row["agent"]: row for row in inputs.coverage["by"]["agent"]}
    agents = inputs.scores["agents"]
    return {
        name: {**agents.get(name, {"native": {}}), "accounting": accounting(counted.get(name, {}))}
        for name in sorted({*agents, *counted})
    }
