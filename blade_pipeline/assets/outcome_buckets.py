"""Which tasks always, sometimes or never pass."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.columns import OUTCOME_BUCKETS
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.needed import OF_TASKS
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``OUTCOME_BUCKETS`` and their counts."""
    profile = profile_of(inputs.document("benchmark_profile"))
    return Artifact(*outcome_buckets(inputs.table("aligned_samples", OF_TASKS), profile))


def summary(artifact: Artifact) -> dict[str, object]:
    """Tasks per bucket."""
    counts: dict[str, object] = dict((artifact.document or {})["counts"])
    return counts


STAGE = Stage(
    name="outcome_buckets",
    level="run",
    group="scores",
    description="A bucket per task, with what incomplete tasks leave open and why.",
    compute=compute,
    columns=OUTCOME_BUCKETS,
    deps=("aligned_samples", "benchmark_profile"),
    summary=summary,
)
