"""Whether the mean of some units is that of a random sample of all: a permutation test without drawing permutations."""

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, ndtr

from blade_pipeline.statistics._arrays import FloatArray, IntArray, Values, floats

_STRAIGHT = 1e-4
"""Skewness below which Pearson's curve is the normal one."""
_STEPS = np.arange(1.0, 101.0)[:, None]
"""How many steps a lattice may have from the lowest to the highest value."""
_SIZES = 30
"""How many numbers of outlying units are tried."""
_EQUAL = 1e-9
"""Distance, as a share of the range of all values, up to which numbers are equal but for rounding."""


def sampled_mean_p(values: Values, inside: Values) -> float | None:
    """Two-sided p of the mean of the marked units, when any as many units could have been the marked ones.

    Mean, variance and skewness of a sum of m of N values over all choices of m are exact (sampling without
    replacement); its tail is Pearson's type III curve with these moments, as for permutation tests by Mielke and Berry
    (2001). That curve ends where a few outlying values make the skewness large, though sums lie beyond: so a tail is
    no smaller than that of the choices without the j outlying units, for some thirty j. Where all values lie on a
    lattice, half a step is taken off, as the sum moves in steps. The smaller tail is doubled, and no p is below 2 of
    the C(N, m) choices.

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
    gaps = (x - x.mean()) / np.ptp(x)
    own, ordered = float(np.sort(gaps[marked]).sum()), np.sort(gaps)
    half = _step(ordered) / 2
    tail = min(_at_most(own + half, ordered, m), _at_most(half - own, -ordered[::-1], m))
    return min(1.0, max(2.0 * tail, 2.0 * float(np.exp(-_log_choices(np.array(n), m)))))


def _at_most(limit: float, ordered: FloatArray, m: int) -> float:
    """The share of the choices whose sum is no larger than ``limit``.

    The largest such share over the choices that leave out the j highest values: j is 0, 1, 2 and on in growing steps.
    """
    size = ordered.size + 1 - np.unique(np.geomspace(1, ordered.size - m, _SIZES).round().astype(np.int64))
    left = np.exp(_log_choices(size, m) - _log_choices(np.array(ordered.size), m))
    first, second, third = (np.cumsum(ordered**power)[size - 1] / size for power in (1, 2, 3))
    spread = np.sqrt(m * (size - m) / (size - 1) * np.maximum(second - first**2, 0.0))
    varied = spread > _EQUAL
    below = (m * first <= limit + _EQUAL).astype(np.float64)
    size, spread = size[varied], spread[varied]
    mean, square, cube = (power[varied] for power in (first, second, third))
    skew = m * (size - m) * (size - 2 * m) / ((size - 1) * np.maximum(size - 2, 1)) / spread**3
    skew *= cube - 3 * mean * square + 2 * mean**3
    below[varied] = _below((limit - m * mean) / spread, skew)
    return float((left * below).max())


def _below(z: FloatArray, skew: FloatArray) -> FloatArray:
    """The share of Pearson's type III curve of mean 0, variance 1 and this skewness that lies below ``z``."""
    bent = np.abs(skew) > _STRAIGHT
    shape = 4.0 / np.where(bent, skew, 1.0) ** 2
    reached = np.maximum(0.0, shape + np.sign(skew) * z * np.sqrt(shape))
    curve = np.where(skew > 0, gammainc(shape, reached), gammaincc(shape, reached))
    return np.where(bent, curve, ndtr(z))


def _step(ordered: FloatArray) -> float:
    """The step of the widest lattice that holds all values, of at most 100 steps; 0 where there is none."""
    values = np.unique(np.round((ordered - ordered[0]) / np.ptp(ordered), 9))
    if values.size > _STEPS.size + 1:
        return 0.0
    places = values * _STEPS
    fits = np.all(np.abs(places - np.round(places)) < 1e-6, axis=1)
    return float(1.0 / _STEPS[fits.argmax(), 0]) if fits.any() else 0.0


def _log_choices(n: IntArray, m: int) -> FloatArray:
    """Logarithm of C(n, m)."""
    choices: FloatArray = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    return choices
