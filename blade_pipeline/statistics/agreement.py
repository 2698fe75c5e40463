"""Stability of a task: do two of its repeats agree?"""

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, paired


def repeat_agreement(n: Values | int, c: Values | int) -> FloatArray:
    """Probability that two repeats drawn from a task's agree: (C(c,2) + C(n-c,2))/C(n,2).

    Equals 1 - 2 s^2 with the unbiased variance s^2 of 0/1 scores.

    Args:
        n: measured repeats per task, shape (tasks,).
        c: passes per task.

    Returns:
        A fraction per task, NaN for fewer than two repeats.
    """
    repeats, passes = paired(n, c)
    fails = repeats - passes
    pairs = np.where(repeats >= 2, repeats * (repeats - 1), np.nan)
    return (passes * (passes - 1) + fails * (fails - 1)) / pairs
