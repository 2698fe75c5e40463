"""One row per expected or seen rollout, each with exactly one outcome."""

import pyarrow as pa

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import counted
from blade_pipeline.columns import ALIGNED_SAMPLES
from blade_pipeline.method.align import align
from blade_pipeline.method.needed import ROWS
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``ALIGNED_SAMPLES``."""
    profile = profile_of(inputs.document("benchmark_profile"))
    return Artifact(
        align(
            inputs.table("expected_rollouts"),
            inputs.table("raw_rollouts", ROWS),
            inputs.table("failed_attempts"),
            inputs.table("health_findings"),
            profile,
        )
    )


def summary(artifact: Artifact) -> dict[str, object]:
    """Rollouts by outcome."""
    assert isinstance(artifact.table, pa.Table)
    return {"rollouts by outcome": counted(artifact.table, "outcome")}


STAGE = Stage(
    name="aligned_samples",
    level="run",
    group="samples",
    description="Expected, seen and failed rollouts joined: measured, masked, unscored, failed, missing or unexpected.",
    compute=compute,
    columns=ALIGNED_SAMPLES,
    deps=("benchmark_profile", "expected_rollouts", "raw_rollouts", "failed_attempts", "health_findings"),
    kinds=("duckdb", "parquet"),
    summary=summary,
)
