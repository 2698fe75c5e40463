"""Scores and differences as sentences tell them: percent and points for pass rates, else plain numbers."""

from collections.abc import Sequence

from blade_pipeline import rounding
from blade_pipeline.rounding import rounded

PERCENT = "pass@1"
TOLD = 3
"""Slices, modes or tools that a sentence names; further ones are counted."""
_SHARES = ("pass@", "pass^", "majority@")


def is_share(metric: str) -> bool:
    """Whether a metric is a share of tasks, which is told in percent."""
    return metric.startswith(_SHARES)


def score_text(value: float, metric: str) -> str:
    """A score: a percentage for pass rates, else a plain number of three decimals."""
    return rounding.percent(value) if is_share(metric) else rounded(value, 3).rstrip("0").rstrip(".")


def signed(value: float | None, metric: str) -> str:
    """A difference with its sign: in points for pass rates, else as a plain number of three decimals."""
    if value is None:
        return "no common score"
    if is_share(metric):
        return f"{rounding.signed(100 * value, 1)} points"
    return rounding.signed(value, 3).rstrip("0").rstrip(".")


def size(value: float, metric: str) -> str:
    """The size of a difference, without a sign."""
    return signed(abs(value), metric).removeprefix("+")


def listed(parts: Sequence[str], noun: str) -> str:
    """The first of what moved, and how many further ones did."""
    left = len(parts) - TOLD
    rest = f"; {left} further {noun}{'s' * (left > 1)} moved" if left > 0 else ""
    return "; ".join(parts[:TOLD]) + rest
