"""Passed and failed rollouts, and the modes that they are given."""

from typing import Any

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline.tables import FAILURE_MODES
from blade_pipeline_tests.builders import aligned

ANSWERED = {"output_items": 1, "answer_length": 20, "tool_calls": 0, "tool_errors": 0, "total_tokens": 50}

CALL = [["tool_call", "search", 5, None, 0], ["tool_output", "search", 9, None, 0]]

FAILED_CALL = [["tool_call", "search", 5, None, 0], ["tool_output", "search", 9, None, 1]]

CLOSING = ["message", "assistant", 20, "completed", 0]


def passed(task: Any, **extra: Any) -> dict[str, Any]:
    return {"task": task, "score": 1.0, **ANSWERED, **extra}


def failed(task: Any, **extra: Any) -> dict[str, Any]:
    return {"task": task, "score": 0.0, **ANSWERED, **extra}


def modes_of(rows: list[dict[str, Any]], profile: Profile | None = None) -> list[tuple[str, str | None]]:
    table, _ = failure_modes(aligned(rows), profile or Profile())
    assert table.schema.equals(FAILURE_MODES)
    return list(zip(table["mode"].to_pylist(), table["secondary"].to_pylist(), strict=True))
