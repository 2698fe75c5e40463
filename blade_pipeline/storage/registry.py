"""Remembers which directory every run came from, so that a vanished one is told from one never seen."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from blade_pipeline.models import BladeError
from blade_pipeline.storage.cell import Cell
from blade_pipeline.storage.store import Store

FILE = "registry.json"
_SCHEMA = 1


@dataclass(frozen=True)
class Entry:
    """A run's directory, the folder it was discovered below, and when it was found missing (ISO) or None."""

    directory: str
    root: str
    vanished: str | None = None


class Registry:
    """The runs ever seen by one store."""

    def __init__(self, entries: Mapping[Cell, Entry] | None = None) -> None:
        self.entries = dict(entries or {})

    @classmethod
    def load(cls, store: Store) -> "Registry":
        """The registry of a store; empty when there is none.

        Raises:
            BladeError: the file is no registry.
        """
        content = store.read_bytes(FILE)
        if content is None:
            return cls()
        try:
            return cls({_cell(entry): _entry(entry) for entry in json.loads(content)["runs"]})
        except (ValueError, KeyError, TypeError):
            raise BladeError(f"{store.path(FILE)} is not readable; delete it, and the runs are found again.") from None

    def save(self, store: Store) -> None:
        """Replaces the store's registry."""
        runs = [
            {"benchmark": cell.benchmark, "run": cell.run, **vars(entry)}
            for cell, entry in sorted(self.entries.items(), key=lambda item: item[0].order)
        ]
        content = json.dumps({"schema_version": _SCHEMA, "runs": runs}, indent=1, ensure_ascii=False)
        store.write_bytes(content.encode("utf-8", "surrogatepass"), FILE)

    def roots(self) -> list[str]:
        """Folders below which living runs were discovered."""
        return sorted({entry.root for entry in self.entries.values() if entry.vanished is None})

    def mark(self, found: Mapping[Cell, Entry], now: str) -> list[Cell]:
        """Takes over what was found and tombstones what was not; answers the newly tombstoned cells."""
        gone = [cell for cell, entry in self.entries.items() if cell not in found and entry.vanished is None]
        for cell in gone:
            self.entries[cell] = replace(self.entries[cell], vanished=now)
        self.entries.update(found)
        return gone


def _cell(entry: Mapping[str, Any]) -> Cell:
    return Cell(str(entry["benchmark"]), str(entry["run"]))


def _entry(entry: Mapping[str, Any]) -> Entry:
    return Entry(str(entry["directory"]), str(entry["root"]), entry["vanished"])
