"""Sees which run directories there are, remembers them, and tombstones those that are gone."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from blade_pipeline.assets.live import Live
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.tombstones import mark_reports
from blade_pipeline.gym import RunDirectory, discover
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell, Entry, Registry, SourceMemo, Store

_LOCK = "registry.json"


def see(settings: Settings, *, trusted: bool = True, stat_only: bool = False) -> Live:
    """The live runs below the settings' runs folder and below every folder that the store remembers.

    With ``trusted=False`` every file is read again; with ``stat_only`` none is.

    Raises:
        BladeError: the runs folder is no folder, or the store's registry is broken.
    """
    store = Store(settings.store)
    with store.lock([_LOCK]):
        registry = Registry.load(store)
        before = dict(registry.entries)
        runs, problems = _present(settings, registry)
        if registry.entries != before:
            mark_reports(store, before, registry.entries)
            registry.save(store)
    memo = SourceMemo(store, trusted=trusted)
    return _live(settings, registry, runs, problems, store=store, memo=memo, stat_only=stat_only)


def glance(settings: Settings) -> Live:
    """The same without leaving a trace: nothing is registered, marked or locked, and no file is read for its digest.

    Raises:
        BladeError: the runs folder is no folder, or the store's registry is broken.
    """
    store = Store(settings.store)
    registry = Registry.load(store)
    runs, problems = _present(settings, registry)
    return _live(settings, registry, runs, problems, store=store, memo=SourceMemo(store), stat_only=True)


def remembered(settings: Settings) -> Live:
    """The live runs that earlier passes registered, wherever they are; nothing new is looked for or registered.

    Raises:
        BladeError: the store's registry is broken.
    """
    store = Store(settings.store)
    registry = Registry.load(store)
    runs = _remembered(registry, {})
    return _live(settings, registry, runs, [], store=store, memo=SourceMemo(store), stat_only=False)


def strike(store: Store, cell: Cell) -> None:
    """Makes the store forget where a run lay.

    Raises:
        BladeError: the store's registry is broken.
    """
    with store.lock([_LOCK]):
        registry = Registry.load(store)
        if registry.entries.pop(cell, None) is not None:
            registry.save(store)


def _present(settings: Settings, registry: Registry) -> tuple["_Runs", list[str]]:
    """The runs that are there, with what to mend about the others; the registry learns of both."""
    found, problems = _discovered(Path(settings.runs).resolve(), settings.runs, registry)
    runs, clashes = _unambiguous(found, registry)
    runs |= _remembered(registry, runs)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    registry.mark({cell: Entry(str(run.path), below) for cell, (run, below) in runs.items()}, now)
    return runs, [*problems, *clashes]


def _live(
    settings: Settings,
    registry: Registry,
    runs: "_Runs",
    problems: list[str],
    *,
    store: Store,
    memo: SourceMemo,
    stat_only: bool,
) -> Live:
    root = str(Path(settings.runs).resolve())
    return Live(
        store=store,
        folders=settings.folders,
        runs={cell: run for cell, (run, _) in runs.items()},
        here={cell for cell, (_, below) in runs.items() if below == root},
        vanished={cell: entry.directory for cell, entry in registry.entries.items() if entry.vanished is not None},
        problems=problems,
        memo=memo,
        stat_only=stat_only,
    )


_Found = dict[Cell, list[tuple[RunDirectory, str]]]
_Runs = dict[Cell, tuple[RunDirectory, str]]


def _discovered(root: Path, written: str, registry: Registry) -> tuple[_Found, list[str]]:
    """Every run directory once, by cell, with the folder it was found below."""
    try:
        discovery = discover(root)
    except BladeError:
        raise BladeError(f"{written} is no folder; give a folder that holds run directories.") from None
    found: _Found = defaultdict(list)
    problems = list(discovery.problems)
    known: set[Path] = set()
    _add(found, known, discovery.runs, str(root))
    for other in registry.roots():
        if other != str(root) and Path(other).is_dir():
            _add(found, known, discover(Path(other)).runs, other)
    return found, problems


def _add(found: _Found, known: set[Path], runs: Iterable[RunDirectory], root: str) -> None:
    for run in runs:
        place = run.path.resolve()
        if place not in known:
            known.add(place)
            found[Cell(run.benchmark, run.run)].append((run, root))


def _remembered(registry: Registry, runs: _Runs) -> _Runs:
    """Known runs that are not among these although their directory is there, such as one that now has a namesake."""
    kept: _Runs = {}
    for cell, entry in registry.entries.items():
        if cell not in runs and Path(entry.directory).is_dir():
            for run in discover(Path(entry.directory)).runs:
                if str(run.path) == entry.directory and Cell(run.benchmark, run.run) == cell:
                    kept[cell] = (run, entry.root)
    return kept


def _unambiguous(found: _Found, registry: Registry) -> tuple[_Runs, list[str]]:
    """One directory per cell; of several the one remembered, and a sentence that names them all."""
    runs: _Runs = {}
    clashes = []
    for cell, places in found.items():
        if len(places) == 1:
            runs[cell] = places[0]
            continue
        clashes.append(f"The names {cell} stand for {' and '.join(str(run.path) for run, _ in places)}; rename one.")
        entry = registry.entries.get(cell)
        kept = [place for place in places if entry is not None and str(place[0].path) == entry.directory]
        if kept:
            runs[cell] = kept[0]
    return runs, clashes
