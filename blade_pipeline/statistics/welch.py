"""Welch's comparison over repeat means, of one benchmark and of a suite of them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from blade_pipeline.statistics._arrays import Values, floats, mean, variance
from blade_pipeline.statistics._distributions import satterthwaite, t_quantile, t_two_sided_p
from blade_pipeline.statistics.interval import Difference, Interval


class SuiteCell(NamedTuple):
    """One benchmark of a suite: its weight and each run's mean per repeat."""

    weight: float
    a: Values
    b: Values


def welch_over_repeats(a_repeat_means: Values, b_repeat_means: Values, *, level: float = 0.95) -> Difference:
    """Mean difference B minus A over whole repeats, tasks fixed (Welch 1947).

    What ``gym eval compare`` shows; right for a re-run on the same tasks, but with K repeats it has about 2K-2 degrees
    of freedom and is needlessly wide for K below 5.

    Args:
        a_repeat_means: run A's mean over tasks of each repeat, shape (repeats,).
        b_repeat_means: run B's.
        level: nominal coverage.

    Returns:
        A difference with question ``these_tasks``, null with the reason for fewer than two repeats on a side.
    """
    return suite_welch([SuiteCell(1.0, a_repeat_means, b_repeat_means)], level=level)


def suite_welch(cells: Sequence[SuiteCell], *, level: float = 0.95) -> Difference:
    """Weighted mean difference over a fixed set of benchmarks, repeats independent.

    sum w (mean_B - mean_A) with variance sum w^2 s^2/n and Welch-Satterthwaite degrees of freedom.

    Args:
        cells: weight and repeat means per benchmark, on one scale; weights are used as given.
        level: nominal coverage.

    Returns:
        As :func:`welch_over_repeats`; ``n`` counts the repeats of all cells. No spread at all: ``se`` 0, ends at the
        estimate, p null (1 when the difference is 0), a note.
    """
    estimate, repeats, method = 0.0, 0, "Welch over repeats"
    terms: list[float] = []
    dfs: list[int] = []
    for cell in cells:
        a, b = (side[np.isfinite(side)] for side in (floats(cell.a), floats(cell.b)))
        repeats += a.size + b.size
        if min(a.size, b.size) < 2:
            reason = "a side has fewer than two repeats"
            empty = Interval(None, None, None, None, level, method, "these_tasks", None, repeats, reason=reason)
            return Difference(empty, None, None)
        estimate += cell.weight * (mean(b) - mean(a))
        terms += [cell.weight**2 * variance(side) / side.size for side in (a, b)]
        dfs += [a.size - 1, b.size - 1]
    squared = math.fsum(terms)
    if squared == 0.0:
        note = "no repeat mean differed from another"
        flat = Interval(estimate, 0.0, estimate, estimate, level, method, "these_tasks", None, repeats, note=note)
        return Difference(flat, None, 1.0 if estimate == 0.0 else None)
    se = math.sqrt(squared)
    df = satterthwaite(floats(terms), floats(dfs))
    half = t_quantile(df, 0.5 + level / 2) * se
    interval = Interval(estimate, se, estimate - half, estimate + half, level, method, "these_tasks", df, repeats)
    return Difference(interval, estimate / se, t_two_sided_p(df, estimate / se))


def welch_of_means(estimate: float, se_a: float, n_a: int, se_b: float, n_b: int, *, level: float = 0.95) -> Interval:
    """Interval of a difference of two independent means from their standard errors (Welch 1947).

    Args:
        estimate: the difference.
        se_a: standard error of one mean.
        n_a: its number of independent units.
        se_b: standard error of the other.
        n_b: its number of units.
        level: nominal coverage.

    Returns:
        An interval with question ``new_tasks``; ends null with the reason when a side has fewer than two units.
    """
    method, n = "Welch, two independent samples of tasks", min(n_a, n_b)
    if n < 2:
        reason = "a side has fewer than two tasks"
        return Interval(estimate, None, None, None, level, method, "new_tasks", None, n, reason=reason)
    squared = se_a**2 + se_b**2
    if squared == 0.0:
        note = "neither side has a spread"
        return Interval(estimate, 0.0, estimate, estimate, level, method, "new_tasks", None, n, note=note)
    df = satterthwaite(floats([se_a**2, se_b**2]), floats([n_a - 1, n_b - 1]))
    half = t_quantile(df, 0.5 + level / 2) * math.sqrt(squared)
    ends = estimate - half, estimate + half
    return Interval(estimate, math.sqrt(squared), *ends, level, method, "new_tasks", df, n)
