"""Quantiles and tails of the normal and Student's t, from ``scipy.special`` (``scipy.stats`` loads far slower)."""

from scipy.special import ndtri, stdtr, stdtrit


def z_quantile(probability: float) -> float:
    """Standard normal quantile."""
    return float(ndtri(probability))


def t_quantile(df: float, probability: float) -> float:
    """Student's t quantile; ``df`` may be fractional."""
    return float(stdtrit(df, probability))


def t_upper_tail(df: float, t: float) -> float:
    """P(T > t) for Student's t, without cancellation in the far tail."""
    return float(stdtr(df, -t))


def t_two_sided_p(df: float, t: float) -> float:
    """Two-sided p of a t statistic."""
    return min(1.0, 2.0 * t_upper_tail(df, abs(t)))
