"""How much of a score's spread is between tasks and how much is the luck of the repeats."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, Values, mean, paired, total, variance
from blade_pipeline.statistics.within_task import ONE_REPEAT, stratum_sum


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """Variance components of one run; null where the data cannot tell.

    Attributes:
        sigma2_within: mean over tasks of the variance between repeats.
        var_task_means: variance (ddof 1) of the task means, sampling noise included.
        between: variance of the tasks' true means, clamped at 0.
        share_sampling_noise: part of ``var_task_means`` that is the luck of the repeats; may exceed 1 by chance.
        icc: one-way intraclass correlation ICC(1); may be negative by chance.
        design_effect: 1 + (K-1) ICC, at least 1; K is sum K_i^2 / sum K_i with unequal repeats.
        n_eff: rollouts / design effect, the number of independent rollouts worth the same.
        reason: why something is null.
    """

    sigma2_within: float | None
    var_task_means: float | None
    between: float | None
    share_sampling_noise: float | None
    icc: float | None
    design_effect: float | None
    n_eff: float | None
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict."""
        return asdict(self)


def variance_split(task_means: Values, task_variances: Values, n_repeats: Values | int) -> VarianceSplit:
    """Split the variance by the law of total variance and by one-way analysis of variance.

    between = Var(task means) - mean_i(s_i^2/K_i) (Miller 2024; Wang 2025); ICC = (MSB-MSW)/(MSB+(K0-1)MSW) (Shrout
    and Fleiss 1979) with K0 = (N - sum K_i^2/N)/(n-1) for unequal repeats; design effect 1+(K-1)ICC (Kish 1965).

    Args:
        task_means: mean score of each task, shape (tasks,); NaN or 0 repeats leaves the task out.
        task_variances: variance over repeats (ddof 1); ignored where a task has one repeat, which then counts with
            the mean variance of the others.
        n_repeats: measured repeats of each task, or one number for all.
    """
    means, variances, repeats = paired(task_means, task_variances, n_repeats)
    kept = np.isfinite(means) & (repeats >= 1)
    means, variances, repeats = means[kept], variances[kept], repeats[kept]
    n = means.size
    spread = variance(means) if n >= 2 else None
    several = repeats >= 2
    summed = stratum_sum(variances, repeats)
    if summed is None:
        return VarianceSplit(None, spread, None, None, None, None, None, ONE_REPEAT if n else "no task was measured")
    within = mean(variances[several])
    if spread is None:
        return VarianceSplit(within, None, None, None, None, None, None, "one task has no spread between tasks")
    noise = summed.value / n
    icc = _icc(means, variances, repeats)
    rollouts = total(repeats)
    effect = None if icc is None else max(1.0, 1.0 + (total(repeats**2) / rollouts - 1.0) * icc)
    return VarianceSplit(
        sigma2_within=within,
        var_task_means=spread,
        between=max(0.0, spread - noise),
        share_sampling_noise=noise / spread if spread > 0 else None,
        icc=icc,
        design_effect=effect,
        n_eff=None if effect is None else rollouts / effect,
        reason="all rollouts have the same score" if icc is None else None,
    )


def _icc(means: FloatArray, variances: FloatArray, repeats: FloatArray) -> float | None:
    several = repeats >= 2
    rollouts, n = total(repeats), means.size
    grand = total(means * repeats) / rollouts
    between = total(repeats * np.square(means - grand)) / (n - 1)
    within = total((repeats[several] - 1) * variances[several]) / (rollouts - n)
    typical = (rollouts - total(repeats**2) / rollouts) / (n - 1)
    denominator = between + (typical - 1) * within
    return (between - within) / denominator if denominator > 0 else None
