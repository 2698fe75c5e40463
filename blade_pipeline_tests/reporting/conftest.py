"""The browser of the tests that look at pages."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from blade_pipeline_tests.conftest import unavailable
from blade_pipeline_tests.reporting.browsing import FLAGS, LONGEST_WAIT_MS


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        unavailable("needs Chromium: install Debian's package chromium, or Google Chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS, timeout=LONGEST_WAIT_MS)
        yield browser
        browser.close()
