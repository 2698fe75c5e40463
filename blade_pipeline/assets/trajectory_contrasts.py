"""What passing rollouts of a task do differently from failing ones."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.contrasts import contrasts
from blade_pipeline.method.patterns import patterns
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The contrasts document."""
    aligned, buckets = inputs.table("aligned_samples"), inputs.table("outcome_buckets")
    return Artifact(document=contrasts(aligned, buckets) | patterns(aligned, buckets, inputs.table("failure_modes")))


def summary(artifact: Artifact) -> dict[str, object]:
    """How many tasks have both outcomes."""
    document = artifact.document or {}
    return {"tasks with both outcomes": document["tasks"], "shown": document["shown"]}


STAGE = Stage(
    name="trajectory_contrasts",
    level="run",
    group="diagnosis",
    description="Passing and failing rollouts of the same task side by side, up to their first difference.",
    compute=compute,
    deps=("aligned_samples", "outcome_buckets", "failure_modes"),
    summary=summary,
)
