"""Remembers records by the event that holds them, so that an event is unpacked once and not at every look."""

import json
from dataclasses import dataclass
from typing import Any

import dagster as dg
from dagster._core.storage.runs import SqlRunStorage

from blade_pipeline.storage import Store


@dataclass(frozen=True)
class Record:
    """One materialization: its versions and the versions of what it was made from (None when it names none)."""

    data_version: str | None
    code_version: str | None
    inputs: dict[str, str] | None


class RecordMemo:
    """Records of one Dagster instance, in a file of the store.

    A remembered record counts only for the same event with the same data version, both of which are asked of the
    event log each time. Losing the file costs time and nothing else.
    """

    def __init__(self, store: Store, instance: dg.DagsterInstance) -> None:
        self._store = store
        self._file = _file_of(instance)
        self._known = _load(store, self._file) if self._file else {}
        self._used: dict[str, list[Any]] = {}
        self._learned = False

    def get(self, name: str, event: int, version: str | None) -> Record | None:
        """The record of an artifact, when it was remembered from this event."""
        known = self._known.get(name)
        if known is None or known[:2] != [event, version]:
            return None
        self._used[name] = known
        return Record(version, known[2], known[3])

    def put(self, name: str, event: int, record: Record) -> None:
        """Remembers a record that was unpacked."""
        self._used[name] = [event, record.data_version, record.code_version, record.inputs]
        self._learned = True

    def save(self) -> None:
        """Replaces the file when something was learned; a record that was not asked for is kept."""
        if self._learned and self._file:
            content = json.dumps({**self._known, **self._used}, separators=(",", ":"))
            self._store.write_bytes(content.encode(), self._file)
            self._learned = False

    def forget(self, place: str) -> None:
        """Drops the records of one run or benchmark; a name is ``<asset>/<place>``."""
        kept = {name: entry for name, entry in self._known.items() if name.partition("/")[2] != place}
        if self._file and kept != self._known:
            self._store.write_bytes(json.dumps(kept, separators=(",", ":")).encode(), self._file)
        self._known = kept


def _file_of(instance: dg.DagsterInstance) -> str | None:
    """A file name for the instance; None where its storage has no id of its own."""
    storage = instance.run_storage
    return f"records-{storage.get_run_storage_id()}.json" if isinstance(storage, SqlRunStorage) else None


def _load(store: Store, file: str) -> dict[str, list[Any]]:
    """The remembered records; none when the file is missing or broken."""
    try:
        known = json.loads(store.read_bytes(file) or b"{}")
    except ValueError:
        return {}
    entries = known.items() if isinstance(known, dict) else ()
    return {name: entry for name, entry in entries if isinstance(entry, list) and len(entry) == 4}
