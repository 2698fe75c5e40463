"""Removes one run from the store and from Dagster's partitions, so that a stop at any point can be made up for.

A note in the store says which run is being forgotten. It is written before anything is removed and taken away at the
end; whoever comes next and finds it does the rest.
"""

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.partitions import benchmarks, model_runs
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.world import remembered, strike
from blade_pipeline.automation.events import runless
from blade_pipeline.automation.notify.memory import forget_told
from blade_pipeline.automation.recordmemo import RecordMemo
from blade_pipeline.automation.settling import still_written
from blade_pipeline.automation.update import Update, bring_up_to_date
from blade_pipeline.models import UsageProblem
from blade_pipeline.storage import SHAREABLE, Cell, Registry, SourceMemo, Store, delete, files_of

_NOTES = "forgetting"


@dataclass(frozen=True)
class Removal:
    """What forgetting a run takes away: the bytes of each file by path; and the run's directory, if it is there."""

    cell: Cell
    files: dict[str, int]
    directory: str | None


def removal_of(store: Store, cell: Cell) -> Removal:
    """What would be removed.

    Raises:
        UsageProblem: the store knows no such run; the sentence names the closest ones.
        BladeError: the store's registry is broken.
    """
    entries = Registry.load(store).entries
    files = files_of(store, cell) if cell in _known(store, entries) else {}
    if not files and cell not in entries and cell not in unfinished(store):
        known = sorted(map(str, _known(store, entries)))
        close = difflib.get_close_matches(str(cell), known, n=3) or known[:3]
        hint = f"did you mean {' or '.join(close)}?" if close else "it holds no run."
        raise UsageProblem(f"{cell} is not in the store {store.root}; {hint}")
    entry = entries.get(cell)
    return Removal(cell, files, entry.directory if entry is not None and Path(entry.directory).is_dir() else None)


def forget(instance: dg.DagsterInstance, settings: Settings, cell: Cell) -> Update:
    """Removes a run and brings the pages that named it up to date; its directory is not touched.

    Raises:
        BladeError: the store or its registry cannot be used.
    """
    store = Store(settings.store)
    store.write_bytes(json.dumps({"benchmark": cell.benchmark, "run": cell.run}).encode(), *_note(cell))
    _remove(instance, store, cell)
    live = remembered(settings)
    update = Update()
    if cell.benchmark in live.benchmarks():
        update = _without_it(instance, live, cell.benchmark)
    else:
        _remove_benchmark(instance, store, cell.benchmark)
    delete(store, [store.path(*_note(cell))])
    return update


def finish_forgetting(instance: dg.DagsterInstance, settings: Settings) -> list[Cell]:
    """Does the rest of what was stopped midway; answers which runs."""
    cells = unfinished(Store(settings.store))
    for cell in cells:
        forget(instance, settings, cell)
    return cells


def unfinished(store: Store) -> list[Cell]:
    """The runs whose removal was begun and not ended."""
    notes = [json.loads(store.filesystem.cat_file(path)) for path in sorted(store.listed(_NOTES))]
    return [Cell(note["benchmark"], note["run"]) for note in notes]


def _known(store: Store, entries: Iterable[Cell]) -> set[Cell]:
    published = {Cell(*path.split("/")[:2]) for path in store.published() if path.count("/") == 2}
    return {*entries, *published, *(cell for _, cell in store.artifacts() if cell.run is not None)}


def _note(cell: Cell) -> tuple[str, str, str]:
    return _NOTES, cell.benchmark, f"{cell.run}.json"


def _remove(instance: dg.DagsterInstance, store: Store, cell: Cell) -> None:
    """First the registry, by which a run is known; then what people read; then what it was made from."""
    with store.lock([cell.benchmark]):
        strike(store, cell)
        delete(store, files_of(store, cell))
        SourceMemo(store).forget(str(cell))
        RecordMemo(store, instance).forget(str(cell))
        forget_told(store, cell)
        others = _known(store, Registry.load(store).entries)
        if cell.run not in {other.run for other in others}:
            _drop(instance, str(model_runs.name), str(cell.run))


def _without_it(instance: dg.DagsterInstance, live: Live, benchmark: str) -> Update:
    """Makes the benchmark's pages again; its shareable ones go, since they are made only when asked for."""
    live.waiting = still_written(live, GRAPH)
    update = bring_up_to_date(instance, live, GRAPH, runless(instance), select=lambda of: of.benchmark == benchmark)
    shareable = live.store.path(SHAREABLE)
    own = files_of(live.store, Cell(benchmark))
    delete(live.store, [path for path in own if path.startswith(f"{shareable}/")])
    return update


def _remove_benchmark(instance: dg.DagsterInstance, store: Store, benchmark: str) -> None:
    """What belonged to a benchmark that has no run any more."""
    with store.lock([benchmark]):
        delete(store, files_of(store, Cell(benchmark)))
        SourceMemo(store).forget(benchmark)
        RecordMemo(store, instance).forget(benchmark)
        _drop(instance, str(benchmarks.name), benchmark)


def _drop(instance: dg.DagsterInstance, partitions: str, name: str) -> None:
    if instance.has_dynamic_partition(partitions, name):
        instance.delete_dynamic_partition(partitions, name)
