"""Rows of the shared corpus as arrays, read with the standard json module alone."""

import json
from pathlib import Path
from typing import Any

import numpy as np


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows sorted as the peer sorts them: stably by (task, repeat), both 0 when absent."""
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    return sorted(rows, key=lambda row: (row.get("_ng_task_index") or 0, row.get("_ng_rollout_index") or 0))


def indices(rows: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    task = np.array([row.get("_ng_task_index") or 0 for row in rows], dtype=np.int64)
    repeat = np.array([row.get("_ng_rollout_index") or 0 for row in rows], dtype=np.int64)
    return task, repeat


def numbers(row: dict[str, Any]) -> dict[str, float]:
    """Numeric and boolean top-level fields, usage merged on top; the mask is a flag, not a field."""
    fields = {name: value for name, value in row.items() if not name.startswith("_") and name != "mask_sample"}
    response = row.get("response")
    usage = response.get("usage") if isinstance(response, dict) else None
    merged = fields | (usage if isinstance(usage, dict) else {})
    return {name: float(value) for name, value in merged.items() if isinstance(value, (bool, int, float))}


def columns(rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    found = [numbers(row) for row in rows]
    names = dict.fromkeys(name for fields in found for name in fields)
    return {name: np.array([fields.get(name, np.nan) for fields in found]) for name in names}


def masked(rows: list[dict[str, Any]]) -> np.ndarray:
    return np.array([bool(row.get("mask_sample")) for row in rows], dtype=np.bool_)
