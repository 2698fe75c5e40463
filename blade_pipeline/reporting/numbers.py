"""Numbers as a reader meets them: a share never appears without what it is a share of."""

import math
from typing import Any

from blade_pipeline import rounding
from blade_pipeline.rounding import rounded


def finite(value: Any) -> Any:
    """The same JSON value with every NaN and infinity replaced by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def percent(value: float | None) -> str:
    """A fraction as a percentage with one decimal; ``unknown`` for null."""
    if value is None or not math.isfinite(value):
        return "unknown"
    return rounding.percent(value)


def share_range(low: float | None, high: float | None) -> str:
    """``10.2% to 49.5%``; ``none`` where there is no interval."""
    return "none" if low is None or high is None else f"{percent(low)} to {percent(high)}"


def points(value: float | None) -> str:
    """A difference of fractions in signed percentage points."""
    text = distance(value)
    return f"+{text}" if value is not None and value > 0 and not text.startswith("0.0") else text


def distance(value: float | None) -> str:
    """A distance between fractions in percentage points."""
    return "unknown" if value is None or not math.isfinite(value) else f"{rounded(100 * value, 1)} points"


def share(part: float, whole: float, noun: str) -> str:
    """``87.5% (42 of 48 rollouts)``; without a whole there is no percentage."""
    if not whole:
        return f"no {noun} to take a share of"
    return f"{percent(part / whole)} ({count(part)} of {count(whole)} {noun})"


def ratio(part: float, whole: float) -> str:
    """``87.5% (42 of 48)``, where the heading says of what; ``none`` without a whole."""
    return f"{percent(part / whole)} ({count(part)} of {count(whole)})" if whole else "none"


def count(value: float | None) -> str:
    """A whole number, in groups of three from ten thousand on; ``unknown`` for null."""
    if value is None:
        return "unknown"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"


def decimal(value: float | None, digits: int = 3) -> str:
    """A plain number with at most ``digits`` decimals."""
    if value is None or not math.isfinite(value):
        return "unknown"
    text = rounded(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def probability(value: float | None, letter: str = "p") -> str:
    """A p or q value; below one in a thousand only that is said."""
    if value is None:
        return "unknown"
    return f"{letter} < 0.001" if value < 0.001 else f"{letter} = {value:.3f}"


def level(value: float) -> str:
    """A confidence level: ``95%``."""
    return f"{decimal(100 * value, 1)}%"


def size(count_of_bytes: int) -> str:
    """A file size in the largest unit that keeps it at or above one."""
    value = float(count_of_bytes)
    for unit in ("bytes", "KB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"


def plural(number: float, noun: str, many: str = "") -> str:
    """``1 task``, ``2 tasks``."""
    return f"{count(number)} {noun if number == 1 else many or noun + 's'}"
