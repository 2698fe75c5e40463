"""The paired statistics of two runs on their common tasks: both questions, tests, noise, power and equivalence."""

import math
from typing import Any

from blade_pipeline.method.arrays import Floats, known_mean
from blade_pipeline.method.comparison import accounting
from blade_pipeline.method.comparison.values import UNIT, Scale, Values, both_measured, extent
from blade_pipeline.statistics import (
    Interval,
    NoiseFloor,
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
ENOUGH, ENOUGH_AT_ONE_REPEAT = 8, 30
"""Tasks (or families) from which on the sign-flip test leaves the power of the t interval nearly whole."""
NO_UNIT = "scores leave 0 to 1 and the profile declares no reward_range, so the margin has no unit"
FEW_MOVED = 12
FEWEST = math.ceil(-math.log2(ALPHA))
"""Tasks (or families) below which even differences that all point one way have a sign-flip mid-p above the level."""


def difference(a: Values, b: Values, metric: str, margin: float, scale: Scale | None = UNIT) -> dict[str, Any]:
    """Everything the report says of the size of a difference (second run minus first).

    Values run over the tasks that both runs measured; bounds, accountings and the tipping point over every paired
    task. ``margin`` is a share of the ``scale`` from the lowest to the highest score; without a known scale it has no
    unit, and neither equivalence nor bounds are told.
    """
    common = both_measured(a, b)
    x, y = a.only(common), b.only(common)
    gap = y.mean - x.mean
    families = x.families
    known, lowest, width = extent(scale)
    new_tasks = paired_difference(x.mean, y.mean, clusters=families, proportion=known, width=width)
    these_tasks = stratified_difference(
        x.mean, x.variance, x.measured, y.mean, y.variance, y.measured, proportion=known, lowest=lowest, width=width
    )
    sign, flips = sign_test(gap), sign_flip(x.by_family(gap))
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
        "tost": _equivalence(gap, margin, scale, families) if gap.size else None,
        **_noise_and_power(x, y, gap, new_tasks.interval),
        "bounds": accounting.bounds(a, b, scale),
        "accountings": accounting.differences(a, b, scale),
        "tipping_point": accounting.tipping(a, b, scale),
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


def _equivalence(gap: Floats, margin: float, scale: Scale | None, families: list[str] | None) -> dict[str, Any]:
    """Two one-sided tests at the margin in the unit of the score; nothing is claimed where it has none."""
    known, _, width = extent(scale)
    found = tost(gap, margin * width, clusters=families, proportion=known, width=width).as_dict()
    return found if scale is not None else found | {"equivalent": None, "p": None, "margin": None, "reason": NO_UNIT}


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
    """The noise floor, and the difference that the interval for new tasks would find at its own standard error.

    Without a second repeat in both runs the noise of the repeats is part of that error and cannot be told apart. With
    few tasks the sign-flip test, which must agree, takes a larger difference: the value is then the least one
    (``at_least``).
    """
    unknown = {"value": None, "power": POWER, "alpha": ALPHA, "omega2": None, "clamped": False, "at_least": False}
    if gap.size < 2:
        return {"noise_floor": None, "mde": unknown | {"reason": "needs two tasks in common"}}
    split = _noise(x, y, gap)
    noise = split[1].noise if split else 0.0
    found = unknown | {"reason": _undetectable(new_tasks, noise)}
    if split:
        found |= {"omega2": split[1].value, "clamped": split[1].clamped}
    if found["reason"] is None:
        spread = max(noise, gap.size * (new_tasks.se or 0.0) ** 2)
        found["value"] = minimum_detectable_effect(
            spread, 0.0, 1, 0.0, 1, gap.size, alpha=ALPHA, power=POWER, df=new_tasks.n - 1
        )
        found["at_least"] = new_tasks.n < (ENOUGH_AT_ONE_REPEAT if split is None else ENOUGH)
    return {"noise_floor": split[0].as_dict() if split else None, "mde": found}


def _noise(x: Values, y: Values, gap: Floats) -> tuple[NoiseFloor, Omega2] | None:
    """What the repeats of both runs say of chance; None where either has no task with two."""
    sigma_x, sigma_y = known_mean(x.variance), known_mean(y.variance)
    if sigma_x is None or sigma_y is None:
        return None
    k_x, k_y = harmonic_repeats(x.measured), harmonic_repeats(y.measured)
    return (noise_floor(sigma_x, k_x, sigma_y, k_y, gap.size), omega2(gap, sigma_x, k_x, sigma_y, k_y))


def _undetectable(new_tasks: Interval, noise: float) -> str | None:
    """Why no detectable difference can be named; None where it can."""
    if new_tasks.n < FEWEST:
        return f"with fewer than {FEWEST} tasks or families in common no difference is beyond chance"
    if not new_tasks.se and not noise:
        return "nothing varied between tasks or repeats, which says nothing of how much could"
    return None
