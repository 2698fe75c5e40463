"""The benchmark's runs in order, with the ranks that the data can tell apart."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.comparison import Side, model_comparison
from blade_pipeline.storage import Artifact
from blade_pipeline.tables import ALIGNED_SAMPLES


def compute(inputs: Inputs) -> Artifact:
    """The leaderboard of the runs that were compared."""
    pairs = inputs.document("comparability")
    sides = [_scored(inputs.of(run)) for run in inputs.live_runs if run in pairs["runs"]]
    return Artifact(document=model_comparison(inputs.cell.benchmark, sides, pairs))


def _scored(inputs: Inputs) -> Side:
    """A side without its samples, which no rank needs."""
    return Side(
        run=str(inputs.cell.run),
        manifest=inputs.document("run_manifest"),
        coverage=inputs.document("coverage"),
        scores=inputs.document("pass_at_k"),
        per_task=inputs.table("pass_at_k"),
        aligned=ALIGNED_SAMPLES.empty_table(),
    )


def summary(artifact: Artifact) -> dict[str, object]:
    """The leaderboard."""
    rows = (artifact.document or {})["leaderboard"]
    shown = ("run", "model", "pass_at_1", "low", "high")
    return {"leaderboard": [{name: row[name] for name in shown} for row in rows]}


STAGE = Stage(
    name="model_comparison",
    level="benchmark",
    group="comparison",
    description="Leaderboard of the benchmark's runs with rank ranges.",
    compute=compute,
    deps=("run_manifest", "coverage", "pass_at_k", "comparability"),
    summary=summary,
)
