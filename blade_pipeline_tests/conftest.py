"""Fixtures that every room's tests share."""

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of specifications, worked cases and real runs beside the checkout (``BLADE_SHARED`` overrides)."""
    folder = Path(os.environ.get("BLADE_SHARED", PROJECT.parent / "shared"))
    if not (folder / "README.md").exists():
        pytest.skip(f"needs the shared folder of worked cases at {folder} (set BLADE_SHARED)")
    return folder
