"""The paired statistics of two runs on their common tasks: both questions, noise, power, equivalence, flips."""

from typing import Any

import numpy as np

from blade_pipeline.method.arrays import known_mean
from blade_pipeline.method.comparison import accounting
from blade_pipeline.method.comparison.values import Values, both_measured
from blade_pipeline.statistics import (
    benjamini_hochberg,
    fisher_p,
    harmonic_repeats,
    minimum_detectable_effect,
    noise_floor,
    omega2,
    paired_difference,
    sign_flip_p,
    stratified_difference,
    tost,
)

ALPHA, POWER = 0.05, 0.8
FLIP_Q = 0.10
SHOWN_FLIPS = 20


def difference(a: Values, b: Values, metric: str, margin: float) -> dict[str, Any]:
    """Everything the report says of the size of a difference (second run minus first).

    Values run over the tasks that both runs measured; bounds and accountings over every paired task.
    """
    common = both_measured(a, b)
    x, y = a.only(common), b.only(common)
    gap = y.mean - x.mean
    proportion = metric == "pass@1"
    new_tasks = paired_difference(x.mean, y.mean, proportion=proportion)
    these_tasks = stratified_difference(x.mean, x.variance, x.measured, y.mean, y.variance, y.measured)
    return {
        "metric": metric,
        "tasks": int(common.sum()),
        "value": new_tasks.interval.estimate,
        "a": known_mean(x.mean),
        "b": known_mean(y.mean),
        "new_tasks": new_tasks.interval.as_dict() | {"p": new_tasks.p},
        "these_tasks": these_tasks.interval.as_dict() | {"p": these_tasks.p},
        "sign_flip_p": sign_flip_p(gap) if gap.size else None,
        "tost": tost(gap, margin, proportion=proportion).as_dict() if gap.size else None,
        **_noise_and_power(x, y, gap),
        "bounds": _bounds(a, b),
        "accountings": accounting.differences(a, b),
    }


def flips(a: Values, b: Values, names: list[str]) -> dict[str, Any]:
    """Tasks whose pass rate moved; each is a candidate unless it survives Benjamini-Hochberg over all tasks."""
    common = both_measured(a, b)
    x, y = a.only(common), b.only(common)
    own_names = [name for name, kept in zip(names, common, strict=True) if kept]
    p = fisher_p(x.passed, x.measured, y.passed, y.measured)
    q = benjamini_hochberg(p)
    rate_x, rate_y = x.passed / x.measured, y.passed / y.measured
    gap = rate_y - rate_x
    order = sorted(np.flatnonzero(gap != 0), key=lambda i: (-abs(gap[i]), q[i], own_names[i]))
    return {
        "gained": int((gap > 0).sum()),
        "lost": int((gap < 0).sum()),
        "unchanged": int((gap == 0).sum()),
        "surviving": int((q[gap != 0] <= FLIP_Q).sum()),
        "candidates": [
            {
                "task": own_names[i],
                "a": f"{x.passed[i]} of {x.measured[i]}",
                "b": f"{y.passed[i]} of {y.measured[i]}",
                "p": float(p[i]),
                "q": float(q[i]),
            }
            for i in order[:SHOWN_FLIPS]
        ],
        "note": f"a flip is more than a candidate when its q, by Benjamini-Hochberg over {len(own_names)} tasks, "
        f"is at most {FLIP_Q:.2f}",
    }


def _noise_and_power(x: Values, y: Values, gap: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    unknown = {"value": None, "power": POWER, "alpha": ALPHA, "omega2": None, "clamped": False}
    sigma_x, sigma_y = known_mean(x.variance), known_mean(y.variance)
    if gap.size < 2 or sigma_x is None or sigma_y is None:
        return {"noise_floor": None, "mde": unknown | {"reason": "needs two tasks and two repeats in both runs"}}
    k_x, k_y = harmonic_repeats(x.measured), harmonic_repeats(y.measured)
    effect = omega2(gap, sigma_x, k_x, sigma_y, k_y)
    spread = effect.value or 0.0
    smallest = minimum_detectable_effect(spread, sigma_x, k_x, sigma_y, k_y, gap.size, alpha=ALPHA, power=POWER)
    return {
        "noise_floor": noise_floor(sigma_x, k_x, sigma_y, k_y, gap.size).as_dict(),
        "mde": unknown | {"value": smallest, "omega2": effect.value, "clamped": effect.clamped, "reason": None},
    }


def _bounds(a: Values, b: Values) -> dict[str, Any]:
    found = accounting.bounds(a, b)
    return {"low": found.low, "high": found.high, "sign_identified": found.sign_identified}
