"""Outcome buckets of tasks, with what the unknown rollouts leave open."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.statistics._arrays import Values, paired

NAMES = ("always_pass", "sometimes_pass", "always_fail", "indeterminate", "missing", "masked")
TextArray: TypeAlias = NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Buckets:
    """One entry per task, shape (tasks,).

    Attributes:
        bucket: one of :data:`NAMES`.
        possible: buckets that a completion of the unknown rollouts could still give, joined by ``|``, out of
            always_pass, sometimes_pass and always_fail.
        observed: what the measured rollouts alone would say; empty text when there is none.
    """

    bucket: TextArray
    possible: TextArray
    observed: TextArray

    def counts(self) -> dict[str, int]:
        """Number of tasks per bucket, every bucket named."""
        return {name: int(np.sum(self.bucket == name)) for name in NAMES}


def buckets(
    passed: Values | int, failed: Values | int, unknown: Values | int, masked: Values | int, planned: Values | int
) -> Buckets:
    """Put every task into exactly one bucket.

    A pass and a fail seen: sometimes, whatever is missing. All planned rollouts measured and alike: always. Some
    measured, alike, others unknown: indeterminate (Manski 2003: the label is not identified). None measured: masked
    when every planned rollout was masked, else missing.

    Args:
        passed: measured passes per task, shape (tasks,).
        failed: measured fails per task.
        unknown: planned rollouts without a measurement that are not masked.
        masked: planned rollouts that were masked.
        planned: planned rollouts per task; what the four counts leave over counts as unknown.

    Raises:
        ValueError: a negative count.
    """
    p, f, u, m, total = paired(passed, failed, unknown, masked, planned)
    if bool(np.any(np.minimum.reduce([p, f, u, m]) < 0)):
        raise ValueError("counts cannot be negative")
    u = np.maximum(u, total - p - f - m)
    left_open = u + m
    measured = p + f
    mixed = (p > 0) & (f > 0)
    alike = [(f == 0) & (p > 0), (p == 0) & (f > 0)]
    bucket = np.select(
        [mixed, (measured == 0) & (u == 0) & (m > 0), measured == 0, left_open > 0, alike[0], alike[1]],
        ["sometimes_pass", "masked", "missing", "indeterminate", "always_pass", "always_fail"],
        default="missing",
    )
    observed = np.select([mixed, *alike], ["sometimes_pass", "always_pass", "always_fail"], default="")
    sometimes = mixed | ((left_open > 0) & (measured + left_open >= 2))
    return Buckets(bucket, _joined(f == 0, sometimes, p == 0), observed)


def _joined(always: NDArray[Any], sometimes: NDArray[Any], never: NDArray[Any]) -> TextArray:
    names = ("always_pass", "sometimes_pass", "always_fail")
    texts: TextArray = np.array(["|".join(n for i, n in enumerate(names) if code >> i & 1) for code in range(8)])
    code = always.astype(np.int64) + 2 * sometimes.astype(np.int64) + 4 * never.astype(np.int64)
    return np.asarray(texts[code], dtype=np.str_)
