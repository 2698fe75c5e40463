"""The pictures of docs/images: ``python -m blade_pipeline_tests.pictures FOLDER`` takes them anew.

FOLDER is new and its path is seen in the pictures. The example runs of the tutorial are written there and analysed;
``blade ui`` then finds one more run by itself. Look at each, and reduce it to 64 colours before it is committed.
"""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from blade_pipeline.assets.settings import Settings
from blade_pipeline.automation.analysis import analyse
from blade_pipeline.example import write_example
from blade_pipeline.example.stories import STORIES, write_story
from blade_pipeline_tests.automation.test_server import blade_ui, wait_for
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.processes import Webserver

REPORTS = {
    "report": "data/store/reports/ledger_math/lumen-30b/report.html",
    "benchmark": "data/store/reports/ledger_math/index.html",
}
PAGES = {
    "sensor": "/locations/blade_pipeline.definitions/sensors/run_directory_sensor",
    "run": "/runs/{run}",
    "asset": "/assets/blade_report?view=partitions&partition=ledger_math%7Clumen-30b",
    "ranking": "/assets/benchmark_report?view=partitions&partition=shop_tools",
    "plots": "/assets/blade_report?view=overview",
    "checks": "/assets/coverage?view=checks",
    "graph": "/asset-groups",
}
RUNS = "{ runsOrError(limit: 1) { ... on Runs { results { runId } } } }"
SIZE = {"width": 1300, "height": 850}
SETTLED_MS = 30_000


def take(folder: Path) -> None:
    """Writes every picture; takes about eight minutes."""
    write_example(folder / "data/runs", tasks=24, repeats=4, models=3)
    shutil.copytree(PROJECT / "data/benchmarks", folder / "data/benchmarks")
    os.chdir(folder)
    assert analyse(Settings.from_environment()).errors == []
    server = blade_ui(folder)
    try:
        wait_for(server.answers, 600, server)
        run = write_story(folder / "data/story", STORIES["category-mode"], tasks=60, repeats=4, seed=7)
        shutil.move(run.parent, folder / "data/runs")
        wait_for((folder / "data/store/reports/records_desk/index.html").exists, 900, server)
        _photograph(folder, server)
    finally:
        server.stop()


def _photograph(folder: Path, dagster: Webserver) -> None:
    [run] = dagster.ask(RUNS)["runsOrError"]["results"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        shop = f"file://{folder}/data/store/reports/shop_tools/index.html#trend"
        _save(browser.new_page(viewport=SIZE), "trend", shop, _settle)
        for name, place in REPORTS.items():
            _save(browser.new_page(viewport=SIZE), name, f"file://{folder}/{place}", _settle)
        for name, place in PAGES.items():
            address = dagster.address + place.format(run=run["runId"])
            _save(browser.new_page(viewport=SIZE), name, address, _plots if name == "plots" else _settle)
        browser.close()


def _settle(page: Page) -> None:
    page.wait_for_timeout(SETTLED_MS)


def _plots(page: Page) -> None:
    page.set_viewport_size({"width": 1800, "height": 1150})
    page.get_by_text("Plots", exact=True).first.click()
    _settle(page)


def _save(page: Page, name: str, address: str, prepare: Callable[[Page], None]) -> None:
    page.set_default_timeout(180_000)
    page.goto(address)
    prepare(page)
    page.screenshot(path=PROJECT / f"docs/images/{name}.png")
    page.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]).resolve())
