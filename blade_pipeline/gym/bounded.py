"""Bounded JSON objects of a row's fields: enough for a benchmark's own expressions, never a transcript."""

import re
from typing import Any

from blade_pipeline.gym.shape import is_transcript
from blade_pipeline.gym.values import compact_bytes

DROPPED = "…dropped"
"""Key under which the names of left-out fields stand."""

TEXT_LIMIT = 300
NESTED_LIMIT = 500
OBJECT_LIMIT = 4000
_OUTLINE_LIMIT = 20_000
"""Bytes beyond which a list or object is a transcript, and nothing of it is kept."""

_LAST_LINE = 120
_GAP = "\n…\n"
_WORD_LIMIT = 80
_MEMBERS, _DEEPEST = 5, 3
_TELLING = re.compile(
    r"err|exception|traceback|log|message|reason|detail|status|note|warning|comment|feedback|explanation"
)
"""Names of nested texts whose last line says how something ended."""

_NAMES_LISTED = 20


def bounded_json(fields: dict[str, Any], limit: int = OBJECT_LIMIT) -> str:
    """JSON object of the fields, at most ``limit`` bytes.

    Strings are cut to 300 characters, of which the last belong to the last line where there are several. Of lists and
    objects whose JSON exceeds 500 bytes only numbers, flags, short words and last lines of messages are kept, or
    nothing where these exceed it too; then the longest fields are left out until the whole fits. All names of which
    something was left out are listed under ``…dropped``.
    """
    cut: dict[str, Any] = {}
    large: list[str] = []
    for name, value in fields.items():
        kind = type(value)
        if kind is str:
            if len(value) > TEXT_LIMIT:
                cut[name] = shortened(value, TEXT_LIMIT)
        elif (kind is list or kind is dict) and value and (size := len(compact_bytes(value))) > NESTED_LIMIT:
            large.append(name)
            if size <= _OUTLINE_LIMIT and (outline := _outline(value)) is not None:
                cut[name] = outline
    kept = fields
    if cut or large:
        kept = {name: cut.get(name, value) for name, value in fields.items() if name in cut or name not in large}
    dropped = [name[:100] for name in large]
    text = _with_note(kept, dropped)
    return (text if len(text) <= limit else _shrunk(kept, dropped, limit)).decode("utf-8")


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters: the first, and where there are several lines the whole last one if it is short."""
    if len(text) <= limit:
        return text
    last = _last_line(text)
    return text[:limit] if last is None else f"{text[: limit - len(_GAP) - len(last)]}{_GAP}{last}"


def _outline(value: Any) -> Any:
    """What a large list or object says in short; null where that is nothing or still too large."""
    found = _short_parts(value, 0)
    return found if found and len(compact_bytes(found)) <= NESTED_LIMIT else None


def _short_parts(value: Any, depth: int, name: str = "") -> Any:
    if isinstance(value, str):
        return value if len(value) <= _WORD_LIMIT else _last_line(value) if _TELLING.search(name.lower()) else None
    if not isinstance(value, (dict, list)):
        return value
    if depth == _DEEPEST:
        return None
    if isinstance(value, list):
        return [part for each in value[:_MEMBERS] if isinstance(each, dict) and (part := _short_parts(each, depth + 1))]
    parts = {key: _short_parts(each, depth + 1, key) for key, each in value.items() if not is_transcript(key)}
    return {key: part for key, part in parts.items() if part not in (None, {}, []) or value[key] is None}


def _last_line(text: str) -> str | None:
    """The last line of several, unless it is long or blank."""
    last = text.rstrip()[-_LAST_LINE - 1 :].rpartition("\n")
    return last[2] if last[1] and last[2] else None


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
