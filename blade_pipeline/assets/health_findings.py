"""What the health check said about the run's rollouts."""

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import counted
from blade_pipeline.columns import HEALTH_FINDINGS
from blade_pipeline.gym import read_health
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``HEALTH_FINDINGS``; stale ones say why."""
    classes = inputs.table("raw_rollouts", ["line_class"])["line_class"]
    readable = pc.sum(pc.equal(classes, "row")).as_py() or 0
    return Artifact(read_health(inputs.run_directory, int(readable)))


def summary(artifact: Artifact) -> dict[str, object]:
    """Findings by check."""
    assert isinstance(artifact.table, pa.Table)
    return {"findings by check": counted(artifact.table, "check")}


STAGE = Stage(
    name="health_findings",
    level="run",
    group="run_files",
    description="Verdicts and findings of the health check per rollout; those that speak of other rows are named.",
    compute=compute,
    columns=HEALTH_FINDINGS,
    deps=("raw_rollouts",),
    reads=("rollout_verdicts", "quality_summary"),
    kinds=("jsonl", "parquet"),
    summary=summary,
)
