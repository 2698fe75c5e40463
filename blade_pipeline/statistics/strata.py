"""Whether one side shows a mark more often than the other inside strata, exactly."""

import math

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, paired


def strata_p(a_marked: Values, a_n: Values, b_marked: Values, b_n: Values) -> float:
    """One-sided exact p that A is marked no more often than B in any stratum (Gart 1970).

    Given the margins of every stratum, A's marked units follow a hypergeometric law in each, and their sum the
    convolution of these; p is the share of it at the observed sum or above. It is the exact test of Cochran, Mantel and
    Haenszel. Strata with units of one side alone say nothing.

    Args:
        a_marked: marked units of A per stratum, shape (strata,).
        a_n: units of A per stratum.
        b_marked: marked units of B per stratum.
        b_n: units of B per stratum.

    Returns:
        p in (0, 1]; 1 where no stratum can tell.
    """
    strata = np.stack(paired(a_marked, a_n, b_marked, b_n), axis=1).astype(np.int64)
    surplus, law = 0, np.ones(1)
    for row in strata[(strata[:, 1] > 0) & (strata[:, 3] > 0)].tolist():
        lowest, own = _hypergeometric(*row)
        surplus += row[0] - lowest
        law = np.convolve(law, own)
    return min(1.0, float(law[surplus:].sum()))


def _hypergeometric(a_marked: int, a_n: int, b_marked: int, b_n: int) -> tuple[int, FloatArray]:
    """The fewest marked units that A can have with these margins, and the chance of that and of each larger number."""
    marked, whole = a_marked + b_marked, a_n + b_n
    lowest = max(0, marked - b_n)
    ways = (math.comb(a_n, x) * math.comb(b_n, marked - x) for x in range(lowest, min(a_n, marked) + 1))
    return lowest, np.array([way / math.comb(whole, marked) for way in ways])
