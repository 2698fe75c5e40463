"""Attempts that ended without a rollout: the failures sidecar."""

import pyarrow as pa

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import counted
from blade_pipeline.columns import FAILED_ATTEMPTS
from blade_pipeline.gym import read_failures
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``FAILED_ATTEMPTS``, one per attempt on record."""
    return Artifact(read_failures(inputs.run_directory))


def summary(artifact: Artifact) -> dict[str, object]:
    """Attempts by failure class."""
    assert isinstance(artifact.table, pa.Table)
    return {"attempts by class": counted(artifact.table, "failure_class")}


STAGE = Stage(
    name="failed_attempts",
    level="run",
    group="run_files",
    description="One row per failed attempt, from the failures sidecar.",
    compute=compute,
    columns=FAILED_ATTEMPTS,
    reads=("failures",),
    kinds=("jsonl", "parquet"),
    summary=summary,
)
