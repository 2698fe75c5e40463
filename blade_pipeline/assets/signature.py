"""One digest of all that a look at the world follows from; taking it opens no file of a run."""

import os
from collections.abc import Iterator
from pathlib import Path

from blade_pipeline import gym
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.stage import Graph
from blade_pipeline.storage import SHAREABLE, Registry, Store, digest_of, registry, sources, stamp_of

_TOPS = ("artifacts", "reports", SHAREABLE)


def signature(settings: Settings, graph: Graph) -> str:
    """Digest of the run directories' files by their stamps, the team's files, the store's content and the code.

    It changes whenever any of them may have changed, and may change when none has.

    Raises:
        BladeError: the runs folder is no folder, or the store's registry is broken.
    """
    store = Store(settings.store)
    roots = {str(Path(settings.runs).resolve()), *Registry.load(store).roots()}
    runs = {root: gym.signature(Path(root)) for root in sorted(roots) if Path(root).is_dir()}
    team = stamp_of(file for folder in settings.folders.values() for file in folder.resolve().rglob("*.yaml"))
    code = [[stage.name, stage.code_version] for stage in graph]
    return digest_of([runs, team, _kept(store), code])


def _kept(store: Store) -> list[str]:
    """What tells that an artifact, a page or a memo came, went or was replaced.

    On a disk the folders' own times tell, so that no file is looked at; an object store is listed.
    """
    memos = [digest_of(str(store.read_bytes(name))) for name in (registry.FILE, sources.FILE)]
    if not store.local:
        return [*memos, *(path for top in _TOPS for path in store.listed(top))]
    return [*memos, *(time for top in _TOPS for time in _times(store.path(top)))]


def _times(top: str, depth: int = 2) -> Iterator[str]:
    """Path and time of change of the folders below a folder of the store, down to the benchmarks or runs."""
    if depth and Path(top).is_dir():
        with os.scandir(top) as entries:
            below = sorted((entry.path, entry.stat().st_mtime_ns) for entry in entries if entry.is_dir())
        for path, time in below:
            yield f"{path} {time}"
            yield from _times(path, depth - 1)
