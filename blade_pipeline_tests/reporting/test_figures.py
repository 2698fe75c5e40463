"""Drawings that fit into a page: no ids, no addresses, colours from the page, the same bytes every time."""

import re

import pytest

from blade_pipeline.reporting.figures import accounting_bar, counts_bar, curves, interval_plot, trend

DRAWINGS = {
    "accounting": lambda: accounting_bar([("measured", 36), ("masked", 5), ("missing", 7)]),
    "intervals": lambda: interval_plot(
        [("new tasks", 0.5, 0.2, 0.8, "new tasks"), ("bounds", None, 0.4, 0.6, "bounds")]
    ),
    "curves": lambda: curves([(1, 0.5, "pass@k"), (2, 0.6, "pass@k"), (1, 0.5, "pass^k"), (2, 0.4, "pass^k")]),
    "counts": lambda: counts_bar([("<b>wrong</b>", 11, 17), ("limit", 6, 17)]),
    "trend": lambda: trend([(1, "pass@1", 0.5, 0.4, 0.6), (2, "pass@1", 0.6, None, None), (2, "mask rate", 0.1, 0, 1)]),
}


@pytest.mark.parametrize("kind", sorted(DRAWINGS))
def test_a_drawing_is_inert_and_repeatable(kind: str) -> None:
    svg = DRAWINGS[kind]()
    assert svg == DRAWINGS[kind]()
    assert svg.startswith("<svg ")
    assert not re.search(r"\bid=|url\(|://|<script|<b>|style=|xlink", svg)


def test_colours_follow_the_page() -> None:
    svg = DRAWINGS["accounting"]()
    assert "var(--pass)" in svg
    assert not re.search(r'(fill|stroke)="#(?!0000)', svg)


def test_every_bar_keeps_its_proportion() -> None:
    # 36, 5 and 7 of 48 on an axis of 320 pixels: 240, 33.3 and 46.7
    widths = [float(width) for width in re.findall(r'd="M[\d.]+,[\d.]+h([\d.]+)v26', DRAWINGS["accounting"]())]
    assert widths == pytest.approx([240, 33.3, 46.7], abs=0.1)


def test_points_of_unknown_estimates_are_left_out() -> None:
    circles = re.findall(r'<path [^>]*d="[^"]*A[^"]*"', DRAWINGS["intervals"]())
    assert len(circles) == 1


def test_a_trend_spans_the_known_intervals_of_pass_at_1_alone() -> None:
    """0.4 to 0.6 on an axis of 180 pixels from 0 to 1: from 108 down to 72."""
    spans = re.findall(
        r'<line transform="translate\([\d.]+,([\d.]+)\)" x2="0" y2="(-?[\d.]+)"[^>]*stroke-width="3"',
        DRAWINGS["trend"](),
    )
    assert [(float(at), float(to)) for at, to in spans] in ([(108, -36)], [(72, 36)])


def test_long_labels_that_differ_at_the_end_stay_apart() -> None:
    start = "a-very-long-run-name-of-one-family-of-models"
    svg = counts_bar([(f"{start}-seed1", 1, 3), (f"{start}-seed2", 2, 3), (f"{start}-seed2", 3, 3)])
    # 26 characters: the first 12, an ellipsis, the last 13
    labels = [f"a-very-long-…-models-seed{n}" for n in ("1", "2", "2 (2)")]
    assert re.findall(r">(a-very[^<]*)<", svg) == labels
