"""The completion summary that the tool's profiler prints and never saves."""

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.statistics._arrays import IntArray

Flags = NDArray[np.bool_]


def profile_completion(input_row: IntArray, planned: Flags, written: Flags) -> dict[str, float]:
    """Compare the rollouts that were planned with those that have a row.

    Args:
        input_row: number from 0 on of each rollout's input row, shape (rollouts,); a rollout that was planned or has a
            row stands once.
        planned: whether it was planned.
        written: whether it has a result row, masked ones included.

    Returns:
        The profiler's nine keys; the percentage is 100 when nothing was expected.
    """
    found = planned & written
    wanted, reached = np.bincount(input_row, planned), np.bincount(input_row, found)
    inputs, some = int((wanted > 0).sum()), int((reached > 0).sum())
    complete = int(((wanted > 0) & (reached == wanted)).sum())
    expected, completed = int(planned.sum()), int(found.sum())
    return {
        "expected_rollout_rows": expected,
        "completed_rollout_rows": completed,
        "missing_rollout_rows": expected - completed,
        "extra_rollout_rows": int((written & ~planned).sum()),
        "reward_profile_completion_pct": 100.0 * completed / expected if expected else 100.0,
        "total_input_rows": inputs,
        "complete_input_rows": complete,
        "partial_input_rows": some - complete,
        "missing_input_rows": inputs - some,
    }
