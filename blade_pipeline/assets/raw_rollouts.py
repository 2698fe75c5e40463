"""Every line of the rollouts, typed and narrow."""

import pyarrow as pa

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.columns import RAW_ROLLOUTS
from blade_pipeline.gym import read_rollouts
from blade_pipeline.method.lines import line_classes
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``RAW_ROLLOUTS``, one per physical line of every shard."""
    return Artifact(read_rollouts(inputs.run_directory))


def summary(artifact: Artifact) -> dict[str, object]:
    """Lines by class."""
    assert isinstance(artifact.table, pa.Table)
    classes = line_classes(artifact.table)
    ordered = sorted(classes.items(), key=lambda entry: (-entry[1], entry[0]))
    return {"lines by class": [{"line class": name, "count": count} for name, count in ordered]}


STAGE = Stage(
    name="raw_rollouts",
    level="run",
    group="run_files",
    description="One row per physical line of the rollouts: rewards, tokens, verifier fields, step list, byte offset.",
    compute=compute,
    columns=RAW_ROLLOUTS,
    reads=("rollouts", "reverified", "reward_profiling", "run_yaml"),
    kinds=("jsonl", "parquet"),
    summary=summary,
)
