"""Root causes as an analyst read them."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.profiles import load_labels
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The checked labels of the run, or none."""
    return Artifact(document=load_labels(inputs.folder, inputs.cell.benchmark, str(inputs.cell.run)))


def summary(artifact: Artifact) -> dict[str, object]:
    """How many tasks are labelled."""
    return {"labelled tasks": len((artifact.document or {})["labels"])}


STAGE = Stage(
    name="analyst_labels",
    level="run",
    group="team_files",
    description="Root-cause labels that an analyst wrote for tasks of this run; or their absence.",
    compute=compute,
    folder="labels",
    kinds=("yaml",),
    summary=summary,
)
