"""Puts the mark of a vanished directory on a run's published report, and takes it off when the directory is back."""

from collections.abc import Mapping

from blade_pipeline.reporting import mark_vanished
from blade_pipeline.storage import Cell, Entry, Store

_MARKED = ("report.html", "report.md")


def mark_reports(store: Store, before: Mapping[Cell, Entry], now: Mapping[Cell, Entry]) -> None:
    """Rewrites the reports of the runs that vanished or came back between two states of the registry."""
    for cell, entry in now.items():
        earlier = before[cell].vanished if cell in before else None
        if entry.vanished != earlier:
            _mark(store, cell, entry.vanished)


def _mark(store: Store, cell: Cell, since: str | None) -> None:
    place = ("reports", cell.benchmark, str(cell.run))
    found = {name: content for name in _MARKED if (content := store.read_bytes(*place, name)) is not None}
    changed = {name: content for name, content in mark_vanished(found, since).items() if content != found[name]}
    store.publish(cell, changed)
