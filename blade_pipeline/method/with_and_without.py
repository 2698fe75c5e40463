"""Rollouts with a symptom against rollouts without it, inside the same tasks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.method.expressions import Mask


def with_and_without(shown: Mask, passed: Mask, tasks: NDArray[np.int64]) -> dict[str, Any]:
    """How rollouts with a symptom and without it end, in the tasks that hold both.

    Passed rollouts that show the symptom count as having it, whatever their failed neighbours' primary mode is.

    Args:
        shown: measured rollouts that show the symptom.
        passed: those that pass.
        tasks: the task of each, as a number from 0.

    Returns:
        ``{tasks, with, with_passed, without, without_passed, difference}``: tasks that hold both, their rollouts on
        either side, and the mean over those tasks of the share passed without minus with it; null without such a task.
    """
    sides = {"with": shown, "without": ~shown}
    size = int(tasks.max(initial=-1)) + 1
    rollouts = {name: np.bincount(tasks[side], minlength=size) for name, side in sides.items()}
    passes = {name: np.bincount(tasks[side & passed], minlength=size) for name, side in sides.items()}
    both = (rollouts["with"] > 0) & (rollouts["without"] > 0)
    counted = {name: int(values[both].sum()) for name, values in rollouts.items()}
    counted |= {f"{name}_passed": int(values[both].sum()) for name, values in passes.items()}
    shares = {name: passes[name][both] / rollouts[name][both] for name in sides}
    difference = float(np.sort(shares["without"] - shares["with"]).mean()) if both.any() else None
    return {"tasks": int(both.sum()), **counted, "difference": difference}
