"""Does a score pass?"""

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.statistics._arrays import Values, floats

PASS_TOLERANCE = 1e-6
"""How far short of the threshold a score may fall and still pass, for sums that were rounded."""


def passes(
    score: Values | float, threshold: float = 1.0, tolerance: float = PASS_TOLERANCE, *, higher_is_better: bool = True
) -> NDArray[np.bool_]:
    """Whether each score reaches the threshold, within a tolerance for rounded sums.

    Args:
        score: shape (rollouts,); NaN never passes.
        threshold: pass mark.
        tolerance: how far short of it still passes.
        higher_is_better: False when a low score is good; then the threshold is an upper limit.
    """
    values = floats(score)
    return values >= threshold - tolerance if higher_is_better else values <= threshold + tolerance
