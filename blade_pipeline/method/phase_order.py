"""Rollouts for which a phase of the profile holds although an earlier one does not: its order may be wrong."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.phases import Phase

MOST_PAIRS = 3


def out_of_order(phases: Sequence[Phase], alive: Sequence[Mask]) -> dict[str, Any] | None:
    """Completed rollouts that satisfy a later phase of the profile without an earlier one.

    Args:
        phases: those of the funnel in order.
        alive: the survivors of each phase.

    Returns:
        ``{rollouts, completed, pairs: [{later, earlier, rollouts}]}``, the most frequent pairs first, ``earlier`` being
        the phase at which the rollout is lost; null for generic phases, whose rules follow from each other, and where
        every rollout keeps the order.
    """
    own = [n for n, phase in enumerate(phases) if phase.source == "profile"]
    if not own:
        return None
    completed = alive[own[0] - 1]
    pairs: list[tuple[int, str, str]] = []
    marked = np.zeros_like(completed)
    for early in own:
        lost = alive[early - 1] & ~alive[early]
        for late in own[own.index(early) + 1 :]:
            ahead = lost & phases[late].through
            marked = marked | ahead
            pairs.append((int(ahead.sum()), phases[late].phase, phases[early].phase))
    if not marked.any():
        return None
    frequent = sorted((pair for pair in pairs if pair[0]), key=lambda pair: -pair[0])[:MOST_PAIRS]
    told = [{"later": later, "earlier": earlier, "rollouts": rollouts} for rollouts, later, earlier in frequent]
    return {"rollouts": int(marked.sum()), "completed": int(completed.sum()), "pairs": told}
