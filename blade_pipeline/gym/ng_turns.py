"""The turns and tool calls of an ``ng_trajectory``, as steps with their texts."""

from typing import Any

from blade_pipeline.gym.content import text_of
from blade_pipeline.gym.toolerrors import FAILED_STATUS
from blade_pipeline.gym.values import listed

Step = list[Any]


def turns(value: Any) -> list[tuple[Step, str]] | None:
    """One step with its text per turn and per tool call of an ``ng_trajectory``; null where there is none."""
    if not isinstance(value, dict) or not isinstance(value.get("turns"), list):
        return None
    pairs: list[tuple[Step, str]] = []
    for turn in value["turns"]:
        if isinstance(turn, dict):
            role = turn.get("role")
            text = text_of(turn.get("content", turn.get("answer")))
            pairs.append((["message", role if isinstance(role, str) else "assistant", len(text), None, 0], text))
    for call in listed(value.get("tool_calls")):
        if isinstance(call, dict):
            name, status = call.get("name", call.get("tool_name")), call.get("status")
            status = status if isinstance(status, str) else None
            failed = bool(call.get("error")) or status in FAILED_STATUS
            step = ["tool_call", name if isinstance(name, str) else None, 0, status, int(failed)]
            pairs.append((step, text_of(call.get("arguments"))))
    return pairs
