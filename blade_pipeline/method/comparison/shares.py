"""Shares of rollouts in two runs on the tasks that both measured, and whether they moved beyond chance."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Counts, Floats
from blade_pipeline.method.comparison.amounts import PERCENT
from blade_pipeline.method.comparison.moved_slices import ALPHA
from blade_pipeline.method.comparison.pairing import pair_tasks
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import Values, both_measured, content_order, paired_values
from blade_pipeline.statistics import holm, sign_flip

SCREENED = 1_000
"""Sign vectors that show that a share did not move; the test's own number follows where they do not."""


class OnTasks(NamedTuple):
    """One run on the common tasks: its values, and ``agent``, ``stage`` and ``task`` of each with its ``place``."""

    values: Values
    tasks: pa.Table


def on_common_tasks(a: Side, b: Side) -> tuple[OnTasks, OnTasks]:
    """Both runs on the tasks that both measured, in the order of their content."""
    pairing = pair_tasks(a, b)
    order = content_order(a, pairing.a)
    before, now = paired_values(a, b, pairing, PERCENT)
    common = both_measured(before, now)
    places = np.flatnonzero(common)
    found = []
    for side, values, rows in ((a, before, pairing.a), (b, now, pairing.b)):
        chosen = pa.array([rows[order[place]] for place in places], pa.int64())
        tasks = side.per_task.select(["agent", "stage", "task"]).take(chosen)
        numbered = tasks.append_column("place", pa.array(range(tasks.num_rows), pa.int64()))
        found.append(OnTasks(values.only(common), numbered))
    return found[0], found[1]


def share_of(counts: Counts, measured: Counts) -> dict[str, Any]:
    """``{count, measured, share}``: rollouts of all tasks, and the mean of their shares; null without a task."""
    shares: Floats = counts / measured
    return {
        "count": int(counts.sum()),
        "measured": int(measured.sum()),
        "share": float(shares.mean()) if shares.size else None,
    }


def mid_p(change: Floats, *also: Floats) -> float:
    """Mid-p of the sign-flip test of a change per task or family.

    Where it is at most 0.05, the further changes must go the same way beyond chance: the largest p counts.
    """
    screened = sign_flip(change, draws=SCREENED).mid_p
    if screened > ALPHA:
        return screened
    if any(change.sum() * other.sum() <= 0 for other in also):
        return 1.0
    return max(sign_flip(gap).mid_p for gap in (change, *also))


def corrected(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with ``holm_p``, over all that have a ``p``; the largest changes first."""
    tested = [row["p"] for row in rows if row["p"] is not None]
    adjusted = iter(holm(np.array(tested)) if tested else ())
    found = [row | {"holm_p": None if row["p"] is None else float(next(adjusted))} for row in rows]
    return sorted(found, key=lambda row: -abs(row["change"]))


def beyond_chance(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that moved beyond chance."""
    return [row for row in rows if row["holm_p"] is not None and row["holm_p"] <= ALPHA]
