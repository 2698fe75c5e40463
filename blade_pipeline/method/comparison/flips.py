"""Tasks whose pass rate moved between two runs."""

from typing import Any

import numpy as np

from blade_pipeline.method.comparison.values import Values, both_measured
from blade_pipeline.statistics import benjamini_hochberg, fisher_p

FLIP_Q = 0.10
SHOWN_FLIPS = 20


def flips(a: Values, b: Values) -> dict[str, Any]:
    """Tasks whose pass rate moved; each is a candidate unless it survives Benjamini-Hochberg over all tasks."""
    common = both_measured(a, b)
    x, y = a.only(common), b.only(common)
    p = fisher_p(x.passed, x.measured, y.passed, y.measured)
    q = benjamini_hochberg(p)
    gap = y.passed / y.measured - x.passed / x.measured
    moved = gap != 0
    order = sorted(np.flatnonzero(moved), key=lambda i: (-abs(gap[i]), q[i], x.task[i]))
    surviving = int((q[moved] <= FLIP_Q).sum())
    return {
        "gained": int((gap > 0).sum()),
        "lost": int((gap < 0).sum()),
        "unchanged": int((gap == 0).sum()),
        "surviving": surviving,
        "candidates": [
            {
                "task": str(x.task[i]),
                "a": f"{x.passed[i]} of {x.measured[i]}",
                "b": f"{y.passed[i]} of {y.measured[i]}",
                "p": float(p[i]),
                "q": float(q[i]),
                "survives": bool(q[i] <= FLIP_Q),
            }
            for i in order[:SHOWN_FLIPS]
        ],
        "note": _note(int(moved.sum()), surviving, x, y),
    }


def _note(moved: int, surviving: int, x: Values, y: Values) -> str:
    tasks = x.task.size
    test = f"Benjamini-Hochberg at q = {FLIP_Q:.2f} over {tasks} task{'s' * (tasks != 1)}"
    if not moved:
        return "no task moved"
    if surviving:
        return f"{surviving} of {moved} moved tasks survive {test}; the others are candidates"
    which = f"all {moved} are candidates: none survives" if moved > 1 else "it is a candidate: it does not survive"
    note = f"{which} {test}"
    if tasks > 1 and _smallest_p(x, y) * tasks > FLIP_Q:
        note += ", and a single flip could not, with so few repeats"
    return note


def _smallest_p(x: Values, y: Values) -> float:
    """The smallest p that a task's repeats allow: none of one run's passes and all of the other's."""
    return float(np.min(fisher_p(np.zeros_like(x.measured), x.measured, y.measured, y.measured), initial=1.0))
