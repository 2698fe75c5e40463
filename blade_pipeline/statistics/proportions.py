"""Intervals for a share of independent units, such as tasks that always pass."""

import math

from scipy.special import betaincinv

from blade_pipeline.statistics._distributions import z_quantile


def wilson(k: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval (Wilson 1927; recommended by Brown, Cai and DasGupta 2001).

    Args:
        k: successes; fractional when ``n`` is an effective sample size.
        n: units.
        level: nominal coverage.

    Returns:
        (low, high) within [0, 1]; (0, 1) when n is 0.

    Raises:
        ValueError: k outside [0, n].
    """
    _check(k, n)
    return wilson_at(k / n, n, z_quantile(0.5 + level / 2)) if n else (0.0, 1.0)


def wilson_at(p: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of share ``p`` of ``n`` (effective) units at a given normal or t quantile."""
    shift = quantile**2 / n
    centre = (p + shift / 2) / (1 + shift)
    half = math.sqrt(p * (1 - p) * shift + shift**2 / 4) / (1 + shift)
    low = 0.0 if p == 0.0 else max(0.0, centre - half)
    high = 1.0 if p == 1.0 else min(1.0, centre + half)
    return low, high


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval by inverting binomial tails (Clopper and Pearson 1934). Arguments as in :func:`wilson`."""
    _check(k, n)
    tail = (1 - level) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return low, high


def jeffreys(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Interval from Beta(k+1/2, n-k+1/2), ends fixed at 0 and 1 (Brown, Cai and DasGupta 2001). As :func:`wilson`."""
    _check(k, n)
    tail = (1 - level) / 2
    low = float(betaincinv(k + 0.5, n - k + 0.5, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 0.5, n - k + 0.5, 1 - tail)) if k < n else 1.0
    return low, high


def _check(k: float, n: float) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"successes must lie between 0 and the number of units, got {k} of {n}")
