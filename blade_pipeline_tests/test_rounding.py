"""Numbers as they are shown, against decimal arithmetic on the fraction itself."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade_pipeline.method.comparison.amounts import score_text
from blade_pipeline.method.facts import percent, shown_percent
from blade_pipeline.method.sql import records
from blade_pipeline.reporting.numbers import percent as percent_text
from blade_pipeline.rounding import rounded, signed


@given(st.integers(0, 3_000), st.integers(1, 3_000))
def test_a_share_is_rounded_as_by_hand(part: int, whole: int) -> None:
    part = min(part, whole)
    exact = Fraction(100 * part, whole)
    by_hand = (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(Decimal("0.1"), ROUND_HALF_UP)
    assert Decimal(rounded(100 * (part / whole), 1)) == by_hand
    assert percent_text(part / whole) == f"{by_hand}%" == score_text(part / whole, "pass@1")
    assert Decimal(str(percent(part, whole))) == by_hand


@pytest.mark.parametrize(("value", "text"), [(28.75, "28.8"), (-28.25, "-28.3"), (-0.04, "0.0"), (0.05, "0.1")])
def test_a_tie_goes_away_from_zero(value: float, text: str) -> None:
    assert rounded(value, 1) == text
    assert signed(value, 1) == (f"+{text}" if value > 0 else text)


@given(st.integers(0, 400), st.integers(1, 400))
def test_a_query_of_a_fact_rounds_as_its_sentence(part: int, whole: int) -> None:
    part = min(part, whole)
    [row] = records(f"select {shown_percent(f'{part}', f'{whole}')} as value")
    assert row["value"] == percent(part, whole)
