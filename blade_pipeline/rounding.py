"""How a number is cut to the decimals that are shown: one rule for every place."""

import math

TIE = 1e-9
"""Added to the size of a number before rounding: a tie goes away from zero, in whatever order it was summed."""


def rounded(value: float, digits: int) -> str:
    """A number with this many decimals, zero without a sign; 23 of 80 is 28.8%, although its float is below 28.75.

    Args:
        value: the finite number, of at most a million, beyond which ``TIE`` is lost in it.
        digits: decimals.
    """
    text = f"{value + math.copysign(TIE, value):.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def percent(value: float, digits: int = 1) -> str:
    """A fraction in percent."""
    return f"{rounded(100 * value, digits)}%"


def signed(value: float, digits: int) -> str:
    """The same with a sign, which zero has not."""
    text = rounded(value, digits)
    return f"+{text}" if float(text) > 0 else text
