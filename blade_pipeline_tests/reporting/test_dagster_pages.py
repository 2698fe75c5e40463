"""Dagster's own pages of a hostile run, in a browser, from the read-only webserver of docs/operating.md."""

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.home import open_instance
from blade_pipeline.automation.jobs import reanalyze_everything
from blade_pipeline.gym.naming import safe_name
from blade_pipeline_tests.analysed import PARTS, settings_of
from blade_pipeline_tests.automation.test_server import LAUNCH, REPOSITORY
from blade_pipeline_tests.hostile import FOLDERS, write_hostile
from blade_pipeline_tests.processes import Webserver, wait_until
from blade_pipeline_tests.reporting.browsing import LONGEST_WAIT_MS

pytestmark = [pytest.mark.browser, pytest.mark.server]

BENCHMARK, RUN, _ = map(safe_name, FOLDERS)
PARTITION = f"{BENCHMARK}|{RUN}"


class Site(Webserver):
    """The read-only webserver on a store with one run of the nightly job."""

    def __init__(self, folder: Path) -> None:
        write_hostile(folder / "runs", folder)
        settings = settings_of(folder)
        with open_instance(settings.store) as instance:
            resources = {"workspace": Workspace(**vars(settings))}
            self.run_id = reanalyze_everything.execute_in_process(instance=instance, resources=resources).run_id
            home = instance.root_directory
        command = [sys.executable, "-m", "dagster_webserver", "-h", "127.0.0.1", "--read-only"]
        folders = {f"BLADE_{name.upper()}": str(folder / name) for name in PARTS}
        super().__init__(
            folder, [*command, "-m", "blade_pipeline.definitions", "-p"], {"DAGSTER_HOME": home, **folders}
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.setenv("BLADE_QUIET_SECONDS", "0")
        patch.chdir(folder)
        site = Site(folder)
        try:
            wait_until(site.answers, site.process)
            yield site
        finally:
            site.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Without the pages' policy, so that nothing but escaping stands between a text and a script."""
    opened = browser.new_context(viewport={"width": 1500, "height": 2500}, bypass_csp=True).new_page()
    opened.set_default_timeout(LONGEST_WAIT_MS)
    yield opened
    opened.context.close()


SHOWN = {
    "expected_rollouts": (PARTITION, "window.struck=1"),
    "failure_modes": (PARTITION, "window.struck=1"),
}
"""Assets whose pages show names from data: their partition, and what must stand there as text."""


def test_pages_show_names_as_text(site: Site, page: Page) -> None:
    asked, dialogs = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for asset, (partition, text) in SHOWN.items():
        page.goto(f"{site.address}/assets/{asset}?view=partitions&partition={quote(partition)}")
        page.get_by_text("blade/inputs").filter(visible=True).first.wait_for()
        shown = page.locator("body").inner_text()
        assert text in shown, asset
        assert page.evaluate("window.struck") is None, asset
        assert not {"\x1b", "\x9b", "\u202e"} & set(shown), asset
    assert dialogs == []
    assert [url for url in asked if not url.startswith((site.address, "data:", "blob:"))] == []
    assert [url for url in asked if url.endswith("/x")] == []


def test_the_read_only_webserver_launches_nothing(site: Site) -> None:
    params = {
        "selector": {**REPOSITORY, "pipelineName": "reanalyze_everything"},
        "runConfigData": {},
        "mode": "default",
    }
    assert site.ask(LAUNCH, params=params) == {"launchPipelineExecution": {"__typename": "UnauthorizedError"}}
    asked = site.ask("{ runsOrError { ... on Runs { results { runId } } } }")
    assert asked["runsOrError"]["results"] == [{"runId": site.run_id}]
