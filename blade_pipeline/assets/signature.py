"""One digest of all that a look at the world follows from; taking it opens no file of a run."""

from pathlib import Path

from blade_pipeline import gym
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.stage import Graph
from blade_pipeline.storage import SHAREABLE, Registry, Store, digest_of, registry, sources, stamp_of, traces

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
    """What tells that an artifact, a page or a memo came, went or was replaced."""
    memos = [digest_of(str(store.read_bytes(name))) for name in (registry.FILE, sources.FILE)]
    return [*memos, *(trace for top in _TOPS for trace in traces(store, top))]
