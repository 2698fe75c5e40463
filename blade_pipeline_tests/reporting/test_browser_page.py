"""The page of a benchmark in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from blade_pipeline.method.comparison.pairs import Pairs
from blade_pipeline.reporting import build_benchmark_page
from blade_pipeline_tests.reporting.browsing import DARK, PHONE, open_page, serious
from blade_pipeline_tests.reporting.test_browser import HOSTILE
from blade_pipeline_tests.reporting.test_page import pair, row

pytestmark = pytest.mark.browser


def page(first: str = "a") -> bytes:
    pairs = [
        pair(first, "b", "model_change", 0.2),
        pair(first, "c", "not_comparable", -0.1),
        pair("b", "c", "no_detectable_change", -0.3),
    ]
    board = {"leaderboard": [row("b", 0.7), row(first, 0.5), row("c", 0.4)], "sentence": "One pair can be ordered."}
    return build_benchmark_page("sums", Pairs.of(pairs), board, [{"run": first, "gone": True}])["index.html"]


@pytest.mark.parametrize("settings", [{}, DARK, PHONE], ids=["light", "dark", "phone"])
def test_axe_finds_nothing_serious_with_every_fold_open(
    browser: Browser, tmp_path: Path, settings: dict[str, Any]
) -> None:
    opened = open_page(browser, tmp_path, page(), **settings)
    opened.page.locator("details").evaluate_all("all => all.forEach((fold) => { fold.open = true; })")
    assert serious(opened) == []
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith("file:")] == []
    opened.page.context.close()


def test_pairs_are_filtered_by_verdict_and_sorted_by_difference(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, page())
    rows = opened.page.locator("[data-tasks] tbody tr")
    assert opened.shown == "3 of 3 shown"
    opened.heading("Difference").click()
    assert [" ".join(text.split()[:2]) for text in rows.all_inner_texts()] == ["b c", "a c", "a b"]
    opened.choose("Verdict", "Not comparable")
    assert [" ".join(text.split()[:2]) for text in rows.all_inner_texts()] == ["a c"]
    assert opened.shown == "1 of 3 shown"
    opened.page.context.close()


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, page("a-run-whose-name-is-as-long-as-names-of-runs-get-in-practice"), **PHONE)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
    opened.page.context.close()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_run_name_stays_text(browser: Browser, tmp_path: Path, text: str) -> None:
    """Without its policy, so that nothing but the escaping stands between the name and a script."""
    opened = open_page(browser, tmp_path, page(text), bypass_csp=True)
    said = opened.page.locator("table").first.inner_text()
    assert text.replace("\u2028", "[U+2028]").replace("\u202e", "[U+202E]").replace("\u2066", "[U+2066]") in said
    assert opened.page.evaluate("window.struck") is None
    assert [url for url in opened.requests if not url.startswith("file:///") or url.endswith("/x")] == []
    opened.page.context.close()
