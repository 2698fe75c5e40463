"""Rollouts through each phase of a funnel, and the phase that loses most of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.phases import Phase

Json = dict[str, Any]


def survivors(phases: Sequence[Phase], rollouts: int) -> list[Mask]:
    """The rollouts that got through each phase and all before it."""
    alive, found = np.ones(rollouts, dtype=np.bool_), []
    for phase in phases:
        alive = alive & phase.through
        found.append(alive)
    return found


def counted(names: Sequence[str], reached: Sequence[int], total: int) -> list[Json]:
    """Each phase with the rollouts that entered and reached it, its conditional drop and the cumulative survival.

    Both shares are null where there is nothing to take a share of.
    """
    entered = [total, *reached[:-1]]
    return [
        {
            "phase": name,
            "entered": before,
            "reached": after,
            "conditional_drop": (before - after) / before if before else None,
            "survival": after / total if total else None,
        }
        for name, before, after in zip(names, entered, reached, strict=True)
    ]


def largest_drop(phases: Sequence[Json]) -> Json | None:
    """The phase that loses most rollouts, the earlier one when two lose the same; null when none is lost."""
    worst = max(phases, key=lost, default=None)
    if worst is None or not lost(worst):
        return None
    return {"phase": worst["phase"], "lost": lost(worst), "entered": worst["entered"]}


def lost(phase: Json) -> int:
    """Rollouts that entered a phase and did not get through it."""
    return int(phase["entered"] - phase["reached"])
