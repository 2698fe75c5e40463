"""Whether the difference of two runs' own scores comes from other tasks or from other rates on them."""

from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Floats, counts, floats, known_mean, ratio
from blade_pipeline.method.comparison.secondary import Categories, category_fields
from blade_pipeline.method.comparison.side import Side


def category_mix(a: Side, b: Side, metric: str) -> dict[str, Any]:
    """The difference of the runs' own scores, each over its own measured tasks, split by category.

    Per slice field the difference is ``rates`` (the categories' scores moved) plus ``mix`` (their shares of the tasks
    moved), each weighted by the mean of the two runs (Kitagawa 1955). A category that one run lacks has the other
    run's rate, so it counts as mix.

    Returns:
        ``{a, b, difference, tasks_a, tasks_b, by: [{field, rates, mix, categories}]}``.
    """
    (left, fields_a), (right, fields_b) = a.once(_own, metric), b.once(_own, metric)
    own_a, own_b = known_mean(left), known_mean(right)
    return {
        "a": own_a,
        "b": own_b,
        "difference": None if own_a is None or own_b is None else own_b - own_a,
        "tasks_a": int(left.size),
        "tasks_b": int(right.size),
        "by": [
            _split(field, left, fields_a[field], right, fields_b[field])
            for field in fields_a
            if field in fields_b and len(fields_a[field].keys() | fields_b[field].keys()) > 1
        ],
    }


def _own(side: Side, metric: str) -> tuple[Floats, Categories]:
    """Score of each measured task of a run, and which of them are in each category."""
    table: pa.Table = side.per_task
    measured = counts(table["measured"])
    means = ratio(counts(table["passed"]), measured) if metric == "pass@1" else floats(table["score_mean"])
    return means[measured > 0], category_fields([side.labels[position] for position in np.flatnonzero(measured > 0)])


def _split(field: str, a: Floats, in_a: dict[str, list[int]], b: Floats, in_b: dict[str, list[int]]) -> dict[str, Any]:
    categories = [_category(value, a, in_a.get(value, []), b, in_b.get(value, [])) for value in sorted({*in_a, *in_b})]
    size_a, size_b = (max(1, sum(entry[name] for entry in categories)) for name in ("tasks_a", "tasks_b"))
    rates = mix = 0.0
    for entry in categories:
        share_a, share_b = entry["tasks_a"] / size_a, entry["tasks_b"] / size_b
        rate_a = entry["b"] if entry["a"] is None else entry["a"]
        rate_b = entry["a"] if entry["b"] is None else entry["b"]
        rates += (share_a + share_b) / 2 * (rate_b - rate_a)
        mix += (rate_a + rate_b) / 2 * (share_b - share_a)
    return {"field": field, "rates": rates, "mix": mix, "categories": categories}


def _category(value: str, a: Floats, in_a: list[int], b: Floats, in_b: list[int]) -> dict[str, Any]:
    return {
        "value": value,
        "tasks_a": len(in_a),
        "tasks_b": len(in_b),
        "a": known_mean(a[in_a]) if in_a else None,
        "b": known_mean(b[in_b]) if in_b else None,
    }
