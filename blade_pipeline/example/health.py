"""The health check's two files: what it could see of a run whose rows hold no captured trajectory.

Such rows can never be called healthy. The one finding is the model call that a masked rollout ended on; the calls
themselves, which were captured beside the job, are not part of the example.
"""

from blade_pipeline.example.benchmark import Json
from blade_pipeline.example.simulate import Result

ENDED = "rollout_ended_on_failed_model_call"
RECORD_CHECKS = ("check_execution_error", "record_unreadable", "rollout_duplicate_identity")
TRAJECTORY_CHECKS = (
    "rollout_missing_agent_turns",
    "agent_turn_hollow",
    "model_call_zero_completion_tokens",
    "model_call_missing_token_counts",
    "trajectory_capture_mismatch",
    "model_call_failed",
    "rollout_token_count_mismatch",
    "model_call_runaway_generation",
)
TASK_FLAGS = ("task_consistently_unhealthy", "task_no_successful_model_calls")

_STATUS = 503
_VERDICTS = ("healthy", "unhealthy", "unobserved")


def verdict_rows(result: Result) -> list[Json]:
    """``rollout_verdicts.jsonl``: one row per row of the rollouts file, by task and repeat."""
    rows = sorted(result.rows, key=lambda row: (row["_ng_task_index"], row["_ng_rollout_index"]))
    return [_verdict(row) for row in rows]


def quality_summary(result: Result, verdicts: list[Json]) -> Json:
    """``quality_summary.json``: the same verdicts counted, by check and by task."""
    found = sum(bool(verdict["findings"]) for verdict in verdicts)
    issues = dict.fromkeys((*RECORD_CHECKS, ENDED, *TRAJECTORY_CHECKS, *TASK_FLAGS), 0)
    tasks = _tasks(verdicts)
    issues[ENDED] = found
    issues[TASK_FLAGS[0]] = sum(bool(task["flags"]) for task in tasks.values())
    usage = [row["response"]["usage"] for row in result.rows]
    return {
        "run": {
            "ignored_checks": [],
            "artifacts": {"records": len(verdicts), "captures": len(verdicts), "coverage": _coverage(len(verdicts))},
            "verdicts": _counts(verdicts),
            "issues": issues,
            "stats": {
                "model_call_errors": {
                    "total": found,
                    "by_status": {str(_STATUS): found} if found else {},
                    "rollouts_affected": found,
                    "ended_on_error": found,
                },
                "duplicated_calls": {"replayed": 0, "rollouts": 0},
                "tokens": {
                    "prompt": sum(counts["input_tokens"] for counts in usage),
                    "completion": sum(counts["output_tokens"] for counts in usage),
                },
            },
        },
        "tasks": tasks,
    }


def _verdict(row: Json) -> Json:
    task, repeat = row["_ng_task_index"], row["_ng_rollout_index"]
    attempt = f"-a{row['_ng_attempt_index']}" if "_ng_attempt_index" in row else ""
    lost = bool(row.get("mask_sample"))
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "rollout_id": f"{task}-{repeat}{attempt}",
        "verdict": "unhealthy" if lost else "unobserved",
        "findings": [{"check": ENDED, "detail": {"status": _STATUS}}] if lost else [],
        "unobserved": list(TRAJECTORY_CHECKS),
    }


def _coverage(records: int) -> Json:
    seen = {"evaluated": records, "unobserved": 0, "ignored": 0}
    unseen = {"evaluated": 0, "unobserved": records, "ignored": 0}
    return dict.fromkeys((*RECORD_CHECKS, ENDED), seen) | dict.fromkeys(TRAJECTORY_CHECKS, unseen)


def _tasks(verdicts: list[Json]) -> Json:
    tasks: Json = {}
    for task in sorted({verdict["_ng_task_index"] for verdict in verdicts}):
        own = [verdict for verdict in verdicts if verdict["_ng_task_index"] == task]
        counts = _counts(own)
        flagged = counts["unhealthy"] == len(own) >= 2
        tasks[str(task)] = {"repeats": len(own), **counts, "flags": [TASK_FLAGS[0]] if flagged else []}
    return tasks


def _counts(verdicts: list[Json]) -> dict[str, int]:
    return {name: sum(verdict["verdict"] == name for verdict in verdicts) for name in _VERDICTS}
