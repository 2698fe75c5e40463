"""Manifest values that hold several settings as one JSON object, held against each other key by key."""

import json
from collections.abc import Iterator
from typing import Any

from blade_pipeline.gym.named_settings import NONE, UNKNOWN_MARKS
from blade_pipeline.gym.shape import is_path

SETTINGS = frozenset({"judge_prompt", "judge_sampling", "chat_template"})
"""Manifest keys whose value may be such an object."""

_ABSENT = "not set"


def settings_status(a: Any, b: Any) -> tuple[str, str | None] | None:
    """Status and note of two such values, of which "none" is the empty one; None where either is no such value.

    A setting that is masked or not resolved is unknown; one that a run does not set differs from one that it sets.
    """
    left, right = _settings(a), _settings(b)
    if left is None or right is None:
        return None
    keys = sorted(left.keys() | right.keys())
    unknown = [key for key in keys if _unknown(left.get(key)) or _unknown(right.get(key))]
    apart = [key for key in keys if key not in unknown and left.get(key) != right.get(key)]
    if apart:
        return "different", "; ".join(f"{key}: {_told(left, key)} against {_told(right, key)}" for key in apart)
    return ("unknown" if unknown else "same"), "; ".join(_remarks(keys, unknown)) or None


def _settings(value: Any) -> dict[str, Any] | None:
    if value == NONE:
        return {}
    try:
        found = json.loads(value) if isinstance(value, str) and value.lstrip().startswith("{") else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _unknown(setting: Any) -> bool:
    return isinstance(setting, str) and any(mark in setting for mark in UNKNOWN_MARKS)


def _told(settings: dict[str, Any], key: str) -> str:
    return str(settings.get(key, _ABSENT))


def _remarks(keys: list[str], unknown: list[str]) -> Iterator[str]:
    if unknown:
        yield f"masked or not resolved: {', '.join(unknown)}"
    if files := [key for key in keys if is_path(key) and key not in unknown]:
        yield f"{', '.join(files)} compared by path, since a run does not hold the file"
