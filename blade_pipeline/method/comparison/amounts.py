"""Scores and differences in the unit of their metric: percent and points for pass rates, else plain numbers."""

PERCENT = "pass@1"
_SHARES = ("pass@", "pass^", "majority@")


def is_share(metric: str) -> bool:
    """Whether a metric is a share of tasks, which is told in percent."""
    return metric.startswith(_SHARES)


def score_text(value: float, metric: str) -> str:
    """A score: a percentage for pass rates, else a plain number of three decimals."""
    return f"{value:.1%}" if is_share(metric) else f"{value:.3f}".rstrip("0").rstrip(".")


def signed(value: float | None, metric: str) -> str:
    """A difference with its sign: in points for pass rates, else as a plain number of three decimals."""
    if value is None:
        return "no common score"
    text = f"{value * 100:+.1f}" if is_share(metric) else f"{value:+.3f}".rstrip("0").rstrip(".")
    text = text[1:] if float(text) == 0.0 else text
    return f"{text} points" if is_share(metric) else text


def size(value: float, metric: str) -> str:
    """The size of a difference, without a sign."""
    return signed(abs(value), metric).removeprefix("+")
