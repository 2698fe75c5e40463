"""Fixtures that every room's tests share."""

import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of specifications, worked cases and real runs beside the checkout (``BLADE_SHARED`` overrides)."""
    folder = Path(os.environ.get("BLADE_SHARED", PROJECT.parent / "shared"))
    if not (folder / "README.md").exists():
        pytest.skip(f"needs the shared folder of worked cases at {folder} (set BLADE_SHARED)")
    return folder


def unavailable(what: str) -> NoReturn:
    """Skip a test whose browser or server is not installed; under ``BLADE_NO_SKIP`` that is a failure."""
    if os.environ.get("BLADE_NO_SKIP"):
        pytest.fail(what)
    pytest.skip(what)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what tests recorded as told: how much they compared."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    for report in reports:
        for name, value in getattr(report, "user_properties", []):
            if name == "told" and report.when == "call":
                terminalreporter.write_line(value)
