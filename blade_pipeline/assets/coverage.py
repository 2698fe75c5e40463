"""How much of the run the numbers speak for."""

from collections import Counter

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.coverage import coverage, mask_rate
from blade_pipeline.method.needed import LINES, of_symptoms
from blade_pipeline.method.profiles import of_file, profile_of
from blade_pipeline.metrics import UNMEASURED
from blade_pipeline.storage import Artifact

_COUNTS = ("expected", "measured", "masked", "unscored", "failed", "missing", "duplicates", "malformed_lines")


def compute(inputs: Inputs) -> Artifact:
    """The document published as ``coverage.json``."""
    document = inputs.document("benchmark_profile")
    profile = profile_of(document)
    with of_file(document):
        made = coverage(
            aligned=inputs.table("aligned_samples", of_symptoms(profile)),
            rows=inputs.table("raw_rollouts", LINES),
            failures=inputs.table("failed_attempts"),
            health=inputs.table("health_findings"),
            manifest=inputs.document("run_manifest"),
            scores=inputs.document("pass_at_k"),
            profile=profile,
        )
    return Artifact(document=made)


def summary(artifact: Artifact) -> dict[str, object]:
    """Coverage, the counts behind it, and how often each kind of finding was made."""
    document = artifact.document or {}
    counts = {name: document["accounting"][name] for name in _COUNTS}
    shares = {"coverage": document["coverage"], "measured share": document["measured_share"]}
    shares["mask rate"] = mask_rate(document["accounting"])
    kinds = Counter(found["kind"] for found in document["findings"])
    return shares | counts | {"findings": [{"finding": kind, "count": number} for kind, number in kinds.items()]}


STAGE = Stage(
    name="coverage",
    level="run",
    group="samples",
    description="Accounting of lines and rollouts by agent, repeat, slice, task and health verdict; what disturbs it.",
    compute=compute,
    metrics=UNMEASURED,
    deps=(
        "aligned_samples",
        "raw_rollouts",
        "failed_attempts",
        "health_findings",
        "run_manifest",
        "pass_at_k",
        "benchmark_profile",
    ),
    summary=summary,
)
