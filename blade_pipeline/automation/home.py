"""Finds the folder where Dagster keeps its event log, and opens it."""

import os
from importlib.resources import files
from pathlib import Path

import dagster as dg

from blade_pipeline.models import UsageProblem
from blade_pipeline.storage import Store

CONFIG = "dagster.yaml"


def dagster_home(store: str) -> Path:
    """``DAGSTER_HOME`` as set; else the current folder when it holds a dagster.yaml; else a folder of the store.

    The last is made when it is missing, with the settings that this package ships; beside a store that is no folder it
    lies in the current one.

    Raises:
        UsageProblem: ``DAGSTER_HOME`` names no folder.
    """
    named = os.environ.get("DAGSTER_HOME")
    if named:
        if not Path(named).expanduser().is_dir():
            raise UsageProblem(f"DAGSTER_HOME names {named}, which is no folder; create it or unset the variable.")
        return Path(named).expanduser().resolve()
    if Path(CONFIG).is_file():
        return Path.cwd()
    opened = Store(store)
    home = (Path(opened.root) if opened.local else Path.cwd()) / ".dagster"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / CONFIG).exists():
        (home / CONFIG).write_text(shipped_config(), encoding="utf-8")
    return home.resolve()


def shipped_config() -> str:
    """The instance settings that this package recommends."""
    return (files("blade_pipeline.automation") / CONFIG).read_text(encoding="utf-8")


def open_instance(store: str) -> dg.DagsterInstance:
    """The Dagster instance that belongs to a store."""
    return dg.DagsterInstance.from_config(str(dagster_home(store)))
