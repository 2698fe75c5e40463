"""Small tables for tests: name the columns that matter, the rest is filled in."""

import json
from typing import Any

import pyarrow as pa

from blade_pipeline.tables import ALIGNED_SAMPLES, FAILURE_MODES, OUTCOME_BUCKETS

NO_MODES = FAILURE_MODES.empty_table()
"""The failure modes of a run of which none is told."""


def aligned(rows: list[dict[str, Any]]) -> pa.Table:
    """ALIGNED_SAMPLES from partial rows.

    A row needs ``task``; a row with ``score`` and no outcome is measured and passes at 1. ``verifier``,
    ``response``, ``steps`` and ``slices`` may be given as objects; ``numbers`` as a dict.
    """
    return pa.Table.from_pylist([_sample(row, n) for n, row in enumerate(rows)], schema=ALIGNED_SAMPLES)


def buckets(rows: list[dict[str, Any]]) -> pa.Table:
    """OUTCOME_BUCKETS from partial rows that hold at least task, bucket, measured and passed."""
    filled = [
        {"agent": "agent", "stage": 0, "order": n, "possible": row["bucket"], "observed": row["bucket"]}
        | {"planned": row["measured"]}
        | row
        for n, row in enumerate(rows)
    ]
    return pa.Table.from_pylist(filled, schema=OUTCOME_BUCKETS)


def buckets_of(samples: pa.Table) -> pa.Table:
    """OUTCOME_BUCKETS of a small aligned table, by the plain reading of the definitions."""
    tasks: dict[tuple[str, int, str], list[dict[str, Any]]] = {}
    for row in samples.to_pylist():
        if row["outcome"] != "unexpected":
            tasks.setdefault((row["agent"], row["stage"], row["task"]), []).append(row)
    found = []
    for (agent, stage, task), rows in tasks.items():
        measured = [row["passed"] for row in rows if row["outcome"] == "measured"]
        found.append(
            {"agent": agent, "stage": stage, "task": task, "bucket": _bucket(measured, rows)}
            | {"planned": len(rows), "measured": len(measured), "passed": sum(measured)}
        )
    return buckets(found)


def _bucket(measured: list[bool], rows: list[dict[str, Any]]) -> str:
    if not measured:
        return "masked" if all(row["outcome"] == "masked" for row in rows) else "missing"
    if any(measured) and not all(measured):
        return "sometimes_pass"
    if any(row["outcome"] in ("unscored", "failed", "missing") for row in rows):
        return "indeterminate"
    return "always_pass" if all(measured) else "always_fail"


def _sample(row: dict[str, Any], n: int) -> dict[str, Any]:
    task, repeat = str(row["task"]), str(row.get("repeat", 0))
    outcome = row.get("outcome", "measured")
    score = row.get("score")
    written = outcome in ("measured", "masked", "unscored", "unexpected")
    filled: dict[str, Any] = {
        "agent": "agent",
        "stage": 0,
        "rank": int(repeat) if repeat.isdigit() else n,
        "order": n,
        "outcome": outcome,
        "passed": None if score is None or outcome != "measured" else score >= 1.0,
        "duplicates": 0,
        "attempts": 0,
        "recovered": False,
        "file": "rollouts.jsonl" if written else None,
        "line": n + 1 if written else None,
        "rollout_id": f"{task}-{repeat}" if written else None,
        "reward": score,
    }
    filled |= row | {"task": task, "repeat": repeat}
    for name in ("verifier", "response", "steps", "slices"):
        if isinstance(filled.get(name), (dict, list)):
            filled[name] = json.dumps(filled[name])
    for name in ("numbers", "usage", "perf"):
        if isinstance(filled.get(name), dict):
            filled[name] = list(filled[name].items())
    return filled
