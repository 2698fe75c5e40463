"""Reading single values of untrusted JSON: a wrong type becomes null, never an error."""

import json
import math
import re
from types import NoneType
from typing import Any

import orjson

from blade_pipeline.rewards import LARGEST

_INT64 = 2**63
_DEEPEST = 100
_LONGEST_TEXT = 1000
_SURROGATE = re.compile("[\ud800-\udfff]")


def typed_id(value: Any) -> str | None:
    """JSON literal of an id, so that ``7`` and ``"7"`` stay different; null for none and non-finite numbers."""
    kind = type(value)
    if kind is int:
        return str(value)
    if value is None or (kind is float and not math.isfinite(value)):
        return None
    return canonical_json(value)


def canonical_json(value: Any) -> str:
    """Compact JSON with sorted keys; lone surrogates become U+FFFD and non-finite numbers null."""
    return canonical_bytes(value).decode("utf-8")


def canonical_bytes(value: Any) -> bytes:
    """UTF-8 bytes of ``canonical_json``."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        clean = _plain(value, 0)
        return json.dumps(clean, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def compact_json(value: Any) -> str:
    """Compact JSON in the order of the keys, otherwise as ``canonical_json``."""
    return compact_bytes(value).decode("utf-8")


def compact_bytes(value: Any) -> bytes:
    """UTF-8 bytes of ``compact_json``."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(_plain(value, 0), separators=(",", ":"), ensure_ascii=False).encode()


def clean_text(text: str) -> str:
    """The text with every lone surrogate as U+FFFD, so that it is valid UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def text_or_none(value: Any, limit: int = _LONGEST_TEXT) -> str | None:
    """A non-empty string, cut to ``limit`` characters."""
    return value[:limit] if isinstance(value, str) and value else None


def scalar_text(value: Any, limit: int) -> str | None:
    """Text of any JSON value for display: strings as they are, the rest as JSON; null for null and empty."""
    if value is None or value in ("", [], {}):
        return None
    return (value if isinstance(value, str) else compact_json(value))[:limit]


def number(value: Any) -> float | None:
    """A number below ``LARGEST`` in size as float; booleans, strings, NaN and infinities give null."""
    if type(value) is float or type(value) is int:
        return float(value) if -LARGEST < value < LARGEST else None
    return None


def integer(value: Any) -> int | None:
    """A whole number that fits 64 bits; booleans and strings give null."""
    if type(value) is int:
        return value if -_INT64 <= value < _INT64 else None
    if type(value) is float and value.is_integer() and -_INT64 <= value < _INT64:
        return int(value)
    return None


def numbers(values: list[Any]) -> list[float | None]:
    """``number`` of each value; the usual case of floats or integers in range, with or without nulls, is short."""
    kind, known = _known(values)
    if not known or (kind is float and all(-LARGEST < value < LARGEST for value in known)):
        return values
    if kind is int and min(known) > -LARGEST and max(known) < LARGEST:
        return [None if value is None else float(value) for value in values]
    return list(map(number, values))


def integers(values: list[Any]) -> list[int | None]:
    """``integer`` of each value; the usual case of integers of 64 bits, with or without nulls, takes the short way."""
    kind, known = _known(values)
    if not known or (kind is int and min(known) >= -_INT64 and max(known) < _INT64):
        return values
    return list(map(integer, values))


def texts(values: list[Any]) -> list[str | None]:
    """``text_or_none`` of each value; the usual case of short texts, with or without nulls, takes the short way."""
    kind, known = _known(values)
    if not known or (kind is str and min(map(len, known)) > 0 and max(map(len, known)) <= _LONGEST_TEXT):
        return values
    return list(map(text_or_none, values))


def _known(values: list[Any]) -> tuple[type | None, list[Any]]:
    """The values that are not null, and their type if they share one."""
    kinds = set(map(type, values))
    known = values
    if NoneType in kinds:
        kinds.remove(NoneType)
        known = [value for value in values if value is not None] if kinds else []
    return kinds.pop() if len(kinds) == 1 else None, known


def mapping(value: Any) -> dict[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """The value when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def _plain(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
