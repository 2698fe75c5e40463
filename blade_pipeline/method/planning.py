"""How many repeats or tasks the next comparison needs, from the variance that one run has shown."""

import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from blade_pipeline.method.arrays import counts
from blade_pipeline.method.comparison.difference import FEWEST
from blade_pipeline.models import BladeError
from blade_pipeline.statistics import harmonic_repeats, minimum_detectable_effect, repeats_needed, tasks_needed

CURVE = (1, 2, 4, 8, 16, 32)
FLAT_EFFECT = 0.0
SPREAD_EFFECT = 0.05


def plan(
    per_task: pa.Table,
    scores: Mapping[str, Any],
    *,
    effect: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    omega2: float | None = None,
) -> dict[str, Any]:
    """Minimum detectable effect of a paired comparison with a run of the same design, and what an effect needs.

    The other run is taken to have the same tasks, repeats and within-task variance. How much a change's effect differs
    from task to task (omega2) cannot be seen in one run: without a value the plan is given for 0 (the same effect on
    every task) and for 0.05 (Miller 2024's example of a spread), as a range.

    Args:
        per_task: ``PASS_AT_K`` of the run.
        scores: its score document.
        effect: true difference in pass@1 to be found, as a fraction.
        power: chance of finding it.
        alpha: two-sided level.
        omega2: variance of the task effects, when it is known.

    Returns:
        The design and a scenario per omega2; ``mde`` is null where not even a difference of 1 would be found, as
        with fewer tasks than any change can be seen on.

    Raises:
        BladeError: a setting is out of range, or the run has one measured task or none with two measured repeats.
    """
    _check(effect, power, alpha, omega2)
    measured = counts(per_task["measured"])
    measured = measured[measured > 0]
    sigma2 = scores["variance"]["sigma2_within"]
    if sigma2 is None or measured.size == 0:
        raise BladeError("Planning needs at least one task with two measured repeats; run the benchmark with repeats.")
    if measured.size == 1:
        raise BladeError("Planning needs at least two measured tasks; one task says nothing about others.")
    tasks, repeats = int(measured.size), harmonic_repeats(measured)
    spreads = (FLAT_EFFECT, SPREAD_EFFECT) if omega2 is None else (omega2,)
    return {
        "tasks": tasks,
        "repeats": repeats,
        "sigma2_within": sigma2,
        "power": power,
        "alpha": alpha,
        "effect": effect,
        "scenarios": [_scenario(spread, sigma2, tasks, repeats, effect, power, alpha) for spread in spreads],
    }


def _check(effect: float | None, power: float, alpha: float, omega2: float | None) -> None:
    for name, value in (("power", power), ("level alpha", alpha)):
        if not 0 < value < 1:
            raise BladeError(f"The {name} must lie between 0 and 1, got {value}.")
    if power <= alpha:
        raise BladeError(f"The power must lie above the level {alpha}, got {power}.")
    if effect is not None and not 0 < effect <= 1:
        raise BladeError(f"The effect must lie between 0 and 1, as a fraction, got {effect}.")
    if omega2 is not None and omega2 < 0:
        raise BladeError(f"omega2 is a variance and cannot be negative, got {omega2}.")


def _scenario(
    omega2: float, sigma2: float, tasks: int, repeats: float, effect: float | None, power: float, alpha: float
) -> dict[str, Any]:
    def smallest(k: float) -> float | None:
        found = minimum_detectable_effect(omega2, sigma2, k, sigma2, k, tasks, alpha=alpha, power=power)
        return found if found <= 1 and tasks >= FEWEST else None

    found = {
        "omega2": omega2,
        "mde": smallest(repeats),
        "mde_at": [{"repeats": k, "mde": smallest(k)} for k in CURVE],
        "mde_limit": smallest(math.inf),
    }
    if effect is None:
        return found
    enough = repeats_needed(effect, tasks, omega2, sigma2, sigma2, alpha=alpha, power=power)
    needed = tasks_needed(effect, omega2, sigma2, repeats, sigma2, repeats, alpha=alpha, power=power)
    return found | {
        "repeats_needed": enough if tasks >= FEWEST else None,
        "tasks_needed": max(FEWEST, needed),
    }
