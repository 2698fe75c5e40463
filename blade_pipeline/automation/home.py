"""Finds the folder where Dagster keeps its event log, and opens it."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote

import dagster as dg
import yaml
from dagster import DagsterInvalidConfigError
from sqlalchemy.exc import DBAPIError

from blade_pipeline.automation.databases import made_aside
from blade_pipeline.environment import DAGSTER_HOME
from blade_pipeline.models import BladeError, UsageProblem
from blade_pipeline.storage import Store
from blade_pipeline.storage.atomic import flush, replace_file

CONFIG = "dagster.yaml"
HISTORY, SCHEDULES = "history", "schedules"


def dagster_home(store: str) -> Path:
    """``DAGSTER_HOME`` as set; else the current folder when it holds a dagster.yaml; else a folder of the store.

    The last is made when it is missing, with the settings that this package ships; beside a store that is no folder it
    lies in the current one.

    Raises:
        UsageProblem: ``DAGSTER_HOME`` names no folder, or Dagster cannot keep records in a folder of this name.
    """
    chosen = _chosen_home()
    if chosen is not None:
        return _with_a_plain_name(chosen)
    home = _with_a_plain_name(_own_home(store))
    home.mkdir(parents=True, exist_ok=True)
    if not (home / CONFIG).exists():
        replace_file(home / CONFIG, shipped_config().encode())
    return home.resolve()


def existing_home(store: str) -> Path | None:
    """The folder that ``dagster_home`` names when Dagster has kept records there, else None; makes nothing.

    Raises:
        UsageProblem: ``DAGSTER_HOME`` names no folder.
    """
    home = _chosen_home() or _own_home(store).resolve()
    return home if _elsewhere(home) or (home / HISTORY).is_dir() else None


def _elsewhere(home: Path) -> bool:
    """Whether the settings name another place for the records than the folder itself."""
    config = home / CONFIG
    return config.is_file() and "storage" in (yaml.safe_load(config.read_text(encoding="utf-8")) or {})


def _chosen_home() -> Path | None:
    """The folder that the environment or the current folder names."""
    named = DAGSTER_HOME.value()
    if named:
        if not Path(named).expanduser().is_dir():
            raise UsageProblem(f"DAGSTER_HOME names {named}, which is no folder; create it or unset the variable.")
        return Path(named).expanduser().resolve()
    return Path.cwd() if Path(CONFIG).is_file() else None


def _with_a_plain_name(home: Path) -> Path:
    """The folder; Dagster writes its path into a URL as it is, which then leads to files elsewhere."""
    path = str(home.absolute())
    if not _elsewhere(home) and ("?" in path or unquote(path) != path):
        raise UsageProblem(
            f"Dagster cannot keep its records in {home}: a '?' or a '%' before two digits in the name leads elsewhere; "
            "name another store, or set DAGSTER_HOME."
        )
    return home


def _own_home(store: str) -> Path:
    opened = Store(store)
    return (Path(opened.root) if opened.local else Path.cwd()) / ".dagster"


def shipped_config() -> str:
    """The instance settings that this package recommends."""
    return (files("blade_pipeline.automation") / CONFIG).read_text(encoding="utf-8")


@contextmanager
def open_instance(store: str) -> Iterator[dg.DagsterInstance]:
    """The Dagster instance that belongs to a store.

    Raises:
        BladeError: its settings or its database cannot be used, on entering or at any later moment.
    """
    home = dagster_home(store)
    make_records(home)
    with _usable(home), opened(home) as instance:
        yield instance


def opened(home: Path) -> dg.DagsterInstance:
    """The Dagster instance whose settings a folder holds.

    Raises:
        BladeError: the settings cannot be used, or the server that they name does not let us in.
    """
    try:
        return dg.DagsterInstance.from_config(str(home))
    except DBAPIError:
        raise
    except DagsterInvalidConfigError as error:
        reason = "; ".join(wrong.message.partition("Stack Trace:")[0] for wrong in error.errors)
    except Exception as error:
        reason = str(error.__cause__.orig if isinstance(error.__cause__, DBAPIError) else error).partition("\n")[0]
    sentence = f"Dagster's records cannot be opened as {home / CONFIG} says ({' '.join(reason.split())}); mend that."
    raise BladeError(sentence)


def make_records(home: Path) -> None:
    """Makes Dagster's empty databases aside and moves them into place whole, unless they are there or elsewhere.

    Dagster takes a database that is there for a whole one. One that a killed process or a full disk left half made
    would fail every later run.

    Raises:
        BladeError: there is no room for them.
    """
    if _elsewhere(home):
        return
    _remove_empty_log(home)
    if (home / HISTORY).exists():
        return
    with _usable(home), made_aside(home) as aside:
        if (home / HISTORY).exists():
            return
        (aside / CONFIG).write_text(shipped_config(), encoding="utf-8")
        dg.DagsterInstance.from_config(str(aside)).dispose()
        for name in (SCHEDULES, HISTORY):
            flush(aside / name)
            if not (home / name).exists():
                (aside / name).rename(home / name)


def _remove_empty_log(home: Path) -> None:
    """Removes an event log without a byte, which Dagster would take for a whole one; it makes one where none is.

    SQLite leaves one where a store was deleted under a process that opened its records once more.
    """
    log = home / HISTORY / "runs" / "index.db"
    if log.is_file() and log.stat().st_size == 0:
        log.unlink(missing_ok=True)


@contextmanager
def _usable(home: Path) -> Iterator[None]:
    """Tells in a sentence that the database of a folder is full, locked or damaged."""
    try:
        yield
    except DBAPIError as error:
        sentence = f"Dagster's records in {home} cannot be used ({error.orig}); mend that and try again."
        raise BladeError(sentence) from None
