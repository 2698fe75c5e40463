"""A difference in the unit of its metric: points for pass rates, else a plain number."""

PERCENT = "pass@1"


def signed(value: float | None, metric: str) -> str:
    """A difference with its sign: in points for pass rates, else as a plain number of three decimals."""
    if value is None:
        return "no common score"
    text = f"{value * 100:+.1f}" if metric == PERCENT else f"{value:+.3f}".rstrip("0").rstrip(".")
    text = text[1:] if float(text) == 0.0 else text
    return f"{text} points" if metric == PERCENT else text


def size(value: float, metric: str) -> str:
    """The size of a difference, without a sign."""
    return signed(abs(value), metric).removeprefix("+")
