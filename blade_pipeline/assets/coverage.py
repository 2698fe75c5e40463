"""How much of the run the numbers speak for."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.coverage import coverage
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.storage import Artifact

_COUNTS = ("expected", "measured", "masked", "unscored", "failed", "missing", "duplicates", "malformed_lines")


def compute(inputs: Inputs) -> Artifact:
    """The document published as ``coverage.json``."""
    profile = profile_of(inputs.document("benchmark_profile"))
    aligned, rows, failures = (inputs.table(name) for name in ("aligned_samples", "raw_rollouts", "failed_attempts"))
    return Artifact(document=coverage(aligned, rows, failures, profile))


def summary(artifact: Artifact) -> dict[str, object]:
    """Coverage and the counts behind it."""
    document = artifact.document or {}
    counts = {name: document["accounting"][name] for name in _COUNTS}
    return {"coverage": document["coverage"], "measured share": document["measured_share"], **counts}


STAGE = Stage(
    name="coverage",
    level="run",
    group="samples",
    description="Accounting of lines and rollouts in total and by agent, repeat, slice and task.",
    compute=compute,
    deps=("aligned_samples", "raw_rollouts", "failed_attempts", "benchmark_profile"),
    summary=summary,
)
