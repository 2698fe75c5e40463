"""Metrics of subsets of tasks, and the entries at the largest k."""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, IntArray
from blade_pipeline.statistics.native.majority import pass_majority
from blade_pipeline.statistics.native.primary import RUN_SUFFIXES


def subset_metrics(
    tasks: IntArray,
    scores: Mapping[str, FloatArray],
    subsets: Sequence[Hashable],
    answers: Sequence[Hashable | None] | None = None,
) -> dict[str, Any]:
    """:func:`pass_majority` of each subset under ``<value>/<metric>``, without ``per_sample_aggregate``.

    A task belongs to the first truthy value among its rows, in list order; tasks without one are dropped.

    Args:
        tasks: integer code of each row's task, shape (rollouts,).
        scores: as in :func:`pass_majority`.
        subsets: value of the subset field of each row; None where absent.
        answers: as in :func:`pass_majority`.
    """
    value_of: dict[int, Hashable] = {}
    for task, value in zip(tasks.tolist(), subsets, strict=True):
        if value and task not in value_of:
            value_of[task] = value
    result: dict[str, Any] = {}
    for value in dict.fromkeys(value_of.values()):
        members = [task for task, own in value_of.items() if own == value]
        rows = np.flatnonzero(np.isin(tasks, members))
        chosen = None if answers is None else [answers[row] for row in rows.tolist()]
        metrics = pass_majority(tasks[rows], {name: column[rows] for name, column in scores.items()}, chosen)
        result |= {f"{value}/{name}": number for name, number in metrics.items() if name != "per_sample_aggregate"}
    return result


def highest_k(metrics: Mapping[str, Any], pattern: str) -> dict[str, Any]:
    """Entries ``<pattern>/<score>`` at the largest k.

    Args:
        metrics: what :func:`pass_majority` returns.
        pattern: the part before the slash with ``{k}`` for the number, for example ``pass@1[avg-of-{k}]``.
    """
    matcher = re.compile("^" + re.escape(pattern).replace(re.escape("{k}"), r"(\d+)") + "/(.+)$")
    found = [
        (int(m.group(1)), name) for name in metrics if not name.endswith(RUN_SUFFIXES) and (m := matcher.match(name))
    ]
    top = max((k for k, _name in found), default=0)
    return {name: metrics[name] for k, name in found if k == top}
