"""In which slices of the tasks a failure concentrates, beyond what chance would do."""

import json
from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.sql import query
from blade_pipeline.statistics import benjamini_hochberg, fisher_p

MOST_MODES = 3
ANY = "any failure"

_TASKS = """
    select agent, stage, task, max(slices) as slices, list(distinct mode) filter (mode is not null) as modes
    from samples where outcome = 'measured' group by agent, stage, task order by stage, min("order"), agent
"""


def concentrations(aligned: pa.Table, modes: pa.Table, codes: list[str]) -> list[dict[str, Any]]:
    """Fisher's exact test per failure mode and slice, over tasks: a task shows a mode when any rollout does.

    Args:
        aligned: ``ALIGNED_SAMPLES``; its ``slices`` name each task's values.
        modes: ``FAILURE_MODES`` of the same run.
        codes: the modes to test, most frequent first; the first three and "any failure" are tested.

    Returns:
        ``{mode, field, value, with, tasks, rest_with, rest_tasks, p, q}`` by rising p; q corrects for all the tests of
        the run (Benjamini and Hochberg 1995). Empty without slices.
    """
    samples = aligned.select(["agent", "stage", "task", "repeat", "order", "outcome", "slices"])
    joined = query(
        "select samples.*, modes.mode from samples left join modes using (agent, stage, task, repeat)",
        samples=samples,
        modes=modes.select(["agent", "stage", "task", "repeat", "mode"]),
    )
    tasks = query(_TASKS, samples=joined).to_pylist()
    values = [json.loads(task["slices"]) if task["slices"] else {} for task in tasks]
    shown = [set(task["modes"] or ()) for task in tasks]
    tested = []
    for code in [ANY, *codes[:MOST_MODES]]:
        hits = np.array([bool(found) if code == ANY else code in found for found in shown], dtype=np.bool_)
        tested += _tests(code, hits, values)
    return _corrected(tested)


def _tests(code: str, hits: np.ndarray[Any, np.dtype[np.bool_]], values: list[dict[str, str]]) -> list[dict[str, Any]]:
    found = []
    for field, value in sorted({pair for slices in values for pair in slices.items()}):
        known = np.array([field in slices for slices in values], dtype=np.bool_)
        inside = np.array([slices.get(field) == value for slices in values], dtype=np.bool_)
        rest = known & ~inside
        if inside.any() and rest.any():
            counts = {"with": int((hits & inside).sum()), "tasks": int(inside.sum())}
            others = {"rest_with": int((hits & rest).sum()), "rest_tasks": int(rest.sum())}
            found.append({"mode": code, "field": field, "value": value, **counts, **others})
    return found


def _corrected(tested: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not tested:
        return []
    columns = [[row[name] for row in tested] for name in ("with", "tasks", "rest_with", "rest_tasks")]
    p = fisher_p(*columns)
    q = benjamini_hochberg(p)
    rows = [row | {"p": float(p[n]), "q": float(q[n])} for n, row in enumerate(tested)]
    return sorted(rows, key=lambda row: (row["p"], row["mode"], row["field"], row["value"]))
