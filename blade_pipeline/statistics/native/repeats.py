"""Statistics of each repeat over tasks, and of the repeats' values among each other."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, IntArray, mean, variance
from blade_pipeline.statistics._distributions import t_quantile
from blade_pipeline.statistics.native.primary import is_primary


def repeat_level(
    task_index: IntArray, repeat_index: IntArray, columns: Mapping[str, FloatArray]
) -> list[dict[str, float]]:
    """One entry per repeat index: statistics of every field over the tasks that have it in that repeat.

    Keys ``mean|median|std|sem|min|max|p25|p75/<field>`` and, for two tasks or more, ``ci_low_95|ci_high_95/<field>``
    (Student's t over tasks), beside ``_ng_rollout_index``, ``sample_count`` (tasks present) and ``missing_count``
    (tasks of any repeat that are absent here).

    Args:
        task_index: shape (rollouts,), measured rollouts only.
        repeat_index: shape (rollouts,).
        columns: field name to values, each of shape (rollouts,); NaN where a row has no value.

    Returns:
        Entries by repeat index; empty for fewer than two distinct repeats, as in the tool.
    """
    repeats = np.unique(repeat_index)
    if repeats.size < 2:
        return []
    tasks = np.unique(task_index).size
    entries = []
    for repeat in repeats.tolist():
        rows = repeat_index == repeat
        present = np.unique(task_index[rows]).size
        entry: dict[str, float] = {
            "_ng_rollout_index": repeat,
            "sample_count": present,
            "missing_count": tasks - present,
        }
        for name, column in columns.items():
            entry |= _describe(name, column[rows])
        entries.append(entry)
    return entries


def across_repeats(entries: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """``mean|median|std|min|max|se_across_repeats/<metric>`` and the t interval's ``ci_*_95_across_repeats/<metric>``.

    Repeats weigh equally whatever their task count. The interval treats the tasks as fixed: it says nothing about
    new tasks.

    Args:
        entries: what :func:`repeat_level` returns.
    """
    names = {name: None for entry in entries for name in entry if is_primary(name)}
    result: dict[str, float] = {}
    for name in names:
        values = np.array([entry[name] for entry in entries if name in entry], dtype=np.float64)
        spread = _spread(values)
        result |= {
            f"mean_across_repeats/{name}": mean(values),
            f"median_across_repeats/{name}": float(np.median(values)),
            f"std_across_repeats/{name}": spread,
            f"min_across_repeats/{name}": float(values.min()),
            f"max_across_repeats/{name}": float(values.max()),
            f"se_across_repeats/{name}": spread / math.sqrt(values.size),
        }
        if values.size > 1:
            low, high = _t_ends(values, spread)
            result |= {f"ci_low_95_across_repeats/{name}": low, f"ci_high_95_across_repeats/{name}": high}
    return result


def _describe(name: str, column: FloatArray) -> dict[str, float]:
    values = column[~np.isnan(column)]
    if not values.size:
        return {}
    spread = _spread(values)
    lower, middle, upper = (float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    entry = {
        f"mean/{name}": mean(values),
        f"median/{name}": middle,
        f"std/{name}": spread,
        f"sem/{name}": spread / math.sqrt(values.size),
        f"min/{name}": float(values.min()),
        f"max/{name}": float(values.max()),
        f"p25/{name}": lower,
        f"p75/{name}": upper,
    }
    if values.size > 1:
        low, high = _t_ends(values, spread)
        entry |= {f"ci_low_95/{name}": low, f"ci_high_95/{name}": high}
    return entry


def _spread(values: FloatArray) -> float:
    return math.sqrt(variance(values)) if values.size > 1 else 0.0


def _t_ends(values: FloatArray, spread: float) -> tuple[float, float]:
    half = t_quantile(values.size - 1, 0.975) * spread / math.sqrt(values.size)
    centre = mean(values)
    return centre - half, centre + half
