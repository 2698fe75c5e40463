"""Makes one artifact: compute, guard against files that moved, write."""

from dataclasses import dataclass

import dagster as dg

from blade_pipeline.assets.check import Verdict
from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.keys import SOURCE
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.metadata import INPUTS, metadata_of
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.errors import fault_of
from blade_pipeline.gym.public import without_secrets
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell


@dataclass(frozen=True)
class Made:
    """An artifact that was just written: its data version, what it was made from, and what Dagster shows of it."""

    stage: Stage
    cell: Cell
    version: str
    inputs: dict[str, str]
    metadata: dict[str, dg.MetadataValue]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def error(self) -> str | None:
        """What a failed ERROR check said; such an artifact stays out of the record, and so is made again."""
        failed = [f"{v.check.name}: {v.finding.sentence}" for v in self.verdicts if v.is_error]
        return "; ".join(failed) or None


def perform(stage: Stage, cell: Cell, live: Live, graph: Graph) -> Made:
    """Runs one stage for one cell, evaluates its checks and writes its artifact.

    A sentence loses the secrets that it quotes. A fault of the program is told by its place and not by its message,
    which may quote a rollout.

    Raises:
        BladeError: the cell has no directory, an input is missing, a file changed while it was read, or the program
            is at fault.
    """
    try:
        return _perform(stage, cell, live, graph)
    except BladeError as error:
        raise BladeError(without_secrets(str(error))) from None
    except Exception as error:
        raise BladeError(f"{fault_of(error)}.") from None


def _perform(stage: Stage, cell: Cell, live: Live, graph: Graph) -> Made:
    inputs = Inputs(stage, cell, live, graph)
    if stage.level == "run":
        live.directory(cell)
    artifact = stage.compute(inputs)
    read = inputs.versions.get(SOURCE)
    if read is not None and live.source_version(stage, cell) != read:
        raise BladeError(f"{_what_is_read(stage)} of {cell} changed while it was read; it is read again next time.")
    verdicts = tuple(Verdict(check, cell, check.evaluate(artifact)) for check in graph.checks_of(stage))
    version = live.store.write(stage.name, cell, artifact)
    read_versions = dict(inputs.versions)
    metadata = {**metadata_of(stage, cell, artifact, live.store), INPUTS: dg.MetadataValue.json(read_versions)}
    return Made(stage, cell, version, read_versions, metadata, verdicts)


def _what_is_read(stage: Stage) -> str:
    return f"The file in {stage.folder}" if stage.folder else "The directory"
