"""What the team declares about the benchmark."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.profiles import load_profile
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The checked profile, or the defaults when there is none."""
    return Artifact(document=load_profile(inputs.folder, inputs.cell.benchmark))


def summary(artifact: Artifact) -> dict[str, object]:
    """Whether there is a profile."""
    return {"profile": (artifact.document or {})["file"] or "none, defaults apply"}


STAGE = Stage(
    name="benchmark_profile",
    level="benchmark",
    group="team_files",
    description="The benchmark's profile: score field, threshold, slices, funnel and failure rules; or its absence.",
    compute=compute,
    folder="profiles",
    kinds=("yaml",),
    summary=summary,
)
