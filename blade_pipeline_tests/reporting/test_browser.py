"""The page in a real browser: what it finds, sorts and opens, whom it serves, and what it never does."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from blade_pipeline.reporting import build_report
from blade_pipeline_tests.reporting.browsing import DARK, PHONE, Opened, open_page, serious
from blade_pipeline_tests.reporting.parts import aligned, tables
from blade_pipeline_tests.reporting.reading_sample import reading_run
from blade_pipeline_tests.reporting.samples import mixed_run

pytestmark = pytest.mark.browser


@cache
def report() -> bytes:
    return build_report(reading_run())["report.html"]


@cache
def long_report() -> bytes:
    """250 tasks of two repeats: every fifth passes, the others fail."""
    patterns = ["PP" if task % 5 == 0 else "FF" for task in range(250)]
    buckets = ["always_pass" if pattern == "PP" else "always_fail" for pattern in patterns]
    per_task, outcome, modes = tables(patterns, buckets)
    run = replace(
        mixed_run(), per_task=per_task, buckets=outcome, modes_table=modes, aligned=aligned(patterns, True, None)
    )
    return build_report(run)["report.html"]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    found = open_page(browser, tmp_path, report())
    yield found
    assert found.complaints == []
    assert [url for url in found.requests if not url.startswith("file:")] == []
    found.page.context.close()


@pytest.mark.parametrize(
    ("by", "option", "left"),
    [
        ("Bucket", "sometimes pass", {"3", "4", "5", "6"}),
        ("Failure mode", "output_limit", {"8", "9"}),
        ("Root cause", "KG", {"7"}),
        ("Slice", "topic = sums", {"1", "3", "5", "7", "9", "11"}),
        ("Against baseline", "gained", {"3"}),
        ("Against baseline", "lost", {"4"}),
        ("Against baseline", "not in the baseline", {"10", "11"}),
    ],
)
def test_each_filter_leaves_its_tasks(opened: Opened, by: str, option: str, left: set[str]) -> None:
    assert opened.shown == "12 of 12 shown"
    opened.choose(by, option)
    assert set(opened.tasks()) == left
    assert opened.shown == f"{len(left)} of 12 shown"


def test_filters_and_search_narrow_each_other_and_can_be_cleared(opened: Opened) -> None:
    opened.choose("Bucket", "sometimes pass")
    opened.choose("Slice", "topic = sums")
    assert set(opened.tasks()) == {"3", "5"}
    opened.page.get_by_role("searchbox").fill("PPFM")
    assert opened.tasks() == ["5"]
    opened.page.get_by_role("button", name="Clear").click()
    assert opened.shown == "12 of 12 shown"


def test_headings_sort_by_the_keyboard_and_say_so(opened: Opened) -> None:
    change = opened.heading("Change")
    change.focus()
    outline = "element => getComputedStyle(element).outlineStyle"
    opened.page.keyboard.press("Shift+Tab")
    opened.page.keyboard.press("Tab")
    assert change.evaluate(outline) != "none"
    opened.page.keyboard.press("Enter")
    cell = opened.page.locator("[data-tasks] th[aria-sort]")
    assert cell.get_attribute("aria-sort") == "ascending"
    assert opened.tasks()[:3] == ["11", "10", "4"]
    opened.page.keyboard.press("Enter")
    assert cell.get_attribute("aria-sort") == "descending"
    assert opened.tasks()[0] == "3"
    opened.heading("Task").click()
    assert opened.tasks() == [str(task) for task in range(12)]
    assert cell.count() == 1


def test_a_passing_and_a_failing_rollout_lie_side_by_side_in_order(opened: Opened) -> None:
    button = opened.page.get_by_role("button", name="Read rollouts: Task 3")
    button.focus()
    opened.page.keyboard.press("Enter")
    dialog = opened.page.get_by_role("dialog", name="Task 3")
    sides = dialog.locator(".side")
    assert sides.locator("h4").all_inner_texts() == ["Passing: rollout 3-passing", "Failing: rollout 3-failing"]
    left, right = (sides.nth(place).bounding_box() for place in (0, 1))
    assert left is not None
    assert right is not None
    assert (left["y"], left["x"] < right["x"]) == (right["y"], True)
    assert sides.nth(1).locator(".step").all_inner_texts() == [
        "1. message user\n12 characters",
        "2. tool call guess\n7 characters, completed\nthey part here",
        "3. tool output guess\n30 characters\nlooks like an error",
        "4. 17 steps left out",
        "21. message assistant\n15 characters, completed",
    ]
    assert sides.nth(0).locator("pre").all_inner_texts()[2] == "first line\nsecond line"
    assert "rollouts.jsonl line 12, byte 345, score 1, completed" in sides.nth(0).inner_text()
    opened.page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert button.evaluate("element => element === document.activeElement")


def test_the_button_stands_beside_the_id_of_its_task(opened: Opened) -> None:
    cell = opened.page.locator("[data-tasks] tbody tr > :first-child", has=opened.page.locator(".read")).first
    cell.evaluate("cell => { cell.querySelector('code').textContent = '10'; }")
    name, button = (cell.locator(part).bounding_box() for part in ("code", ".read"))
    assert name is not None
    assert button is not None
    assert button["x"] > name["x"]
    assert button["y"] < name["y"] + name["height"]


def test_a_task_without_a_passing_rollout_opens_the_failing_one(opened: Opened) -> None:
    assert opened.page.get_by_role("button", name="Read rollouts:").count() == 2
    opened.page.get_by_role("button", name="Read rollouts: Task 7").click()
    assert opened.page.locator("dialog .side h4").all_inner_texts() == ["Failing: rollout 7-failing"]
    assert "2 of 12 tasks can be opened" in opened.page.locator("#task-outcome-buckets").inner_text()


def test_many_tasks_come_in_pages_and_are_found_from_any(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, long_report())
    assert opened.shown == "250 of 250 shown, rows 1 to 100 on this page"
    on, back = (opened.page.get_by_role("button", name=name) for name in ("Next page", "Previous page"))
    assert back.is_disabled()
    on.click()
    on.click()
    assert opened.shown == "250 of 250 shown, rows 201 to 250 on this page"
    assert len(opened.tasks()) == 50
    assert on.is_disabled()
    opened.choose("Bucket", "always pass")
    assert opened.tasks() == [str(task) for task in range(0, 250, 5)]
    assert opened.shown == "50 of 250 shown"
    opened.page.context.close()


def test_without_scripts_the_first_page_is_a_plain_table(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, long_report(), java_script_enabled=False)
    assert len(opened.tasks()) == 100
    assert "The first 100 of 250 rows" in opened.page.locator("#task-outcome-buckets").inner_text()
    assert not opened.page.locator(".tools").first.is_visible()
    opened.page.context.close()


@pytest.mark.parametrize("settings", [{}, DARK, PHONE], ids=["light", "dark", "phone"])
def test_axe_finds_nothingserious(browser: Browser, tmp_path: Path, settings: dict[str, Any]) -> None:
    opened = open_page(browser, tmp_path, report(), **settings)
    assert serious(opened) == []
    opened.page.get_by_role("button", name="Read rollouts: Task 3").click()
    assert serious(opened) == []
    opened.page.context.close()


def test_axe_would_find_a_picture_without_words(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, report().replace(b"<main>", b'<main><img src="data:,">'))
    assert serious(opened) == ["image-alt"]
    opened.page.context.close()


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, report(), **PHONE)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
    opened.page.get_by_role("button", name="Read rollouts: Task 3").click()
    assert opened.page.evaluate("document.querySelector('dialog').scrollWidth") <= 390
    opened.page.context.close()


def test_print_opens_what_is_folded_and_clips_nothing(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, report())
    folds = opened.page.locator("details")
    assert folds.count() > 0
    assert opened.page.locator("details[open]").count() == 0
    opened.page.pdf(path=str(tmp_path / "report.pdf"))
    assert opened.page.locator("details[open]").count() == folds.count()
    opened.page.emulate_media(media="print")
    styles = "all => all.map((e) => getComputedStyle(e)).map((s) => [s.overflowX, s.maxHeight].join())"
    assert set(opened.page.locator(".scroll").evaluate_all(styles)) == {"visible,none"}
    opened.page.context.close()


def test_print_holds_every_row_that_the_filters_leave(browser: Browser, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, long_report())
    count = "document.querySelectorAll('[data-tasks] tbody tr').length"
    opened.page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = {count} }})")
    opened.page.get_by_role("button", name="Next page").click()
    opened.page.pdf(path=str(tmp_path / "all.pdf"))
    assert opened.page.evaluate("window.printed") == 250
    assert opened.shown == "250 of 250 shown, rows 101 to 200 on this page"
    opened.choose("Bucket", "never pass")
    opened.page.pdf(path=str(tmp_path / "failed.pdf"))
    assert opened.page.evaluate("window.printed") == 200
    opened.page.context.close()


HOSTILE = [
    "<script>window.struck=1</script>",
    "</script><script>window.struck=1</script><!--",
    "<img src=x onerror=window.struck=1>",
    "\"'><svg onload=window.struck=1>",
    "</template></dialog></table><img src=x onerror='window.struck=1'>",
    "{{7*7}} ${7*7} {% raw %}",
    "line\u2028separator \u202edesrever\u2066",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(browser: Browser, tmp_path: Path, text: str) -> None:
    """Without its policy, so that nothing but the escaping stands between the text and a script."""
    opened = open_page(browser, tmp_path, build_report(_named(text))["report.html"], bypass_csp=True)
    opened.page.get_by_role("button", name="Read rollouts").first.click()
    said = opened.page.locator("dialog .side pre").last.inner_text()
    assert said == text.replace("\u2028", "[U+2028]").replace("\u202e", "[U+202E]").replace("\u2066", "[U+2066]")
    opened.page.keyboard.press("Escape")
    opened.choose("Failure mode", "output_limit")
    assert opened.shown == "2 of 12 shown"
    assert opened.page.evaluate("window.struck") is None
    assert [url for url in opened.requests if not url.startswith("file:///") or url.endswith("/x")] == []
    assert "49" not in opened.page.locator("dialog").inner_text()
    opened.page.context.close()


def test_a_script_that_got_out_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    leaking = report().replace(b"<main>", b"<main><img src=x onerror=window.struck=1>")
    opened = open_page(browser, tmp_path, leaking, bypass_csp=True)
    opened.page.wait_for_function("window.struck === 1")
    assert any(url.endswith("/x") for url in opened.requests)
    opened.page.context.close()
    held = open_page(browser, tmp_path, leaking)
    held.page.wait_for_load_state("load")
    assert held.page.evaluate("window.struck") is None
    assert any("Content Security Policy" in words for words in held.complaints)
    held.page.context.close()


def _named(text: str) -> Any:
    """The run with the text as what rollouts say, and in the name of task 3."""
    run = reading_run(text)
    changed = {
        name: _renamed(getattr(run, name), text)
        for name in ("per_task", "buckets", "aligned", "modes_table", "paired", "excerpts")
    }
    return replace(run, **changed)


def _renamed(table: Any, text: str) -> Any:
    rows = [row | {"task": text} if row["task"] == "3" else row for row in table.to_pylist()]
    return type(table).from_pylist(rows, schema=table.schema)
