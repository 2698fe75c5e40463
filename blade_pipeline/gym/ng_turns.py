"""The turns and tool calls of an ``ng_trajectory``, as steps with their texts."""

from typing import Any

from blade_pipeline.gym.content import text_of
from blade_pipeline.gym.tool_calls import ToolCalls
from blade_pipeline.gym.toolerrors import FAILED_STATUS, looks_like_error
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
            status = call.get("status")
            status = status if isinstance(status, str) else None
            pairs.append((["tool_call", _tool(call), 0, status, int(_failed(call))], text_of(call.get("arguments"))))
    return pairs


def tool_calls(value: dict[str, Any]) -> ToolCalls:
    """The tool calls of an ``ng_trajectory`` with what came back from each."""
    found = ToolCalls()
    for number, call in enumerate(listed(value.get("tool_calls"))):
        if isinstance(call, dict):
            found.call(str(number), _tool(call), text_of(call.get("arguments")))
            answer = _answer(call)
            if answer or call.get("status") is not None or _failed(call):
                found.answer(str(number), answer, failed=_failed(call))
    return found


def _tool(call: dict[str, Any]) -> str | None:
    name = call.get("name", call.get("tool_name"))
    return name if isinstance(name, str) else None


def _answer(call: dict[str, Any]) -> str:
    """The error of a call, else what it gave."""
    return next(filter(None, (text_of(call.get(name)) for name in ("error", "output", "result", "response"))), "")


def _failed(call: dict[str, Any]) -> bool:
    return bool(call.get("error")) or call.get("status") in FAILED_STATUS or looks_like_error(_answer(call))
