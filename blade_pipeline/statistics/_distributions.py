"""Quantiles and tails of the normal and Student's t, from ``scipy.special`` (``scipy.stats`` loads far slower)."""

import math

from scipy.special import ndtri, stdtr, stdtrit

from blade_pipeline.statistics._arrays import FloatArray, total


def z_quantile(probability: float) -> float:
    """Standard normal quantile."""
    return float(ndtri(probability))


def t_quantile(df: float, probability: float) -> float:
    """Student's t quantile; ``df`` may be fractional."""
    return float(stdtrit(df, probability))


def satterthwaite(variances: FloatArray, dfs: FloatArray) -> float:
    """Degrees of freedom (sum v)^2 / sum(v^2/df) of a sum of independent variances (Satterthwaite 1946).

    The variances are scaled by the largest first, so that no square overflows or vanishes; NaN when all are 0.
    """
    largest = variances.max(initial=0.0)
    if largest == 0.0:
        return math.nan
    scaled = variances / largest
    return total(scaled) ** 2 / total(scaled**2 / dfs)


def t_upper_tail(df: float, t: float) -> float:
    """P(T > t) for Student's t, without cancellation in the far tail."""
    return float(stdtr(df, -t))


def t_two_sided_p(df: float, t: float) -> float:
    """Two-sided p of a t statistic."""
    return min(1.0, 2.0 * t_upper_tail(df, abs(t)))
