"""Finds the folder where Dagster keeps its event log, and opens it."""

import os
from importlib.resources import files
from pathlib import Path

import dagster as dg
import yaml

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
    chosen = _chosen_home()
    if chosen is not None:
        return chosen
    home = _own_home(store)
    home.mkdir(parents=True, exist_ok=True)
    if not (home / CONFIG).exists():
        (home / CONFIG).write_text(shipped_config(), encoding="utf-8")
    return home.resolve()


def existing_home(store: str) -> Path | None:
    """The folder that ``dagster_home`` names when Dagster has kept records there, else None; makes nothing.

    Raises:
        UsageProblem: ``DAGSTER_HOME`` names no folder.
    """
    home = _chosen_home() or _own_home(store).resolve()
    config = home / CONFIG
    elsewhere = config.is_file() and "storage" in (yaml.safe_load(config.read_text(encoding="utf-8")) or {})
    return home if elsewhere or (home / "history").is_dir() else None


def _chosen_home() -> Path | None:
    """The folder that the environment or the current folder names."""
    named = os.environ.get("DAGSTER_HOME")
    if named:
        if not Path(named).expanduser().is_dir():
            raise UsageProblem(f"DAGSTER_HOME names {named}, which is no folder; create it or unset the variable.")
        return Path(named).expanduser().resolve()
    return Path.cwd() if Path(CONFIG).is_file() else None


def _own_home(store: str) -> Path:
    opened = Store(store)
    return (Path(opened.root) if opened.local else Path.cwd()) / ".dagster"


def shipped_config() -> str:
    """The instance settings that this package recommends."""
    return (files("blade_pipeline.automation") / CONFIG).read_text(encoding="utf-8")


def open_instance(store: str) -> dg.DagsterInstance:
    """The Dagster instance that belongs to a store."""
    return dg.DagsterInstance.from_config(str(dagster_home(store)))
