"""Are failing rollouts longer than passing ones: pooled, among tasks of equal fields, and at equal pass rate."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import Counts, Floats, floats
from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.length_findings import length_findings
from blade_pipeline.method.strata import crossed, has_both, same_pass_rate
from blade_pipeline.method.task_numbers import task_numbers
from blade_pipeline.method.undisturbed import undisturbed
from blade_pipeline.statistics import benjamini_hochberg, stratified_superiority

LENGTHS = {
    "steps": "output_items",
    "tool calls": "tool_calls",
    "output tokens": "output_tokens",
    "reasoning tokens": "reasoning_tokens",
    "answer characters": "answer_length",
}
"""Columns of the aligned samples by the names that reports give them."""
CONTROLS = ("pooled", "fields", "pass_rate")
"""The comparisons, each within finer strata than the one before."""
_COLUMNS = ["agent", "stage", "task", "repeat", "slices", "passed", *LENGTHS.values()]
Control = tuple[str, Counts]


def lengths(aligned: pa.Table, modes: pa.Table) -> dict[str, Any]:
    """Lengths of failing against passing rollouts of all tasks, without and with control for what tasks they are.

    Three comparisons, each of failing with passing rollouts of one stratum: ``pooled``; ``fields``, strata of equal
    agent, stage and slice fields, among them a field of difficulty; ``pass_rate``, these split by how many of the
    task's repeats were measured and passed. In the last one passing and failing rollouts come from the very same
    tasks, so that no trait of a task can make the difference, and tasks that always or never pass have no say.
    Failing rollouts that an outage or a limit ended are left out, since it made their length.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        modes: ``FAILURE_MODES``.

    Returns:
        ``{left_out, fields, fields_left_out, controls, features, findings}``; ``left_out`` counts rollouts, and
        ``controls`` the pairs, rollouts, tasks and strata that hold both verdicts, by control. A feature is ``{feature,
        failing, passing, failing_median, passing_median}`` and by control ``{share, p, q}``: the share of pairs in
        which the failing rollout is longer (``stratified_superiority``); q corrects over all features and controls. A
        finding is ``{features, pooled, then, sentence}``.
    """
    measured = aligned.select([*_COLUMNS, "outcome"]).filter(pc.equal(aligned["outcome"], "measured"))
    samples = undisturbed(measured, modes)
    left_out = measured.num_rows - samples.num_rows
    passed = np.asarray(samples["passed"], dtype=np.bool_)
    nothing: dict[str, Any] = {
        "left_out": left_out,
        "fields": [],
        "fields_left_out": [],
        "controls": {},
        "features": [],
        "findings": [],
    }
    if passed.all() or not passed.any():
        return nothing
    tasks = np.unique(task_numbers(samples), return_inverse=True)[1].reshape(-1)
    cells = crossed(samples)
    controls = list(_controls(cells.strata, cells.fields, tasks, passed))
    features = _corrected(list(_features(samples, tasks, passed, controls)))
    return {
        "left_out": left_out,
        "fields": cells.fields,
        "fields_left_out": cells.left_out,
        "controls": {name: _size(strata, tasks, passed) for name, strata in controls},
        "features": features,
        "findings": length_findings(features, [name for name, _ in controls], cells.fields),
    }


def _controls(strata: Counts, fields: list[str], tasks: Counts, passed: Mask) -> Iterator[Control]:
    """Strata by control; one that compares nothing is left out."""
    yield "pooled", np.zeros_like(strata)
    if fields:
        yield "fields", strata
    rates = same_pass_rate(strata, tasks, passed)
    if has_both(rates, passed).any():
        yield "pass_rate", rates


def _size(strata: Counts, tasks: Counts, passed: Mask) -> dict[str, int]:
    both = has_both(strata, passed)
    sizes, passes = np.bincount(strata[both]), np.bincount(strata[both], weights=passed[both]).astype(np.int64)
    counted = {"tasks": np.unique(tasks[both]).size, "strata": np.unique(strata[both]).size}
    return {"pairs": int((passes * (sizes - passes)).sum()), "rollouts": int(both.sum()), **counted}


def _features(samples: pa.Table, tasks: Counts, passed: Mask, controls: list[Control]) -> Iterator[dict[str, Any]]:
    for feature, column in LENGTHS.items():
        values = floats(samples[column])
        known = ~np.isnan(values)
        if not _varies(values[known]) or passed[known].all() or not passed[known].any():
            continue
        compared = {name: stratified_superiority(values, ~passed, tasks, strata) for name, strata in controls}
        yield {
            "feature": feature,
            "failing": int((known & ~passed).sum()),
            "passing": int((known & passed).sum()),
            "failing_median": float(np.median(values[known & ~passed])),
            "passing_median": float(np.median(values[known & passed])),
            **{name: {"share": found.probability, "p": found.p} for name, found in compared.items()},
        }


def _varies(values: Floats) -> bool:
    return values.size > 0 and bool(values.min() < values.max())


def _corrected(features: list[dict[str, Any]]) -> list[dict[str, Any]]:
    compared = [part for row in features for part in row.values() if isinstance(part, dict)]
    tested = [part for part in compared if part["p"] is not None]
    q = benjamini_hochberg([part["p"] for part in tested]).tolist() if tested else []
    for part in compared:
        part["q"] = None
    for part, corrected in zip(tested, q, strict=True):
        part["q"] = corrected
    return features
