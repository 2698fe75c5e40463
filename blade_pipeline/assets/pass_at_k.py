"""What the run scored, per task and overall."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.columns import PASS_AT_K
from blade_pipeline.method.needed import OF_SCORES, SCORED_ROWS
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.method.scores import scores
from blade_pipeline.metrics import GYM_NATIVE, ONE_RUN, UNCERTAINTY
from blade_pipeline.storage import Artifact

_SHOWN = {
    "pass_at_1": "pass@1",
    "pass_at_k": "pass@k",
    "consistency": "pass^k",
    "k": "k",
    "num_tasks": "tasks measured",
    "num_rollouts": "rollouts measured",
    "mean_reward": "mean reward",
}


def compute(inputs: Inputs) -> Artifact:
    """Rows of ``PASS_AT_K`` and the score document."""
    profile = profile_of(inputs.document("benchmark_profile"))
    aligned = inputs.table("aligned_samples", OF_SCORES)
    return Artifact(*scores(aligned, inputs.table("raw_rollouts", SCORED_ROWS), profile))


def summary(artifact: Artifact) -> dict[str, object]:
    """The headline scores, and pass@k and pass^k with the tasks that they speak of."""
    document = artifact.document or {}
    by_k = [
        {
            "k": k,
            "pass@k": entry["value"],
            "pass^k": document["pass_hat"][k]["value"],
            "eligible tasks": f"{entry['eligible_tasks']} of {entry['total_tasks']}",
        }
        for k, entry in document["pass_at"].items()
    ]
    return {label: document[name] for name, label in _SHOWN.items()} | {"by k": by_k}


STAGE = Stage(
    name="pass_at_k",
    level="run",
    group="scores",
    description="pass@k and pass^k per task and run, with intervals, bounds, variance split, NeMo Gym's numbers.",
    compute=compute,
    columns=PASS_AT_K,
    metrics=(*ONE_RUN, *UNCERTAINTY, *GYM_NATIVE),
    deps=("aligned_samples", "raw_rollouts", "benchmark_profile"),
    summary=summary,
)
