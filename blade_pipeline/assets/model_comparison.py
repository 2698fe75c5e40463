"""The benchmark's runs in order, with the ranks that the data can tell apart."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.sides import side_of
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.comparison import Pairs, model_comparison
from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.storage import Artifact

_MEAN = ("mean_reward", "mean_reward_low", "mean_reward_high")


def compute(inputs: Inputs) -> Artifact:
    """The leaderboard of the runs that were compared."""
    compared, pairs = inputs.document("comparability")["runs"], Pairs(inputs.table("comparability"))
    runs = {run: inputs.of(run) for run in inputs.live_runs if run in compared}
    sides = [side_of(of_run, samples=False) for of_run in runs.values()]
    funnels = {run: of_run.document("workflow_funnel") for run, of_run in runs.items()}
    return Artifact(document=model_comparison(inputs.cell.benchmark, sides, pairs, funnels))


def summary(artifact: Artifact) -> dict[str, object]:
    """The leaderboard."""
    document = artifact.document or {}
    rows, mean = document["leaderboard"], document["metric"] == MEAN_REWARD
    shown = ("run", "model", *(_MEAN if mean else ()), "pass_at_1", "low", "high")
    return {"leaderboard": [{name: row[name] for name in shown} for row in rows]}


STAGE = Stage(
    name="model_comparison",
    level="benchmark",
    group="comparison",
    description="Leaderboard of the benchmark's runs with rank ranges, and the funnel of each.",
    compute=compute,
    deps=("run_manifest", "coverage", "pass_at_k", "workflow_funnel", "comparability"),
    summary=summary,
)
