"""Statistics of each repeat over tasks, and of the repeats' values among each other."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, IntArray, sorted_deviation, sorted_values
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
    repeats, starts = np.unique(np.sort(repeat_index), return_index=True)
    if repeats.size < 2:
        return []
    order = np.argsort(repeat_index, kind="stable")
    tasks = np.unique(task_index).size
    present = [np.unique(part).size for part in np.split(task_index[order], starts[1:])]
    entries: list[dict[str, float]] = [
        {"_ng_rollout_index": repeat, "sample_count": count, "missing_count": tasks - count}
        for repeat, count in zip(repeats.tolist(), present, strict=True)
    ]
    for name, column in columns.items():
        for entry, part in zip(entries, np.split(column[order], starts[1:]), strict=True):
            entry |= _describe(name, part)
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
        values = sorted_values(np.array([entry[name] for entry in entries if name in entry], dtype=np.float64))
        spread = _spread(values)
        result |= {
            f"mean_across_repeats/{name}": float(values.mean()),
            f"median_across_repeats/{name}": float(np.median(values)),
            f"std_across_repeats/{name}": spread,
            f"min_across_repeats/{name}": float(values[0]),
            f"max_across_repeats/{name}": float(values[-1]),
            f"se_across_repeats/{name}": spread / math.sqrt(values.size),
        }
        if values.size > 1:
            low, high = _t_ends(values, spread)
            result |= {f"ci_low_95_across_repeats/{name}": low, f"ci_high_95_across_repeats/{name}": high}
    return result


def _describe(name: str, column: FloatArray) -> dict[str, float]:
    values = sorted_values(column)
    if not values.size:
        return {}
    spread = _spread(values)
    lower, middle, upper = (float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    entry = {
        f"mean/{name}": float(values.mean()),
        f"median/{name}": middle,
        f"std/{name}": spread,
        f"sem/{name}": spread / math.sqrt(values.size),
        f"min/{name}": float(values[0]),
        f"max/{name}": float(values[-1]),
        f"p25/{name}": lower,
        f"p75/{name}": upper,
    }
    if values.size > 1:
        low, high = _t_ends(values, spread)
        entry |= {f"ci_low_95/{name}": low, f"ci_high_95/{name}": high}
    return entry


def _spread(values: FloatArray) -> float:
    return sorted_deviation(values) if values.size > 1 else 0.0


def _t_ends(values: FloatArray, spread: float) -> tuple[float, float]:
    half = t_quantile(values.size - 1, 0.975) * spread / math.sqrt(values.size)
    centre = float(values.mean())
    return centre - half, centre + half
