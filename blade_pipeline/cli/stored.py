"""Reads analysed runs for the commands that show them."""

import difflib
import functools

from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.method.comparison import Behaviour, Failures, Side
from blade_pipeline.storage import Artifact, Cell, MissingArtifactError, Store


def open_store(root: str) -> Store:
    """The store of earlier analyses.

    Raises:
        UsageProblem: nothing was analysed into it yet.
    """
    store = Store(root)
    if not store.filesystem.exists(store.path("artifacts")):
        raise UsageProblem(f"There is nothing in the store {root} yet; run blade analyze, or name another --store.")
    return store


def artifact_of(store: Store, asset: str, cell: Cell) -> Artifact:
    """An artifact of an analysed cell.

    Raises:
        UsageProblem: the cell is not known; the sentence names the closest ones that are.
        MissingArtifactError: the cell is known and this artifact was not made.
    """
    try:
        return store.read(asset, cell).artifact
    except MissingArtifactError:
        known = sorted({str(of) for _, of in store.artifacts() if of.run is not None})
        if str(cell) in known:
            raise
        close = difflib.get_close_matches(str(cell), known, n=3) or known[:3]
        hint = f"did you mean {' or '.join(close)}?" if close else "run blade analyze first."
        raise UsageProblem(f"{cell} is not in the store {store.root}; {hint}") from None


def side_of(store: Store, cell: Cell) -> Side:
    """A run as one side of a comparison."""
    read = functools.cache(lambda asset: artifact_of(store, asset, cell))
    return Side.read(str(cell.run), lambda asset: read(asset).document or {}, lambda asset: read(asset).table)


def behaviour_of(store: Store, cell: Cell) -> Behaviour:
    """A run as one side of a comparison, with its failure modes and the tools that its rollouts call."""
    found, samples = (artifact_of(store, name, cell) for name in ("failure_modes", "aligned_samples"))
    return Behaviour.of(side_of(store, cell), samples.table, Failures(found.table, found.document or {}))
