"""Fisher's exact test of two shares, for many tasks at once."""

import math
from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from blade_pipeline.statistics._arrays import FloatArray, Values, paired

_EXACT = 500
_TIE = 1e-7  # tables whose probabilities differ by less, relatively, are equally likely, as in R


def fisher_p(a_passed: Values | int, a_n: Values | int, b_passed: Values | int, b_n: Values | int) -> FloatArray:
    """Two-sided exact p per task that A and B pass equally often (Fisher 1935).

    Sums the hypergeometric probabilities of all tables no likelier than the observed one: in exact integers up to 500
    repeats of both runs together, beyond that in logarithms, right to nine digits. Equal tables are computed once.

    Args:
        a_passed: passes of run A per task, shape (tasks,).
        a_n: measured repeats of run A per task.
        b_passed: passes of run B per task.
        b_n: measured repeats of run B per task.

    Returns:
        p per task; NaN where a side has no repeat.

    Raises:
        ValueError: passes outside [0, repeats].
    """
    columns = paired(a_passed, a_n, b_passed, b_n)
    tables = np.stack(columns, axis=1).astype(np.int64)
    if bool(np.any((tables[:, 0::2] < 0) | (tables[:, 0::2] > tables[:, 1::2]))):
        raise ValueError("passes must lie between 0 and the number of repeats")
    return np.array([_two_sided(*row) for row in tables.tolist()], dtype=np.float64)


@lru_cache(maxsize=65_536)
def _two_sided(a_passed: int, a_n: int, b_passed: int, b_n: int) -> float:
    if not a_n or not b_n:
        return math.nan
    passed = a_passed + b_passed
    if a_n + b_n > _EXACT:
        return _in_logarithms(a_passed, a_n, b_n, passed)
    observed = math.comb(a_n, a_passed) * math.comb(b_n, b_passed)
    ways = (math.comb(a_n, x) * math.comb(b_n, passed - x) for x in range(max(0, passed - b_n), min(a_n, passed) + 1))
    return sum(w for w in ways if w <= observed) / math.comb(a_n + b_n, passed)


def _in_logarithms(a_passed: int, a_n: int, b_n: int, passed: int) -> float:
    lowest = max(0, passed - b_n)
    x = np.arange(lowest, min(a_n, passed) + 1, dtype=np.float64)
    ways = _log_choose(a_n, x) + _log_choose(b_n, passed - x)
    ways -= ways.max()
    likely = np.exp(ways)
    return min(1.0, float(likely[ways <= ways[a_passed - lowest] + _TIE].sum() / likely.sum()))


def _log_choose(n: int, x: FloatArray) -> FloatArray:
    chosen: FloatArray = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    return chosen
