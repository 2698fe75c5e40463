"""The page in a real browser: its script runs under its own policy."""

import shutil
import subprocess
from pathlib import Path

import pytest

from blade_pipeline.reporting import build_report
from blade_pipeline_tests.conftest import unavailable
from blade_pipeline_tests.reporting.samples import mixed_run

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --enable-logging=stderr --dump-dom""".split()


@pytest.mark.browser
def test_the_task_table_comes_alive_and_nothing_is_refused(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        unavailable("needs Chromium: install Debian's packages chromium and chromium-driver, or Google Chrome")
    page = tmp_path / "report.html"
    page.write_bytes(build_report(mixed_run())["report.html"])
    command = [browser, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "<output>12 of 12 shown</output>" in done.stdout
    assert '<button type="button">Bucket</button>' in done.stdout
    assert "Content Security Policy" not in done.stderr
