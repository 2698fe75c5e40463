"""Tasks whose mean score moved between two runs."""

from typing import Any

import numpy as np

from blade_pipeline.method.comparison.flips import FLIP_Q, SHOWN_FLIPS
from blade_pipeline.method.comparison.values import Values, both_measured
from blade_pipeline.statistics import benjamini_hochberg, welch_by_task


def moves(a: Values, b: Values) -> dict[str, Any]:
    """Tasks whose mean score rose or fell, the largest moves first.

    Each is a candidate unless its p over repeats survives Benjamini-Hochberg over all tasks that have one. p and q are
    null where a run has one repeat of the task, or none of its repeats differ.

    Args:
        a: the first run's values, of scores.
        b: the second run's.

    Returns:
        ``{up, down, unchanged, tested, surviving, candidates: [{task, a, b, change, p, q, survives}], note}``.
    """
    common = both_measured(a, b)
    x, y = a.only(common), b.only(common)
    p = welch_by_task(x.mean, x.variance, x.measured, y.mean, y.variance, y.measured)
    q = benjamini_hochberg(p)
    gap = y.mean - x.mean
    order = sorted(np.flatnonzero(gap != 0), key=lambda i: (-abs(gap[i]), x.task[i]))
    moved, tested, surviving = len(order), int((~np.isnan(p)).sum()), int((q[gap != 0] <= FLIP_Q).sum())
    return {
        "up": int((gap > 0).sum()),
        "down": int((gap < 0).sum()),
        "unchanged": int((gap == 0).sum()),
        "tested": tested,
        "surviving": surviving,
        "candidates": [
            {
                "task": str(x.task[i]),
                "a": float(x.mean[i]),
                "b": float(y.mean[i]),
                "change": float(gap[i]),
                "p": _known(p[i]),
                "q": _known(q[i]),
                "survives": bool(q[i] <= FLIP_Q),
            }
            for i in order[:SHOWN_FLIPS]
        ],
        "note": _note(moved, tested, surviving),
    }


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _note(moved: int, tested: int, surviving: int) -> str:
    if not moved:
        return "no task moved"
    if not tested:
        return "nothing says which of them moved beyond chance: no task has repeats that differ in both runs"
    test = f"Benjamini-Hochberg at q = {FLIP_Q:.2f} over {tested} task{'s' * (tested != 1)}"
    if surviving:
        return f"{surviving} of {moved} moved tasks survive {test}; the others are candidates"
    which = f"all {moved} are candidates: none survives" if moved > 1 else "it is a candidate: it does not survive"
    return f"{which} {test}"
