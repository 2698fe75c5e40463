"""Why tasks fail: missing or unreliable knowledge, behaviour, the task itself, infrastructure or the data."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.ablation import ablation
from blade_pipeline.method.analyst import refuse_unknown_tasks
from blade_pipeline.method.graded_gains import mean_score_gains
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.metrics import ABLATION
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The labels document (what rules propose, and what an analyst read) with the within-task ablation.

    Raises:
        BladeError: a label names a task that the run does not have.
    """
    aligned, buckets, modes = (inputs.table(name) for name in ("aligned_samples", "outcome_buckets", "failure_modes"))
    profile = profile_of(inputs.document("benchmark_profile"))
    labels = inputs.document("analyst_labels")
    refuse_unknown_tasks(labels, aligned)
    patterns = inputs.document("trajectory_contrasts")["patterns"]
    document = root_causes(aligned, buckets, modes, labels, profile, patterns)
    found = inputs.document("failure_modes")["modes"]
    parts = {
        "ablation": ablation(aligned, buckets, modes, found, profile),
        "mean_score_gains": mean_score_gains(aligned, modes, profile),
    }
    return Artifact(document=document | parts)


def summary(artifact: Artifact) -> dict[str, object]:
    """Tasks per label."""
    counts = (artifact.document or {})["counts"]
    return {"labels": [{"label": label, "tasks": count} for label, count in counts.items() if count]}


STAGE = Stage(
    name="root_causes",
    level="run",
    group="diagnosis",
    description="A root-cause label per failing task, by rule or by analyst, with evidence and recommendations.",
    compute=compute,
    metrics=ABLATION,
    deps=(
        "aligned_samples",
        "outcome_buckets",
        "failure_modes",
        "trajectory_contrasts",
        "analyst_labels",
        "benchmark_profile",
    ),
    summary=summary,
)
