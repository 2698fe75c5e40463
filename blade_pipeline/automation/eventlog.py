"""Keeps connections to Dagster's SQLite event log while many events are written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event

from blade_pipeline.automation.databases import made_aside
from blade_pipeline.storage.atomic import flush


@contextmanager
def kept_open(instance: dg.DagsterInstance) -> Iterator[None]:
    """Lets all events of a pass go through one engine per file of the event log.

    Dagster makes an engine, opens the file and closes it again for each statement or two: every statement is compiled
    anew, and when the last connection to a file closes, SQLite folds its write-ahead log back. That costs more than
    the event itself. An idle connection holds no lock. Nor does each event wait for the disk: in write-ahead mode, a
    machine that loses power may lose its last events, and what they told of is made again.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqliteEventLogStorage):
        yield
        return
    engines = _Engines(storage)
    storage._connect = engines.connect  # type: ignore[method-assign]
    try:
        yield
    finally:
        del storage._connect
        engines.dispose()


class _Engines:
    """One engine per file of a SQLite event log."""

    def __init__(self, storage: SqliteEventLogStorage) -> None:
        self._storage = storage
        self._connect_once = storage._connect
        self._kept: dict[str, Engine] = {}

    @contextmanager
    def connect(self, shard: str) -> Iterator[Connection]:
        """A transaction on a file, which is made where it is not there yet."""
        if shard not in self._kept:
            self._make(Path(self._storage.path_for_shard(shard)))
            with self._connect_once(shard):
                pass
            engine = create_engine(
                self._storage.conn_string_for_shard(shard), connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS}
            )
            event.listen(engine, "connect", lambda opened, _: opened.execute("PRAGMA synchronous=NORMAL"))
            self._kept[shard] = engine
        with self._storage._db_lock, self._kept[shard].begin() as connection:
            yield connection

    def _make(self, path: Path) -> None:
        """Makes an empty file of the log as Dagster does, but waits for the disk once instead of at each table.

        Where another process has made it meanwhile, that one stays; where it cannot be made so, Dagster makes it.
        """
        if path.exists():
            return
        with suppress(OSError), made_aside(path.parent) as aside:
            engine = create_engine(URL.create("sqlite", database=str(aside / path.name)), poolclass=NullPool)
            self._storage._initdb(engine)
            flush(aside)
            os.link(aside / path.name, path)

    def dispose(self) -> None:
        """Closes every connection."""
        for engine in self._kept.values():
            engine.dispose()
