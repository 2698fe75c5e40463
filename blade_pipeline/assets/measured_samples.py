"""The rollouts whose reward is a valid measurement."""

import pyarrow as pa

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import counted
from blade_pipeline.columns import ALIGNED_SAMPLES
from blade_pipeline.method.align import measured
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``ALIGNED_SAMPLES`` with outcome measured."""
    return Artifact(measured(inputs.table("aligned_samples")))


def summary(artifact: Artifact) -> dict[str, object]:
    """Measured rollouts per agent."""
    assert isinstance(artifact.table, pa.Table)
    return {"rollouts by agent": counted(artifact.table, "agent")}


STAGE = Stage(
    name="measured_samples",
    level="run",
    group="samples",
    description="The aligned rows whose reward is a valid measurement.",
    compute=compute,
    columns=ALIGNED_SAMPLES,
    deps=("aligned_samples",),
    kinds=("duckdb", "parquet"),
    summary=summary,
)
