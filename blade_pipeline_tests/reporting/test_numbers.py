"""Numbers as a report writes them."""

import math

from blade_pipeline.reporting.numbers import (
    count,
    decimal,
    distance,
    finite,
    level,
    percent,
    plural,
    points,
    probability,
    share,
    size,
)


def test_a_share_carries_both_its_numbers() -> None:
    # 42 / 48 = 0.875
    assert share(42, 48, "rollouts") == "87.5% (42 of 48 rollouts)"
    assert share(0, 0, "rollouts") == "no rollouts to take a share of"


def test_unknown_is_said() -> None:
    assert percent(None) == "unknown"
    assert percent(math.nan) == "unknown"
    assert points(None) == distance(None) == decimal(None) == probability(None) == count(None) == "unknown"


def test_differences_carry_their_sign_and_zero_has_none() -> None:
    assert points(0.031) == "+3.1 points"
    assert points(-0.12) == "-12.0 points"
    assert points(0.0001) == "0.0 points"
    assert points(-0.0001) == "0.0 points"
    assert distance(0.19) == "19.0 points"


def test_small_forms() -> None:
    assert count(1234) == "1234"
    assert count(48000) == "48,000"
    assert decimal(3.10, 2) == "3.1"
    assert level(0.95) == "95%"
    assert probability(0.00001) == "p < 0.001"
    assert probability(0.61) == "p = 0.610"
    assert plural(1, "task") == "1 task"
    assert plural(0, "task") == "0 tasks"
    assert size(999) == "999 bytes"
    assert size(40312) == "40.3 KB"


def test_finite_replaces_what_json_cannot_hold() -> None:
    assert finite({"a": math.nan, "b": [math.inf, 1.5], "c": (2, None)}) == {
        "a": None,
        "b": [None, 1.5],
        "c": [2, None],
    }
