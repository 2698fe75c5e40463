"""Bounded JSON objects of a row's fields: enough for a benchmark's own expressions, never a transcript."""

from typing import Any

import orjson

from blade_pipeline.gym.values import compact_json

DROPPED = "…dropped"
"""Key under which the names of left-out fields stand."""

TEXT_LIMIT = 300
NESTED_LIMIT = 500
OBJECT_LIMIT = 4000

_NAMES_LISTED = 20


def bounded_json(fields: dict[str, Any], limit: int = OBJECT_LIMIT) -> str:
    """JSON object of the fields, at most ``limit`` bytes.

    Strings are cut to 300 characters; lists and objects whose JSON exceeds 500 bytes are left out, then the longest
    fields until the whole fits. Left-out names are listed under ``…dropped``.
    """
    try:
        whole = orjson.dumps(fields)
        if len(whole) <= TEXT_LIMIT:
            return whole.decode()
    except TypeError:
        pass
    kept = dict(fields)
    dropped: list[str] = []
    for name, value in fields.items():
        kind = type(value)
        if kind is str:
            if len(value) > TEXT_LIMIT:
                kept[name] = value[:TEXT_LIMIT]
        elif (kind is list or kind is dict) and not _is_small(value):
            del kept[name]
            dropped.append(name[:100])
    text = _with_note(kept, dropped)
    if len(text) * 4 > limit and len(text.encode()) > limit:
        return _shrunk(kept, dropped, limit)
    return text


def _with_note(kept: dict[str, Any], dropped: list[str]) -> str:
    if not dropped:
        return compact_json(kept)
    more = len(dropped) - _NAMES_LISTED
    names = dropped if more <= 0 else [*dropped[:_NAMES_LISTED], f"{more} more"]
    return compact_json({**kept, DROPPED: names})


def _shrunk(kept: dict[str, Any], dropped: list[str], limit: int) -> str:
    """Without the longest fields, as many as it takes."""
    sizes = {name: len(compact_json({name: value}).encode()) for name, value in kept.items()}
    excess = sum(sizes.values()) - limit + _NAMES_LISTED * 104
    for name in sorted(sizes, key=lambda key: -sizes[key]):
        if excess <= 0:
            break
        excess -= sizes[name]
        del kept[name]
        dropped.append(name[:100])
    text = _with_note(kept, dropped)
    return text if len(text.encode()) <= limit else _with_note({}, [f"{len(kept) + len(dropped)} fields"])


def _is_small(value: Any) -> bool:
    return _left(value, NESTED_LIMIT) > 0 and len(compact_json(value).encode()) <= NESTED_LIMIT


def _left(value: Any, budget: int) -> int:
    """What is left of the budget after a rough count of the value's JSON bytes; stops early when it is spent."""
    if isinstance(value, str):
        return budget - len(value) - 2
    if isinstance(value, dict):
        for name, item in value.items():
            budget = _left(item, budget - len(name) - 4)
            if budget <= 0:
                break
    elif isinstance(value, list):
        for item in value:
            budget = _left(item, budget - 1)
            if budget <= 0:
                break
    return budget - 1
