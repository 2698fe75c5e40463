"""Several settings of a config as one value of the manifest: a JSON object that is short enough to show and compare."""

from typing import Any

from blade_pipeline.gym.config import MASKED, Config, Value
from blade_pipeline.gym.content import short_digest
from blade_pipeline.gym.public import hidden_reason, shown
from blade_pipeline.gym.shape import is_path
from blade_pipeline.gym.values import canonical_json

NONE = "none"
"""The value of no settings at all."""

UNKNOWN_MARKS = (MASKED, "${", "in part unknown")
"""One of these stands in a setting that is masked or could not be resolved."""

_SHORT, _LONGEST = 60, 280

Settings = dict[str, set[str | int | float | bool]]


def told(gym: Config, key: str, raw: Any) -> str | int | float | bool:
    """A setting as it is shown and compared; ``0``, ``0.0`` and ``"0"`` are one number."""
    unresolved = False
    if isinstance(raw, str):
        found = gym.resolved(raw, key)
        unresolved = found is None or found.value is None
        raw = raw if found is None or found.value is None else _number(found.value)
    if isinstance(raw, (bool, int, float)):
        return _number(raw)
    text = raw if isinstance(raw, str) else canonical_json(raw)
    if hidden_reason(text) is None and (is_path(key) or (len(text) <= _SHORT and "\n" not in text)):
        return shown(text)
    unknown = ", in part unknown" if unresolved or f'"{MASKED}"' in text else ""
    return f"{len(text)} characters, digest {short_digest(text)}{unknown}"


def _number(value: str | int | float | bool) -> str | int | float | bool:
    if isinstance(value, bool):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number.is_integer() else number


def settings_value(settings: Settings, source: str) -> Value:
    """The settings as one JSON object; where servers differ in one, their values stand side by side."""
    if not settings:
        return Value(NONE, source)
    one = {key: _one(values) for key, values in settings.items()}
    text = canonical_json(one)
    if len(text) <= _LONGEST:
        return Value(text, source)
    if any(mark in text for mark in UNKNOWN_MARKS):
        return Value(None, source, f"{len(one)} settings, some of them masked or not resolved")
    return Value(f"{len(one)} settings, together digest {short_digest(text)}", source)


def _one(values: set[str | int | float | bool]) -> str | int | float | bool:
    return next(iter(values)) if len(values) == 1 else " | ".join(sorted(map(str, values)))
