"""Bounded JSON objects of a row's fields: enough for a benchmark's own expressions, never a transcript."""

from typing import Any

from blade_pipeline.gym.values import compact_bytes

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
    cut: dict[str, str] = {}
    large: list[str] = []
    for name, value in fields.items():
        kind = type(value)
        if kind is str:
            if len(value) > TEXT_LIMIT:
                cut[name] = value[:TEXT_LIMIT]
        elif (kind is list or kind is dict) and value and len(compact_bytes(value)) > NESTED_LIMIT:
            large.append(name)
    kept = (
        {name: cut.get(name, value) for name, value in fields.items() if name not in large} if cut or large else fields
    )
    dropped = [name[:100] for name in large]
    text = _with_note(kept, dropped)
    return (text if len(text) <= limit else _shrunk(kept, dropped, limit)).decode("utf-8")


def _with_note(kept: dict[str, Any], dropped: list[str]) -> bytes:
    if not dropped:
        return compact_bytes(kept)
    more = len(dropped) - _NAMES_LISTED
    names = dropped if more <= 0 else [*dropped[:_NAMES_LISTED], f"{more} more"]
    return compact_bytes({**kept, DROPPED: names})


def _shrunk(kept: dict[str, Any], dropped: list[str], limit: int) -> bytes:
    """Without the longest fields, as many as it takes."""
    kept = dict(kept)
    sizes = {name: len(compact_bytes({name: value})) for name, value in kept.items()}
    excess = sum(sizes.values()) - limit + _NAMES_LISTED * 104
    for name in sorted(sizes, key=lambda key: -sizes[key]):
        if excess <= 0:
            break
        excess -= sizes[name]
        del kept[name]
        dropped.append(name[:100])
    text = _with_note(kept, dropped)
    return text if len(text) <= limit else _with_note({}, [f"{len(kept) + len(dropped)} fields"])
