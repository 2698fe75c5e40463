"""Reads NeMo Gym's small JSON and YAML documents; a broken one is a sentence, never a crash."""

import json
from pathlib import Path
from typing import Any

import yaml

from blade_pipeline.gym.lines import unreadable

DOCUMENT_CAP = 256 * 2**20
_CONFIG_CAP = 4 * 2**20


def read_json(path: Path) -> tuple[Any, str | None]:
    """The parsed document and ``None``, or ``None`` and a sentence that names the file.

    Raises:
        BladeError: the file cannot be read.
    """
    text = _text(path, DOCUMENT_CAP)
    if text is None:
        return None, f"{path.name} is larger than {DOCUMENT_CAP // 2**20} MiB and was not read"
    try:
        return json.loads(text), None
    except (ValueError, RecursionError):
        return None, f"{path.name} is not readable JSON; it may be half written"


def read_yaml(path: Path) -> tuple[dict[str, Any], str | None]:
    """The parsed mapping and ``None``, or an empty one and a sentence that names the file.

    Raises:
        BladeError: the file cannot be read.
    """
    text = _text(path, _CONFIG_CAP)
    if text is None:
        return {}, f"{path.name} is larger than {_CONFIG_CAP // 2**20} MiB and was not read"
    try:
        value = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, f"{path.name} is not readable YAML"
    if not isinstance(value, dict):
        return {}, f"{path.name} holds no mapping"
    return value, None


def _text(path: Path, cap: int) -> bytes | None:
    try:
        with path.open("rb") as stream:
            text = stream.read(cap + 1)
    except OSError as error:
        raise unreadable(path, error) from error
    return text if len(text) <= cap else None
