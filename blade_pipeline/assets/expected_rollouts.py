"""What the run was asked to do: the materialized inputs."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.gym import read_expected
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``EXPECTED_ROLLOUTS``; none without materialized inputs."""
    return Artifact(read_expected(inputs.run_directory))


STAGE = Stage(
    name="expected_rollouts",
    level="run",
    group="reading",
    description="One row per expected (agent, stage, task, repeat), from the run's materialized inputs.",
    compute=compute,
    reads=("materialized_inputs",),
    kinds=("jsonl", "parquet"),
)
