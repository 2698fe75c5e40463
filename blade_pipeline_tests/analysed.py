"""A folder with ``runs``, the team's files and the ``store`` that is made of them."""

from pathlib import Path

import pytest

from blade_pipeline.assets.settings import Settings
from blade_pipeline.automation.analysis import analyse

PARTS = ("runs", "store", "profiles", "references", "labels")


def settings_of(folder: Path) -> Settings:
    """The folders of a site, each below one of its own."""
    return Settings(*(str(folder / name) for name in PARTS))


def analysed(folder: Path) -> Path:
    """The folder, when its runs are analysed without error and Dagster's records lie in its store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.chdir(folder)
        assert analyse(settings_of(folder)).errors == []
    return folder
