"""Bootstrap over tasks, for numbers without a formula of their own."""

import math
from collections.abc import Callable

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, floats, mean

DRAWS = 10_000
SEED = 20_250_101


def cluster_bootstrap_se(
    task_values: Values,
    statistic: Callable[[FloatArray], float] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> float:
    """Standard error of a statistic of tasks when whole tasks are drawn with replacement (Davison and Hinkley 1997).

    A second level of drawing inside tasks would count the repeats' luck twice, so there is none. For the mean
    (``statistic`` None) the exact value over all n^n draws is returned: sqrt(sum (x_i - mean)^2)/n. Else ``draws``
    seeded samples (PCG64) are taken from the sorted values, so that their order is irrelevant.

    Args:
        task_values: one value per task, shape (tasks,); NaN is left out.
        statistic: function of a sample of task values.
        draws: samples.
        seed: print it beside the number.

    Returns:
        Standard error; NaN for fewer than two tasks. Fewer than 20 tasks make it too small.
    """
    values = floats(task_values)
    values = np.sort(values[~np.isnan(values)])
    n = values.size
    if n < 2:
        return math.nan
    if statistic is None:
        return math.sqrt(math.fsum(np.square(values - mean(values)).tolist())) / n
    generator = np.random.Generator(np.random.PCG64(seed))
    results = [statistic(values[generator.integers(0, n, size=n)]) for _ in range(draws)]
    return float(np.std(results, ddof=1))
