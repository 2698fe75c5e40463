"""Paired 0/1 outcomes with one repeat per side."""

import math
from dataclasses import dataclass

from scipy.special import bdtr, chdtrc

from blade_pipeline.statistics._distributions import z_quantile
from blade_pipeline.statistics.interval import Interval


@dataclass(frozen=True, slots=True)
class McNemar:
    """Three forms of McNemar's test.

    Attributes:
        p_exact: exact binomial p of the discordant tasks.
        p_mid: mid-p, less conservative.
        chi2_cc: chi-square with continuity correction; null when no task is discordant.
        p_chi2_cc: its p; null likewise.
    """

    p_exact: float
    p_mid: float
    chi2_cc: float | None
    p_chi2_cc: float | None


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Test whether two systems pass equally many tasks, from the tasks that only one of them passes.

    McNemar 1947; mid-p after Fagerland, Lydersen and Laake 2013. p = 2 P(X <= min | discordant, 1/2).

    Args:
        first_only: tasks that only the first run passes.
        second_only: tasks that only the second run passes.

    Raises:
        ValueError: a negative count.
    """
    if min(first_only, second_only) < 0:
        raise ValueError("counts cannot be negative")
    smaller, used = min(first_only, second_only), first_only + second_only
    if not used:
        return McNemar(1.0, 1.0, None, None)
    tail = float(bdtr(smaller, used, 0.5))
    point = tail - (float(bdtr(smaller - 1, used, 0.5)) if smaller else 0.0)
    chi2 = max(0.0, abs(first_only - second_only) - 1) ** 2 / used
    p_mid = min(1.0, 2 * tail - point)
    return McNemar(min(1.0, 2 * tail), p_mid, chi2, float(chdtrc(1, chi2)))


def bonett_price(first_only: int, second_only: int, n: int, level: float = 0.95) -> Interval:
    """Interval of the share of passes, first run minus second, one repeat per side (Bonett and Price 2012).

    Adds 1 to each discordant count and 2 to ``n``: good coverage down to small n. The estimate is the observed
    difference; the interval is centred on the adjusted one.

    Args:
        first_only: tasks that only the first run passes.
        second_only: tasks that only the second run passes.
        n: common tasks.
        level: nominal coverage.

    Raises:
        ValueError: counts negative or above n.
    """
    if min(first_only, second_only) < 0 or first_only + second_only > n:
        raise ValueError("discordant tasks must be between 0 and the number of tasks")
    method = "Bonett-Price adjusted Wald"
    if n == 0:
        return Interval(None, None, None, None, level, method, "new_tasks", None, 0, reason="no common task")
    one, two = (first_only + 1) / (n + 2), (second_only + 1) / (n + 2)
    se = math.sqrt((one + two - (one - two) ** 2) / (n + 2))
    half = z_quantile(0.5 + level / 2) * se
    low, high = max(-1.0, one - two - half), min(1.0, one - two + half)
    return Interval((first_only - second_only) / n, se, low, high, level, method, "new_tasks", None, n)
