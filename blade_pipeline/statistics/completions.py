"""What the unknown rollouts of a task could still make of its pass@k and pass^k."""

from typing import NamedTuple

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, paired
from blade_pipeline.statistics.pass_at_k import pass_at_k, pass_hat_k


class PassBounds(NamedTuple):
    """Worst and best case per task, shape (tasks,) each; NaN where the task could never reach k repeats."""

    pass_at_low: FloatArray
    pass_at_high: FloatArray
    pass_hat_low: FloatArray
    pass_hat_high: FloatArray


def pass_at_k_bounds(passed: Values | int, measured: Values | int, unknown: Values | int, k: int) -> PassBounds:
    """Range of pass@k and pass^k over every completion of the unknown rollouts with a pass or a fail.

    Both numbers grow with the passes, so the ends are "all unknown fail" and "all unknown pass", at
    n = measured + unknown (Manski 2003 applied to Chen et al. 2021 and Yao et al. 2024).

    Args:
        passed: passes among the measured rollouts per task, shape (tasks,).
        measured: measured rollouts per task.
        unknown: planned rollouts per task without a measurement (masked, unscored, failed, missing).
        k: attempts drawn.

    Raises:
        ValueError: k below 1 or counts out of range.
    """
    c, n, u = paired(passed, measured, unknown)
    full = n + np.maximum(u, 0.0)
    best = c + np.maximum(u, 0.0)
    if bool(np.any(c > n)):
        raise ValueError("passes must lie between 0 and the number of measured rollouts")
    return PassBounds(
        pass_at_k(full, c, k), pass_at_k(full, best, k), pass_hat_k(full, c, k), pass_hat_k(full, best, k)
    )
