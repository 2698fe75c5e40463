"""What the run was asked to do: the materialized inputs, or what a reward profile says was expected."""

import pyarrow as pa

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import counted
from blade_pipeline.columns import EXPECTED_ROLLOUTS
from blade_pipeline.gym import read_expected
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``EXPECTED_ROLLOUTS``; none where no file says what was expected."""
    return Artifact(read_expected(inputs.run_directory))


def summary(artifact: Artifact) -> dict[str, object]:
    """Expected rollouts per agent."""
    assert isinstance(artifact.table, pa.Table)
    return {"rollouts by agent": counted(artifact.table, "agent")}


STAGE = Stage(
    name="expected_rollouts",
    level="run",
    group="run_files",
    description="One row per expected (agent, stage, task, repeat), from the run's inputs or reward profile.",
    compute=compute,
    columns=EXPECTED_ROLLOUTS,
    reads=("materialized_inputs", "reward_profiling"),
    kinds=("jsonl", "parquet"),
    summary=summary,
)
