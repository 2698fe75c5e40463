"""The paired statistics of two runs on their common tasks: both questions, tests, noise, power and equivalence."""

import math
from typing import Any

import numpy as np

from blade_pipeline.method.arrays import Floats, known_mean
from blade_pipeline.method.comparison import accounting
from blade_pipeline.method.comparison.values import Values, both_measured
from blade_pipeline.statistics import (
    Interval,
    Omega2,
    bonett_price,
    harmonic_repeats,
    mcnemar,
    minimum_detectable_effect,
    noise_floor,
    omega2,
    paired_difference,
    sign_flip,
    sign_test,
    stratified_difference,
    tost,
)

ALPHA, POWER = 0.05, 0.8
FEW_MOVED = 12
FEWEST = math.ceil(-math.log2(ALPHA))
"""Tasks (or families) below which even differences that all point one way have a sign-flip mid-p above the level."""


def difference(a: Values, b: Values, metric: str, margin: float, *, bounded: bool | None = None) -> dict[str, Any]:
    """Everything the report says of the size of a difference (second run minus first).

    Values run over the tasks that both runs measured; bounds, accountings and the tipping point over every paired
    task. ``bounded`` says that scores lie in [0, 1], as those of pass@1 do.
    """
    common = both_measured(a, b)
    x, y = a.only(common), b.only(common)
    gap = y.mean - x.mean
    proportion = metric == "pass@1" if bounded is None else bounded
    families = x.families
    new_tasks = paired_difference(x.mean, y.mean, clusters=families, proportion=proportion)
    these_tasks = stratified_difference(
        x.mean, x.variance, x.measured, y.mean, y.variance, y.measured, proportion=proportion
    )
    sign, flips = sign_test(gap), sign_flip(_by_family(gap, x))
    found = accounting.bounds(a, b)
    return {
        "metric": metric,
        "tasks": int(common.sum()),
        "value": new_tasks.interval.estimate,
        "a": known_mean(x.mean),
        "b": known_mean(y.mean),
        "new_tasks": new_tasks.interval.as_dict() | {"p": new_tasks.p},
        "these_tasks": these_tasks.interval.as_dict() | {"p": these_tasks.p},
        "sign_flip_p": flips.p if gap.size else None,
        "sign_flip_mid_p": flips.mid_p if gap.size else None,
        "moved": flips.moved,
        "sign_test": {"p": sign.p, "gained": sign.wins, "lost": sign.losses, "tied": sign.ties} if gap.size else None,
        "single_repeat": _single_repeat(x, y) if metric == "pass@1" else None,
        "tost": tost(gap, margin, clusters=families, proportion=proportion).as_dict() if gap.size else None,
        **_noise_and_power(x, y, gap, new_tasks.interval),
        "bounds": {"low": found.low, "high": found.high, "sign_identified": found.sign_identified},
        "accountings": accounting.differences(a, b),
        "tipping_point": accounting.tipping(a, b),
    }


def beyond_chance(found: dict[str, Any]) -> bool:
    """Whether the interval for new tasks excludes zero and, where it cannot stand alone, the sign-flip test agrees.

    The t interval trusts the spread of however few tasks moved, and takes flips of one repeat a side, which are all of
    one size, for a smooth quantity. Where at most twelve tasks (or families) moved, and at one repeat a side, the
    sign-flip test's mid-p (McNemar's, there) must reach the level too, so that four flips among five are no change.
    """
    interval = found["new_tasks"]
    if interval["low"] is None or not (interval["low"] > 0 or interval["high"] < 0):
        return False
    smooth = found["moved"] > FEW_MOVED and found["single_repeat"] is None
    return smooth or bool(found["sign_flip_mid_p"] <= ALPHA)


def _by_family(gap: Floats, values: Values) -> Floats:
    """Differences summed within families, whose signs are exchanged as one."""
    if values.families is None:
        return gap
    names, member = np.unique(values.family, return_inverse=True)
    return np.asarray(np.bincount(member.reshape(-1), weights=gap, minlength=names.size))


def _single_repeat(x: Values, y: Values) -> dict[str, Any] | None:
    """McNemar's test and Bonett and Price's interval where both runs have one repeat of every common task."""
    if not x.task.size or int(x.measured.max()) > 1 or int(y.measured.max()) > 1:
        return None
    gained, lost = int((y.passed > x.passed).sum()), int((y.passed < x.passed).sum())
    test = mcnemar(lost, gained)
    return {
        "gained": gained,
        "lost": lost,
        "p_exact": test.p_exact,
        "p_mid": test.p_mid,
        "bonett_price": bonett_price(gained, lost, x.task.size).as_dict(),
    }


def _noise_and_power(x: Values, y: Values, gap: Floats, new_tasks: Interval) -> dict[str, Any]:
    """The noise floor, and the difference that the interval for new tasks would find at its own standard error."""
    unknown = {"value": None, "power": POWER, "alpha": ALPHA, "omega2": None, "clamped": False}
    sigma_x, sigma_y = known_mean(x.variance), known_mean(y.variance)
    if gap.size < 2 or sigma_x is None or sigma_y is None:
        return {"noise_floor": None, "mde": unknown | {"reason": "needs two tasks and two repeats in both runs"}}
    k_x, k_y = harmonic_repeats(x.measured), harmonic_repeats(y.measured)
    effect = omega2(gap, sigma_x, k_x, sigma_y, k_y)
    found = unknown | {"omega2": effect.value, "clamped": effect.clamped, "reason": _undetectable(new_tasks, effect)}
    if found["reason"] is None:
        spread = max(0.0, gap.size * (new_tasks.se or 0.0) ** 2 - effect.noise)
        found["value"] = minimum_detectable_effect(
            spread, sigma_x, k_x, sigma_y, k_y, gap.size, alpha=ALPHA, power=POWER, df=new_tasks.n - 1
        )
    return {"noise_floor": noise_floor(sigma_x, k_x, sigma_y, k_y, gap.size).as_dict(), "mde": found}


def _undetectable(new_tasks: Interval, effect: Omega2) -> str | None:
    """Why no detectable difference can be named; None where it can."""
    if new_tasks.n < FEWEST:
        return f"with fewer than {FEWEST} tasks or families in common no difference is beyond chance"
    if not new_tasks.se and not effect.noise:
        return "nothing varied between tasks or repeats, which says nothing of how much could"
    return None
