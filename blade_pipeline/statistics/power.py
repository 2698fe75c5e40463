"""What a comparison could have seen: noise floor, detectable effect, tasks and repeats needed."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from blade_pipeline.statistics._arrays import Values, floats, mean, paired, variance
from blade_pipeline.statistics._distributions import t_quantile, z_quantile
from blade_pipeline.statistics.interval import flat


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """How far two runs of equally good systems fall apart on the same tasks by the luck of the repeats.

    Attributes:
        sd: standard deviation of that difference.
        band95: half width of the band that holds it in 95% of cases.
        expected_abs: its expected absolute value, sqrt(2/pi) sd.
    """

    sd: float
    band95: float
    expected_abs: float

    def as_dict(self) -> dict[str, float]:
        """Return the fields as a JSON-able dict."""
        return flat(self)


@dataclass(frozen=True, slots=True)
class Omega2:
    """Variance of the true task-specific differences.

    Attributes:
        value: estimate, never below 0; null for fewer than two tasks.
        clamped: the estimate was negative and was set to 0: no task-specific effect is visible.
        var_d: variance (ddof 1) of the observed differences.
        noise: part of it that repeats explain.
    """

    value: float | None
    clamped: bool
    var_d: float | None
    noise: float

    def as_dict(self) -> dict[str, float | bool | None]:
        """Return the fields as a JSON-able dict."""
        return flat(self)


def noise_floor(sigma2_a: float, k_a: float, sigma2_b: float, k_b: float, n: int) -> NoiseFloor:
    """Noise of a difference between equally good systems: sqrt((sigma2_A/K_A + sigma2_B/K_B)/n).

    Miller 2024, "Adding Error Bars to Evals"; Wang 2025 calls it prediction noise.

    Args:
        sigma2_a: mean within-task variance of run A.
        k_a: repeats per task of run A (a harmonic mean when unequal).
        sigma2_b: of run B; the same as A's for a re-run of one system.
        k_b: repeats per task of run B.
        n: common tasks.
    """
    sd = math.sqrt((sigma2_a / k_a + sigma2_b / k_b) / n)
    return NoiseFloor(sd, z_quantile(0.975) * sd, math.sqrt(2 / math.pi) * sd)


def omega2(
    differences: Values,
    sigma2_a: Values | float,
    k_a: Values | float,
    sigma2_b: Values | float,
    k_b: Values | float,
) -> Omega2:
    """Variance of task-specific effects by the method of moments: Var(d) - mean(sigma2_A/K_A + sigma2_B/K_B).

    Miller 2024. ``sigma2`` and ``k`` are one number for all tasks or one per task; the mean over tasks is taken.
    """
    va, ka, vb, kb = paired(sigma2_a, k_a, sigma2_b, k_b)
    noise = mean(va / ka + vb / kb)
    values = floats(differences)
    if values.size < 2:
        return Omega2(None, False, None, noise)
    spread = variance(values)
    return Omega2(max(0.0, spread - noise), spread < noise, spread, noise)


def minimum_detectable_effect(
    omega2: float,
    sigma2_a: float,
    k_a: float,
    sigma2_b: float,
    k_b: float,
    n: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    df: float | None = None,
) -> float:
    """Smallest true difference that the paired t test finds with the given power.

    (t_{1-alpha/2} + t_power) sqrt((omega2 + sigma2_A/K_A + sigma2_B/K_B)/n), with the test's ``df``, n - 1 unless
    given. ``df=math.inf`` is the normal form of Miller 2024, section 5, which promises too much at few tasks. ``k`` may
    be ``math.inf`` for the limit that more repeats approach.
    """
    spread = omega2 + sigma2_a / k_a + sigma2_b / k_b
    return _quantiles(n - 1 if df is None else df, alpha, power) * math.sqrt(spread / n)


def tasks_needed(
    delta: float,
    omega2: float,
    sigma2_a: float,
    k_a: float,
    sigma2_b: float,
    k_b: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    df: float | None = None,
) -> int:
    """Tasks, at least two, for which a true difference ``delta`` is found with the given power.

    The smallest n whose ``minimum_detectable_effect`` is no larger; ``df`` as there.

    Raises:
        ValueError: delta is 0.
    """
    if delta == 0:
        raise ValueError("a difference of 0 can never be detected")
    spread = (omega2 + sigma2_a / k_a + sigma2_b / k_b) / delta**2
    normal = _quantiles(math.inf if df is None else df, alpha, power) ** 2 * spread
    needed = max(2, math.ceil(normal - 1e-9))
    while df is None and _quantiles(needed - 1, alpha, power) ** 2 * spread > needed + 1e-9:
        needed += 1
    return needed


def repeats_needed(
    delta: float, n: int, omega2: float, sigma2_a: float, sigma2_b: float, *, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Repeats per task, the same on both sides, for which ``delta`` is found; null when no number of repeats is enough.

    Solves the detectable-effect formula for K; the task-specific part omega2/n is left over however many repeats.
    """
    room = n * (delta / _quantiles(n - 1, alpha, power)) ** 2 - omega2
    noise = sigma2_a + sigma2_b
    if room <= 0:
        return None
    return max(1, math.ceil(noise / room - 1e-9))


def harmonic_repeats(repeats: Values) -> float:
    """Repeats per task whose reciprocal is the mean reciprocal: what unequal repeats are worth in a mean over tasks."""
    return 1.0 / mean(1.0 / np.maximum(floats(repeats), 1.0))


def _quantiles(df: float, alpha: float, power: float) -> float:
    quantile = z_quantile if math.isinf(df) else partial(t_quantile, df)
    return quantile(1 - alpha / 2) + quantile(power)
