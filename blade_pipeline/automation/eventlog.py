"""Keeps Dagster's SQLite event log from tidying up after every single event."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME

_RUNLESS_SHARD = ""


@contextmanager
def kept_open(instance: dg.DagsterInstance) -> Iterator[None]:
    """Holds one idle connection to the event log's files while many events are written.

    Dagster opens and closes the files for each event; when the last connection to a file closes, SQLite folds its
    write-ahead log back, which costs about as much as the event itself. An idle connection holds no lock.
    """
    with ExitStack() as held:
        storage = instance.event_log_storage
        if isinstance(storage, SqliteEventLogStorage):
            for shard in (INDEX_SHARD_NAME, _RUNLESS_SHARD):
                path = Path(storage.path_for_shard(shard))
                if path.is_file():
                    connection = held.enter_context(closing(sqlite3.connect(path)))
                    connection.execute("select count(*) from sqlite_master").fetchall()
        yield
