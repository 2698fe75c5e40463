"""Where in the workflow rollouts are lost."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.needed import of_symptoms
from blade_pipeline.method.profiles import of_file, profile_of
from blade_pipeline.storage import Artifact

_SHOWN = ("phase", "entered", "reached", "survival")


def compute(inputs: Inputs) -> Artifact:
    """The funnel document."""
    document = inputs.document("benchmark_profile")
    profile = profile_of(document)
    with of_file(document):
        return Artifact(document=funnel(inputs.table("aligned_samples", of_symptoms(profile)), profile))


def summary(artifact: Artifact) -> dict[str, object]:
    """Rollouts that reach each phase."""
    phases = (artifact.document or {})["phases"]
    return {"phases": [{name: phase[name] for name in _SHOWN} for phase in phases]}


STAGE = Stage(
    name="workflow_funnel",
    level="run",
    group="diagnosis",
    description="How many rollouts reach each phase of the workflow, and where most are lost.",
    compute=compute,
    deps=("aligned_samples", "benchmark_profile"),
    summary=summary,
)
