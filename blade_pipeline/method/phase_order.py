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
        ``{rollouts, completed, pairs: [{later, earlier, rollouts, follows}]}``, the most frequent pairs first;
        ``earlier`` is the phase at which the rollout is lost, and ``follows`` says that no completed rollout satisfies
        ``earlier`` without ``later``, as if it came after it. Null for generic phases, whose rules follow from each
        other, and where every rollout keeps the order.
    """
    own = [n for n, phase in enumerate(phases) if phase.source == "profile"]
    if not own:
        return None
    completed = alive[own[0] - 1]
    pairs: list[dict[str, Any]] = []
    marked = np.zeros_like(completed)
    for early in own:
        lost, holds = alive[early - 1] & ~alive[early], completed & phases[early].through
        for late in own[own.index(early) + 1 :]:
            ahead, behind = lost & phases[late].through, holds & ~phases[late].through
            marked = marked | ahead
            names = {"later": phases[late].phase, "earlier": phases[early].phase}
            pairs.append(names | {"rollouts": int(ahead.sum()), "follows": bool(holds.any() and not behind.any())})
    if not marked.any():
        return None
    frequent = sorted((pair for pair in pairs if pair["rollouts"]), key=lambda pair: -pair["rollouts"])
    return {"rollouts": int(marked.sum()), "completed": int(completed.sum()), "pairs": frequent[:MOST_PAIRS]}
