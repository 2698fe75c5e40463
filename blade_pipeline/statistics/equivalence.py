"""Showing that two runs do not differ by more than a margin."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from blade_pipeline.statistics._arrays import Values, floats, mean
from blade_pipeline.statistics._distributions import t_quantile, t_upper_tail
from blade_pipeline.statistics.interval import flat
from blade_pipeline.statistics.paired import constant_ends
from blade_pipeline.statistics.score_interval import ROUNDING, Clusters, cluster_se

METHOD = "two one-sided tests"


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Result of two one-sided tests.

    Attributes:
        equivalent: both one-sided hypotheses are rejected at ``alpha``; null when unknown.
        p: the larger of the two one-sided p values; null when unknown.
        mean: mean difference.
        se: its standard error.
        low: lower end of the 1 - 2 alpha interval.
        high: upper end; equivalence is the same as (low, high) inside (-margin, margin).
        margin: the margin, in the unit of the score.
        alpha: level of each one-sided test.
        reason: why something is null.
    """

    equivalent: bool | None
    p: float | None
    mean: float | None
    se: float | None
    low: float | None
    high: float | None
    margin: float
    alpha: float
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict, with what labels the interval."""
        return flat(self) | {"level": 1 - 2 * self.alpha, "method": METHOD, "question": "new_tasks"}


def tost(
    differences: Values,
    margin: float,
    *,
    alpha: float = 0.05,
    clusters: Clusters | None = None,
    proportion: bool = True,
    width: float = 1.0,
) -> Equivalence:
    """Two one-sided paired t tests against a margin fixed beforehand (Schuirmann 1987; Lakens 2017).

    Args:
        differences: B minus A of each common task, shape (tasks,); NaN is left out.
        margin: largest difference that does not matter, above 0.
        alpha: level of each test.
        clusters: family of each task.
        proportion: differences lie in [-width, width]. Used only when all are equal: then the bound is the one-sided
            Clopper-Pearson bound of :func:`paired_difference`, because a spread of 0 on a few tasks proves nothing.
        width: highest minus lowest possible score.

    Raises:
        ValueError: the margin is not above 0.
    """
    if not margin > 0:
        raise ValueError(f"the margin must be above 0, got {margin}")
    values = floats(differences)
    kept = np.isfinite(values)
    d = values[kept]
    names = None if clusters is None else [c for c, keep in zip(clusters, kept.tolist(), strict=True) if keep]
    if not d.size:
        return Equivalence(None, None, None, None, None, None, margin, alpha, "no task was measured in both runs")
    estimate = mean(d)
    se, groups = cluster_se(d, names)
    if math.isnan(se):
        return Equivalence(None, None, estimate, None, None, None, margin, alpha, "one common task or family")
    if se <= ROUNDING * max(1.0, abs(estimate)):
        bounded = proportion and bool(np.all(np.abs(d) <= width))
        return _constant(estimate, groups, margin, alpha, width if bounded else None)
    df = groups - 1
    p = max(t_upper_tail(df, (estimate + margin) / se), t_upper_tail(df, (margin - estimate) / se))
    half = t_quantile(df, 1 - alpha) * se
    return Equivalence(p < alpha, p, estimate, se, estimate - half, estimate + half, margin, alpha)


def _constant(value: float, n: int, margin: float, alpha: float, width: float | None) -> Equivalence:
    if width is None:
        reason = "equal differences of a score without declared range leave the test open"
        return Equivalence(None, None, value, 0.0, None, None, margin, alpha, reason)
    low, high = constant_ends(value, n, alpha, width)
    if abs(value) >= margin:
        return Equivalence(False, 1.0, value, 0.0, low, high, margin, alpha)
    sides = ((margin - value) / (width - value), (margin + value) / (width + value))
    p = max(max(0.0, 1.0 - share) ** n for share in sides)
    return Equivalence(p < alpha, p, value, 0.0, low, high, margin, alpha)
