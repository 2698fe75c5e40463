"""Published scores that the benchmark's runs are held against."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.profiles import load_references
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The checked references, or none."""
    return Artifact(document=load_references(inputs.folder, inputs.cell.benchmark))


def summary(artifact: Artifact) -> dict[str, object]:
    """How many references there are, and their scores."""
    references = (artifact.document or {})["references"]
    shown = [{key: entry[key] for key in ("name", "metric", "score", "scale")} for entry in references]
    return {"references": len(references), "scores": shown}


STAGE = Stage(
    name="reference_scores",
    level="benchmark",
    group="team_files",
    description="External reference scores of the benchmark, with their source and configuration; or their absence.",
    compute=compute,
    folder="references",
    kinds=("yaml",),
    summary=summary,
)
