"""Opens a page from disk in Chromium and keeps what it asked for and complained about."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from blade_pipeline_tests.processes import LONGEST_WAIT_SECONDS

LONGEST_WAIT_MS = 1000 * LONGEST_WAIT_SECONDS
PHONE = {"viewport": {"width": 390, "height": 800}}
DARK = {"color_scheme": "dark"}
FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync""".split()


@dataclass
class Opened:
    """A page in a window of its own."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def shown(self) -> str:
        """What the task table says of the rows it shows."""
        return self.page.locator(".tools output").inner_text()

    def tasks(self) -> list[str]:
        """The tasks of the rows in the document, from top to bottom."""
        return self.page.locator("[data-tasks] tbody th > code:first-child").all_inner_texts()

    def choose(self, by: str, option: str) -> None:
        """Chooses the option of a filter whose words begin so."""
        select = self.page.get_by_role("combobox", name=by)
        words = select.locator("option").all_text_contents()
        select.select_option(index=next(place for place, text in enumerate(words) if text.startswith(option)))

    def heading(self, title: str) -> Any:
        """The button in the head of a column of the task table."""
        return self.page.locator("[data-tasks] thead").get_by_role("button", name=title, exact=True)


def open_page(browser: Browser, folder: Path, content: bytes, **settings: Any) -> Opened:
    """The page as a file, with the network watched from the first request on."""
    path = folder / "report.html"
    path.write_bytes(content)
    settings = {"viewport": {"width": 1280, "height": 900}} | settings
    opened = Opened(browser.new_context(**settings).new_page())
    opened.page.set_default_timeout(LONGEST_WAIT_MS)
    opened.page.on("request", lambda request: opened.requests.append(request.url))
    opened.page.on("console", lambda message: opened.complaints.append(message.text))
    opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.page.goto(path.as_uri())
    return opened


def serious(opened: Opened) -> list[str]:
    """The rules of axe-core that the page breaks, minor ones left out."""
    found = Axe().run(opened.page).response["violations"]
    return [rule["id"] for rule in found if rule["impact"] in ("serious", "critical", "moderate")]
