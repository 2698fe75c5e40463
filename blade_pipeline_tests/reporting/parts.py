"""Parts of sample inputs: tables from a pattern of outcomes per task, and small documents.

Each task is a row of letters, one per repeat: P passed, F failed the verifier, M masked, U unscored, X failed in the
sidecar, - missing.
"""

import json
from typing import Any

import pyarrow as pa

from blade_pipeline.tables import ALIGNED_SAMPLES, FAILURE_MODES, OUTCOME_BUCKETS, PASS_AT_K

OUTCOMES = {"P": "measured", "F": "measured", "M": "masked", "U": "unscored", "X": "failed", "-": "missing"}

KEYS = [
    "gym_version",
    "scoring_commit",
    "submitter_commit",
    "driver_container",
    "image",
    "model",
    "checkpoint",
    "precision",
    "serving_engine",
    "serving_version",
    "reasoning_parser",
    "tool_call_parser",
    "parallelism",
    "gpu_type",
    "temperature",
    "top_p",
    "max_output_tokens",
    "context_limit",
    "reasoning_effort",
    "chat_template",
    "system_prompt",
    "system_role",
    "agent",
    "harness",
    "judge",
    "judge_prompt",
    "judge_sampling",
    "user_simulator",
    "tools",
    "timeout",
    "max_turns",
    "repeats",
    "dataset",
    "dataset_license",
    "redaction_limits",
    "split",
    "limit",
    "prompt_config",
    "count_failures_as_zero",
    "count_missing_as_zero",
    "route_failures_to_sidecar",
    "started_at",
    "finished_at",
]


def aligned(patterns: list[str], expected: bool | None, steps: str | None) -> pa.Table:
    rows, line = [], 0
    for task, pattern in enumerate(patterns):
        for rank, letter in enumerate(pattern):
            has_row = letter in "PFMU"
            line += has_row
            rows.append(
                {
                    "agent": "solver",
                    "stage": 0,
                    "task": str(task),
                    "repeat": str(rank),
                    "rank": rank,
                    "order": task,
                    "outcome": OUTCOMES[letter],
                    "expected": expected,
                    "duplicates": 0,
                    "indexed": True,
                    "score": {"P": 1.0, "F": 0.0}.get(letter),
                    "passed": {"P": True, "F": False}.get(letter),
                    "file": "rollouts.jsonl" if has_row else None,
                    "line": line if has_row else None,
                    "rollout_id": f"{task}-{rank}",
                    "steps": steps if has_row else None,
                    "response_status": "completed" if has_row else None,
                    "output_tokens": 900 if has_row else None,
                    "failure_class": "timeout" if letter == "X" else None,
                    "tool_calls": 3 if has_row else None,
                    "reason": {"X": "timeout", "U": "invalid_nan"}.get(letter),
                    "attempts": 2 if letter == "X" else 0,
                    "slices": json.dumps({"topic": "sums" if task % 2 else "words"}),
                    "health_verdict": "unhealthy" if letter == "M" else "healthy",
                    "numbers": [],
                    "usage": [],
                    "health_checks": "empty_response" if letter == "M" else None,
                }
            )
    return pa.Table.from_pylist(rows, schema=ALIGNED_SAMPLES)


def tables(patterns: list[str], buckets: list[str]) -> tuple[pa.Table, pa.Table, pa.Table]:
    per_task, outcome, modes = [], [], []
    for task, (pattern, bucket) in enumerate(zip(patterns, buckets, strict=True)):
        passed, failed = pattern.count("P"), pattern.count("F")
        common = {"agent": "solver", "stage": 0, "task": str(task), "order": task, "planned": len(pattern)}
        counted = {"measured": passed + failed, "passed": passed}
        mean = passed / (passed + failed) if passed + failed else None
        per_task.append({**common, **counted, "score_sum": float(passed), "score_mean": mean, "slices": "{}"})
        reason = "1 of 4 repeats has no score" if bucket == "indeterminate" else None
        outcome.append({**common, **counted, "bucket": bucket, "possible": bucket, "reason": reason})
        for rank, letter in enumerate(pattern):
            if letter == "F":
                mode = "wrong_answer" if task < 8 else "output_limit"
                modes.append({**common, "repeat": str(rank), "mode": mode, "file": "rollouts.jsonl", "line": 7})
    return (
        pa.Table.from_pylist(per_task, schema=PASS_AT_K),
        pa.Table.from_pylist(outcome, schema=OUTCOME_BUCKETS),
        pa.Table.from_pylist([{k: row.get(k) for k in FAILURE_MODES.names} for row in modes], schema=FAILURE_MODES),
    )


def manifest(
    files: list[tuple[str, str, int]], known: dict[str, Any], findings: list[dict[str, str]]
) -> dict[str, Any]:
    empty = {"value": None, "source": None, "reason": "no resolved configuration was found"}
    return {
        "benchmark": "sums",
        "run": "night-1",
        "layout": "plain",
        "original_names": {"benchmark": "sums", "run": "night-1"},
        "files": [{"role": role, "name": name, "size": size} for role, name, size in files],
        "values": {
            key: {"value": known[key], "source": "rollouts_resolved_config.yaml", "reason": None}
            if key in known
            else dict(empty)
            for key in KEYS
        },
        "findings": findings,
    }


def accounting(*counts: int | None) -> dict[str, int | None]:
    names = (
        "expected",
        "measured",
        "masked",
        "unscored",
        "failed",
        "missing",
        "unexpected",
        "duplicates",
        "passed",
        "lines",
        "blank_lines",
        "malformed_lines",
    )
    return dict(zip(names, counts, strict=False))


def interval(low: float | None, high: float | None, question: str, method: str) -> dict[str, Any]:
    reason = None if low is not None else "one task gives no spread"
    return {
        "low": low,
        "high": high,
        "level": 0.95,
        "method": method,
        "question": question,
        "se": 0.1,
        "reason": reason,
    }


def curve(*rows: tuple[float, int, int]) -> dict[str, Any]:
    return {
        str(k): {"value": value, "eligible_tasks": eligible, "total_tasks": total, "low": None, "high": None}
        for k, (value, eligible, total) in enumerate(rows, start=1)
    }
