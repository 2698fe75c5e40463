"""Dagster's own pages of a hostile run, in a browser, from the read-only webserver of docs/operating.md."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests
from playwright.sync_api import Browser, Page

from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.home import open_instance
from blade_pipeline.automation.jobs import reanalyze_everything
from blade_pipeline.gym.naming import safe_name
from blade_pipeline_tests.automation.test_server import LAUNCH, REPOSITORY, free_port
from blade_pipeline_tests.hostile import FOLDERS, write_hostile

pytestmark = [pytest.mark.browser, pytest.mark.server]

BENCHMARK, RUN, _ = map(safe_name, FOLDERS)
PARTITION = f"{BENCHMARK}|{RUN}"


class Site:
    """The read-only webserver on a store with one run of the nightly job."""

    def __init__(self, folder: Path) -> None:
        write_hostile(folder / "runs", folder)
        names = ("runs", "store", "profiles", "references", "labels")
        settings = Settings(*(str(folder / name) for name in names))
        with open_instance(settings.store) as instance:
            resources = {"workspace": Workspace(**vars(settings))}
            self.run_id = reanalyze_everything.execute_in_process(instance=instance, resources=resources).run_id
            self.home = instance.root_directory
        port = str(free_port())
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "dagster_webserver", "-h", "127.0.0.1", "-p", port, "--read-only"]
        self.process = subprocess.Popen(
            [*command, "-m", "blade_pipeline.definitions"],
            cwd=folder,
            env={**os.environ, "DAGSTER_HOME": self.home, **{f"BLADE_{n.upper()}": str(folder / n) for n in names}},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        answer = requests.post(f"{self.address}/graphql", json={"query": query, "variables": variables}, timeout=60)
        answer.raise_for_status()
        return dict(answer.json()["data"])

    def answers(self) -> bool:
        try:
            return bool(self.ask("{ version }"))
        except requests.RequestException:
            return False

    def stop(self) -> None:
        """Ends the process that was started, and waits until it has ended its own."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.setenv("BLADE_QUIET_SECONDS", "0")
        patch.chdir(folder)
        site = Site(folder)
        try:
            while not site.answers():
                assert site.process.poll() is None
                time.sleep(0.5)
            yield site
        finally:
            site.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Without the pages' policy, so that nothing but escaping stands between a text and a script."""
    opened = browser.new_context(viewport={"width": 1500, "height": 2500}, bypass_csp=True).new_page()
    opened.set_default_timeout(180_000)
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
