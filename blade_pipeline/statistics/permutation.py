"""Tests of a paired difference that assume nothing but exchangeable signs."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from blade_pipeline.statistics._arrays import FloatArray, Values, floats, total

EXACT_LIMIT = 20
DRAWS = 20_000
SEED = 20_250_101
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class SignTest:
    """Exact sign test over tasks; ties carry no sign and are only counted.

    Attributes:
        p: two-sided p, 1 when no task differs.
        wins: tasks with a positive difference.
        losses: tasks with a negative difference.
        ties: tasks without a difference.
    """

    p: float
    wins: int
    losses: int
    ties: int


class SignFlip(NamedTuple):
    """Two-sided p of a sign-flip test, its mid-p, and how many differences are not 0."""

    p: float
    mid_p: float
    moved: int


def sign_flip_p(differences: Values, *, draws: int = DRAWS, seed: int = SEED) -> float:
    """Two-sided p of the mean difference when the sign of every task's difference is a fair coin (Fisher 1935).

    Exact by enumeration for at most 20 non-zero differences; else ``draws`` seeded sign vectors (PCG64) with one
    added to hits and draws (Phipson and Smyth 2010). Sums equal within 1e-9 of the total absolute difference count
    as ties, so 0.1 + 0.2 style rounding cannot change p. The differences are sorted first: their order is
    irrelevant.

    Args:
        differences: B minus A of each common task, shape (tasks,); NaN is left out.
        draws: sign vectors in the seeded form.
        seed: of the seeded form; print it beside p.

    Returns:
        p in (0, 1]; 1 when no task differs.
    """
    return sign_flip(differences, draws=draws, seed=seed).p


def sign_flip(differences: Values, *, draws: int = DRAWS, seed: int = SEED) -> SignFlip:
    """The test of :func:`sign_flip_p` with its mid-p, which counts half of the ties (Lancaster 1961).

    The plain p of few or discrete differences stays far below its level; the mid-p holds it on average.
    """
    d = floats(differences)
    d = np.sort(d[np.isfinite(d) & (d != 0.0)])
    reached, tied = _shares(d, draws, seed)
    return SignFlip(reached, reached - tied / 2 if reached < 1.0 else 1.0, d.size)


def sign_test(differences: Values) -> SignTest:
    """Exact binomial sign test, ties dropped (Dixon and Mood 1946).

    Args:
        differences: B minus A of each common task, shape (tasks,); NaN is left out.
    """
    d = floats(differences)
    d = d[np.isfinite(d)]
    wins, losses = int(np.sum(d > 0)), int(np.sum(d < 0))
    used = wins + losses
    p = min(1.0, 2.0 * float(bdtr(min(wins, losses), used, 0.5))) if used else 1.0
    return SignTest(p, wins, losses, d.size - used)


def _shares(d: FloatArray, draws: int, seed: int) -> tuple[float, float]:
    """Shares of the sign vectors whose sum is at least as far from 0 as the observed one, and exactly as far."""
    if not d.size:
        return 1.0, 1.0
    size = total(np.abs(d))
    observed, slack = abs(total(d)), _TIE * size
    if d.size <= EXACT_LIMIT:
        sums = np.abs(_signed_sums(d))
        reached, beyond = (int(np.sum(sums >= limit)) for limit in (observed - slack, observed + slack))
        return reached / sums.size, (reached - beyond) / sums.size
    generator = np.random.Generator(np.random.PCG64(seed))
    reached, beyond = _random_hits(d, (observed - slack, observed + slack), draws, generator)
    return (1 + reached) / (1 + draws), (reached - beyond) / (1 + draws)


def _signed_sums(d: FloatArray) -> FloatArray:
    """Sums under every sign vector with the first sign fixed: the other half mirrors them."""
    sums = d[:1]
    for value in d[1:]:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _random_hits(
    d: FloatArray, limits: tuple[float, float], draws: int, generator: np.random.Generator
) -> tuple[int, int]:
    """Hits of each limit among random sign vectors; equal sizes share one binomial draw of how many are positive."""
    sizes, counts = np.unique(np.abs(d), return_counts=True)
    block = max(1, 2_000_000 // sizes.size)
    near = far = 0
    for start in range(0, draws, block):
        positive = generator.binomial(counts, 0.5, size=(min(block, draws - start), sizes.size))
        sums = np.abs((2.0 * positive - counts) @ sizes)
        near += int(np.sum(sums >= limits[0]))
        far += int(np.sum(sums >= limits[1]))
    return near, far
