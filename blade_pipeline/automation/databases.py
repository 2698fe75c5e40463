"""Databases of Dagster's records are made aside, and moved into place whole."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

from sqlalchemy import Engine, event

from blade_pipeline.storage.lock import locked


@contextmanager
def made_aside(folder: Path) -> Iterator[Path]:
    """An empty folder beside the place of new databases, for one process at a time.

    SQLite does not wait for the disk in it, table by table, which takes seconds on a busy one: flush them before they
    are moved.
    """
    with locked(folder / ".making.lock"):
        aside = folder / ".making"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        event.listen(Engine, "connect", _leave_to_the_system)
        try:
            yield aside
        finally:
            event.remove(Engine, "connect", _leave_to_the_system)
            shutil.rmtree(aside, ignore_errors=True)


def _leave_to_the_system(opened: Connection, _: object) -> None:
    opened.execute("PRAGMA synchronous=OFF")
