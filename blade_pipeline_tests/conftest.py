"""Fixtures that every room's tests share."""

import os
import signal
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings

from blade_pipeline.environment import VARIABLES

PROJECT = Path(__file__).resolve().parent.parent

OTHERS = (
    *("CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR"),
    *("all_proxy", "http_proxy", "https_proxy", "AWS_PROFILE"),
)
"""Variables that the libraries below heed: how a terminal is written to, and how another machine is reached."""

settings.register_profile(
    "gate", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("gate")
"""A change passes or fails by what it changes, on any machine; ``--hypothesis-profile=default`` draws anew."""


def pytest_configure() -> None:
    """Takes settings of whoever starts the tests away, from the tests and from the processes that they start.

    A shell that starts tests in the background has them ignore Ctrl-C, and servers that inherit that end late.
    """
    for name in (*(variable.name for variable in VARIABLES), *OTHERS):
        os.environ.pop(name, None)
        os.environ.pop(name.upper(), None)
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
