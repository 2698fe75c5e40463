"""In which slices of the tasks a failure concentrates, beyond what chance would do."""

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.failure_rules import FALLBACKS
from blade_pipeline.method.task_numbers import task_numbers
from blade_pipeline.statistics import benjamini_hochberg, fisher_p

MOST_MODES = 6
FEWEST_ROLLOUTS = 3
"""Rollouts below which a failure mode can stand out nowhere, and is not tested."""
ANY = "any failure"
_FALLBACKS = {rule.code for rule in FALLBACKS}
FALSE_SHARE = 0.01
"""q under which a slice stands out: every run is tested in a dozen slices, and one run in a hundred may mislead."""


def concentrations(aligned: pa.Table, shown: dict[str, Mask], among: Mask | None = None) -> list[dict[str, Any]]:
    """Fisher's exact test per failure mode and slice, over tasks: a task shows a mode when any rollout does.

    Args:
        aligned: ``ALIGNED_SAMPLES``; its ``slices`` name each task's values.
        shown: aligned rows by primary mode, the most frequent mode first. "any failure" and the first six that name a
            symptom are tested; what is wrong without one is no more than a failure.
        among: the rollouts that count, the measured ones by default.

    Returns:
        ``{mode, field, value, with, tasks, rest_with, rest_tasks, p, q}`` by rising p; q corrects for all the tests of
        the run (Benjamini and Hochberg 1995). Empty without slices.
    """
    measured = np.asarray(pc.equal(aligned["outcome"], "measured"), dtype=np.bool_)
    counted = np.flatnonzero(measured if among is None else among)
    slices = aligned["slices"].take(pa.array(counted))
    if not shown or slices.null_count == len(slices):
        return []
    tasks, first = np.unique(task_numbers(aligned)[counted], return_index=True)
    values = [json.loads(text) if text else {} for text in slices.take(pa.array(first)).to_pylist()]
    places = np.searchsorted(tasks, task_numbers(aligned)[counted])
    symptoms = [
        (code, mask) for code, mask in shown.items() if code not in _FALLBACKS and mask.sum() >= FEWEST_ROLLOUTS
    ]
    masks = {ANY: np.logical_or.reduce(list(shown.values())), **dict(symptoms[:MOST_MODES])}
    tested = []
    for mode, mask in masks.items():
        hits = np.zeros(len(tasks), dtype=np.bool_)
        hits[places[mask[counted]]] = True
        tested += _tests(mode, hits, values)
    return _corrected(tested)


def stands_out(row: dict[str, Any]) -> bool:
    """Whether a tested slice shows its mode more often than the other tasks, beyond what chance would do."""
    return bool(row["q"] <= FALSE_SHARE and row["with"] * row["rest_tasks"] > row["rest_with"] * row["tasks"])


def _tests(mode: str, hits: Mask, values: list[dict[str, str]]) -> list[dict[str, Any]]:
    found = []
    for field, value in sorted({pair for slices in values for pair in slices.items()}):
        known = np.array([field in slices for slices in values], dtype=np.bool_)
        inside = np.array([slices.get(field) == value for slices in values], dtype=np.bool_)
        rest = known & ~inside
        if inside.any() and rest.any():
            counts = {"with": int((hits & inside).sum()), "tasks": int(inside.sum())}
            others = {"rest_with": int((hits & rest).sum()), "rest_tasks": int(rest.sum())}
            found.append({"mode": mode, "field": field, "value": value, **counts, **others})
    return found


def _corrected(tested: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not tested:
        return []
    columns = [[row[name] for row in tested] for name in ("with", "tasks", "rest_with", "rest_tasks")]
    p = fisher_p(*columns)
    q = benjamini_hochberg(p)
    rows = [row | {"p": float(p[n]), "q": float(q[n])} for n, row in enumerate(tested)]
    return sorted(rows, key=lambda row: (row["p"], row["mode"], row["field"], row["value"]))
