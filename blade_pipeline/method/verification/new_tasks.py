"""Shares of tasks with the Wilson interval for new tasks, recomputed from the counts that the rows give."""

import math
from collections.abc import Iterator
from statistics import NormalDist

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.records import Pair

_Z = NormalDist().inv_cdf(0.975)


def interval_claims(cell: Cell, pair: Pair, what: str) -> Iterator[Claim]:
    """Both ends in a cell under a heading that names new tasks and Wilson; nothing in any other cell."""
    ends = list(cell.figures.values())
    if cell.heading.startswith("share of new tasks") and "wilson" in cell.heading and len(ends) == 2 and pair.whole:
        for end, sign, name in zip(ends, (-1, 1), ("low", "high"), strict=True):
            yield from claim(end, exactly(100 * _end(pair, sign), f"{name} end for {what}"))


def _end(pair: Pair, sign: int) -> float:
    """An end of the 95 % interval of Wilson (1927): a root of (share - x)^2 = z^2 x (1 - x) / n."""
    share, n = pair.part / pair.whole, pair.whole
    a, b, c = 1 + _Z**2 / n, -(2 * share + _Z**2 / n), share**2
    return (-b + sign * math.sqrt(max(0.0, b**2 - 4 * a * c))) / (2 * a)
