"""Bayes@N: the mean of Beta posteriors."""

import math
from typing import NamedTuple

from blade_pipeline.statistics._arrays import Values, mean, paired, total


class BayesAtN(NamedTuple):
    """Posterior mean of the score and its standard deviation, given these tasks; NaN without a task."""

    mean: float
    sd: float


def bayes_at_n(n: Values | int, c: Values | int) -> BayesAtN:
    """Mean over tasks of the Beta(c+1, n-c+1) posterior under a uniform prior (Hariri et al. 2025, "Don't Pass@k").

    It ranks systems as the plain mean does and holds no uncertainty about new tasks.

    Args:
        n: measured repeats per task, shape (tasks,); 0 is allowed and gives the prior.
        c: passes per task.
    """
    repeats, passes = paired(n, c)
    if not repeats.size:
        return BayesAtN(math.nan, math.nan)
    a, b = passes + 1.0, repeats - passes + 1.0
    spread = total(a * b / ((a + b) ** 2 * (a + b + 1.0)))
    return BayesAtN(mean(a / (a + b)), math.sqrt(spread) / repeats.size)
