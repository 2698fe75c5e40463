"""What passing rollouts of a task do differently from failing ones, and what stands for those that never pass."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.contrasts import contrasts
from blade_pipeline.method.lengths import lengths
from blade_pipeline.method.patterns import patterns
from blade_pipeline.method.representatives import representatives
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The contrasts document."""
    aligned, buckets, modes = (inputs.table(n) for n in ("aligned_samples", "outcome_buckets", "failure_modes"))
    document = contrasts(aligned, buckets, modes) | patterns(aligned, buckets, modes)
    never = representatives(aligned, buckets, modes)
    return Artifact(document=document | {"lengths": lengths(aligned, modes), "never_pass": never})


def summary(artifact: Artifact) -> dict[str, object]:
    """How many tasks have both outcomes."""
    document = artifact.document or {}
    return {"tasks with both outcomes": document["tasks"], "shown": document["shown"]}


STAGE = Stage(
    name="trajectory_contrasts",
    level="run",
    group="diagnosis",
    description="Passing against failing rollouts of the same task; representatives of those that never pass.",
    compute=compute,
    deps=("aligned_samples", "outcome_buckets", "failure_modes"),
    summary=summary,
)
