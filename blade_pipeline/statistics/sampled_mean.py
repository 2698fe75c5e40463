"""Whether the mean of some units is that of a random sample of all: a permutation test without drawing permutations."""

import math

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, ndtr

from blade_pipeline.statistics._arrays import FloatArray, Values, floats

_STRAIGHT = 1e-4
"""Skewness below which Pearson's curve is the normal one."""


def sampled_mean_p(values: Values, inside: Values) -> float | None:
    """Two-sided p of the mean of the marked units, when any as many units could have been the marked ones.

    Mean, variance and skewness of a sum of m of N values over all choices of m are exact (sampling without
    replacement); its tail is Pearson's type III curve with these moments, as for permutation tests by Mielke and Berry
    (2001). Where all values lie on a lattice, half a step is taken off, as the sum moves in steps. The smaller tail is
    doubled, and no p is below 2 of the C(N, m) choices.

    Args:
        values: of every unit, shape (units,); no NaN.
        inside: whether a unit is marked, shape (units,).

    Returns:
        p in (0, 1]; null where a side holds no unit or all values are equal.
    """
    x, marked = floats(values), np.asarray(inside, dtype=np.bool_)
    n, m = x.size, int(marked.sum())
    if not 0 < m < n or np.ptp(x) == 0:
        return None
    gaps = np.sort(x - x.mean())
    own = float(np.sort(x[marked] - x.mean()).sum())
    variance = m * (n - m) / (n - 1) * float((gaps**2).mean())
    third = m * (n - m) * (n - 2 * m) / ((n - 1) * (n - 2)) * float((gaps**3).mean()) if n > 2 else 0.0
    spread, skew = variance**0.5, third / variance**1.5
    half = _step(gaps) / 2
    tail = min(_above((own - half) / spread, skew), _above(-(own + half) / spread, -skew))
    choices = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    return min(1.0, max(2.0 * tail, 2.0 * float(np.exp(-choices))))


def _above(z: float, skew: float) -> float:
    """The share of Pearson's type III curve of mean 0, variance 1 and this skewness that lies above ``z``."""
    if abs(skew) <= _STRAIGHT:
        return float(ndtr(-z))
    shape = 4.0 / skew**2
    reached = max(0.0, shape + math.copysign(1.0, skew) * z * math.sqrt(shape))
    return float(gammaincc(shape, reached) if skew > 0 else gammainc(shape, reached))


def _step(ordered: FloatArray) -> float:
    """The step of the lattice that holds all values, 0 where they lie on none of at most 100 steps."""
    apart = np.diff(ordered)
    apart = apart[apart > 1e-9]
    steps = (ordered - ordered[0]) / apart.min()
    on_it = steps[-1] <= 100.5 and bool(np.all(np.abs(steps - np.round(steps)) < 1e-6))
    return float(apart.min()) if on_it else 0.0
