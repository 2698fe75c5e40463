"""The named secondary comparisons of two runs, corrected together: retries, consistency and each category."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from blade_pipeline.method.arrays import Counts, Floats, known_mean
from blade_pipeline.method.comparison.moved_slices import ALPHA
from blade_pipeline.method.comparison.values import UNIT, Chosen, Scale, Values, both_measured, extent
from blade_pipeline.statistics import holm, paired_difference, pass_at_k, pass_hat_k, sign_flip

Categories = dict[str, dict[str, list[int]]]
"""Positions of tasks by field and category."""

MOST_CATEGORIES = 20


def secondary(a: Values, b: Values, slices: list[dict[str, str]], scale: Scale | None) -> list[dict[str, Any]]:
    """pass@k and pass^k at the largest k that every common task allows, and the difference in each category.

    Each entry ``{name, tasks, a, b, value, low, high, level, method, question, reason, p, holm_p}``: paired t for new
    tasks, clustered by families where tasks share one, with Holm's correction (1979) over all of them. Where all tasks
    differ by a constant, p is the sign test's. A category whose corrected p is at most 0.05 has its
    ``sign_flip_mid_p`` too.
    """
    common = both_measured(a, b)
    x, y = a.only(common), b.only(common)
    own = [labels for labels, kept in zip(slices, common, strict=True) if kept]
    found = _retries(x, y) + _categories(x, y, own, scale)
    p = np.array([np.nan if entry["p"] is None else entry["p"] for entry in found])
    for entry, adjusted in zip(found, holm(p) if p.size else (), strict=True):
        entry["holm_p"] = None if np.isnan(adjusted) else float(adjusted)
    chosen = dict(_slices(own))
    for entry in found:
        if entry["name"] in chosen and entry["holm_p"] is not None and entry["holm_p"] <= ALPHA:
            before, now = (side.only(chosen[entry["name"]]) for side in (x, y))
            entry["sign_flip_mid_p"] = sign_flip(before.by_family(now.mean - before.mean)).mid_p
    return found


def category_fields(slices: list[dict[str, str]]) -> Categories:
    """Positions of the tasks by field and category; fields with too many categories to read are left out."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for position, labels in enumerate(slices):
        for field, value in labels.items():
            found[field][str(value)].append(position)
    return {field: dict(found[field]) for field in sorted(found) if len(found[field]) <= MOST_CATEGORIES}


def _retries(x: Values, y: Values) -> list[dict[str, Any]]:
    if not x.task.size:
        return []
    k = int(min(x.measured.min(), y.measured.min()))
    if k < 2:
        return []
    estimators: tuple[tuple[str, Callable[[Counts, Counts, int], Floats]], ...]
    estimators = ((f"pass@{k}", pass_at_k), (f"pass^{k}", pass_hat_k))
    return [
        _entry(name, estimator(x.measured, x.passed, k), estimator(y.measured, y.passed, k), x.families)
        for name, estimator in estimators
    ]


def _categories(x: Values, y: Values, slices: list[dict[str, str]], scale: Scale | None) -> list[dict[str, Any]]:
    found = []
    for name, chosen in _slices(slices):
        before, now = x.only(chosen), y.only(chosen)
        found.append(_entry(name, before.mean, now.mean, before.families, scale))
    return found


def _slices(slices: list[dict[str, str]]) -> list[tuple[str, Chosen]]:
    """Name and tasks of each category of at least two tasks, of fields with at least two categories."""
    return [
        (f"{field} = {value}", np.isin(np.arange(len(slices)), positions))
        for field, values in category_fields(slices).items()
        for value, positions in sorted(values.items())
        if len(positions) > 1 and len(values) > 1
    ]


def _entry(name: str, a: Floats, b: Floats, families: list[str] | None, scale: Scale | None = UNIT) -> dict[str, Any]:
    known, _, width = extent(scale)
    found = paired_difference(a, b, clusters=families, proportion=known, width=width)
    interval = found.interval
    return {
        "name": name,
        "tasks": int(a.size),
        "a": known_mean(a),
        "b": known_mean(b),
        "value": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
        "question": interval.question,
        "reason": interval.reason,
        "p": found.p,
    }
