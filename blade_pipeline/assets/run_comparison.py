"""The run against its baseline and against published references."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.sides import SIDE, side_of
from blade_pipeline.assets.stage import Stage
from blade_pipeline.assets.summaries import verdicts
from blade_pipeline.columns import PAIRED_TASKS
from blade_pipeline.method.comparison import Behaviour, Failures, paired_tasks, run_comparison
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.metrics import TWO_RUNS
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """The comparison document of the run, and rows of ``PAIRED_TASKS``."""
    baseline, reason = inputs.baseline
    other = _behaviour(inputs.of(baseline)) if baseline is not None else None
    references = inputs.document("reference_scores")
    profile = profile_of(inputs.document("benchmark_profile"))
    run = _behaviour(inputs)
    pairs = paired_tasks(run.side, other.side if other else None)
    return Artifact(pairs, run_comparison(run, other, references, profile, reason))


def _behaviour(inputs: Inputs) -> Behaviour:
    failures = Failures(inputs.table("failure_modes"), inputs.document("failure_modes"))
    return Behaviour.of(side_of(inputs), inputs.table("aligned_samples"), failures)


def summary(artifact: Artifact) -> dict[str, object]:
    """Baseline and verdict."""
    document = artifact.document or {}
    return {"baseline": document["baseline"], "verdict": verdicts(document["pairs"])}


STAGE = Stage(
    name="run_comparison",
    level="run",
    group="comparison",
    description="Score triage of this run against its baseline and its references.",
    compute=compute,
    columns=PAIRED_TASKS,
    metrics=TWO_RUNS,
    deps=(*SIDE, "failure_modes", "benchmark_profile", "reference_scores"),
    looks_across=True,
    summary=summary,
)
