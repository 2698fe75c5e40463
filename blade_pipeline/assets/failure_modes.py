"""How failed rollouts fail."""

from typing import Any

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.columns import FAILURE_MODES
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.needed import of_symptoms
from blade_pipeline.method.profiles import of_file, profile_of
from blade_pipeline.storage import Artifact, digest_of


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``FAILURE_MODES``, one per failed rollout, and the modes with their counts."""
    document = inputs.document("benchmark_profile")
    profile = profile_of(document)
    with of_file(document):
        return Artifact(*failure_modes(inputs.table("aligned_samples", of_symptoms(profile)), profile))


def summary(artifact: Artifact) -> dict[str, object]:
    """Failed rollouts per primary mode."""
    document = artifact.document or {}
    modes = [{"mode": _public(mode), "rollouts": mode["count"], "tasks": mode["tasks"]} for mode in document["modes"]]
    return {"failed rollouts": document["total_failed"], "unexplained": document["unexplained"], "modes": modes}


def _public(mode: dict[str, Any]) -> str:
    """The mode's name where it is ours or the profile's; words of a verifier stay out of metadata."""
    if mode["source"] == "verifier":
        return f"verifier message {digest_of(mode['code'])[:8]}"
    return str(mode["code"])


STAGE = Stage(
    name="failure_modes",
    level="run",
    group="diagnosis",
    description="One primary failure mode per failed rollout, with the line that shows it.",
    compute=compute,
    columns=FAILURE_MODES,
    deps=("aligned_samples", "benchmark_profile"),
    summary=summary,
)
