"""Bounded JSON objects of a row's fields: enough for a benchmark's own expressions, never a transcript."""

from typing import Any

from blade_pipeline.gym.values import compact_json

DROPPED = "…dropped"
"""Key under which the names of left-out fields stand."""

TEXT_LIMIT = 300
NESTED_LIMIT = 500
OBJECT_LIMIT = 4000
RESPONSE_LIMIT = 2000

_RESPONSE_FIELDS = (
    "status",
    "error",
    "incomplete_details",
    "finish_reason",
    "stop_reason",
    "service_tier",
    "truncation",
    "max_output_tokens",
    "max_tool_calls",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "reasoning",
)


def bounded_json(fields: dict[str, Any], limit: int = OBJECT_LIMIT) -> str:
    """JSON object of the fields, at most ``limit`` bytes.

    Strings are cut to 300 characters; lists and objects whose JSON exceeds 500 bytes are left out, then the longest
    fields until the whole fits. Left-out names are listed under ``…dropped``.
    """
    kept: dict[str, Any] = {}
    dropped: list[str] = []
    for name, value in fields.items():
        if isinstance(value, str):
            kept[name] = value if len(value) <= TEXT_LIMIT else value[:TEXT_LIMIT]
        elif isinstance(value, (list, dict)):
            if _cost(value, NESTED_LIMIT) > 0 and len(compact_json(value).encode()) <= NESTED_LIMIT:
                kept[name] = value
            else:
                dropped.append(name)
        else:
            kept[name] = value
    text = _with_note(kept, dropped)
    if len(text) * 4 > limit and len(text.encode()) > limit:
        text = _shrunk(kept, dropped, limit)
    return text


def response_json(response: dict[str, Any]) -> str | None:
    """Status fields of a response as a bounded JSON object; null when it has none."""
    fields = {name: response[name] for name in _RESPONSE_FIELDS if response.get(name) is not None}
    return bounded_json(fields, RESPONSE_LIMIT) if fields else None


def _with_note(kept: dict[str, Any], dropped: list[str]) -> str:
    return compact_json({**kept, DROPPED: dropped} if dropped else kept)


def _shrunk(kept: dict[str, Any], dropped: list[str], limit: int) -> str:
    sizes = {name: len(compact_json({name: value}).encode()) for name, value in kept.items()}
    for name in sorted(sizes, key=lambda key: -sizes[key]):
        del kept[name]
        dropped.append(name[:100])
        text = _with_note(kept, dropped[:20])
        if len(text.encode()) <= limit:
            return text
    return _with_note({}, [f"{len(dropped)} fields"])


def _cost(value: Any, budget: int) -> int:
    """What is left of the budget after a rough count of the value's JSON bytes; stops early when it is spent."""
    if isinstance(value, str):
        return budget - len(value) - 2
    if isinstance(value, dict):
        for name, item in value.items():
            budget = _cost(item, budget - len(name) - 4)
            if budget <= 0:
                return budget
        return budget
    if isinstance(value, list):
        for item in value:
            budget = _cost(item, budget - 1)
            if budget <= 0:
                return budget
        return budget
    return budget - 1
