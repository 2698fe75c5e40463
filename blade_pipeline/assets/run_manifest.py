"""Where the run comes from: model, sampling, judge, harness, commit, each with its source."""

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.gym import read_manifest
from blade_pipeline.storage import Artifact

_READ = tuple(
    "run_yaml submit_config resolved_config gym_job rollouts reverified reward_profiling materialized_inputs "
    "failures aggregate_metrics agent_metrics repeat_level_metrics rollout_verdicts quality_summary".split()
)
_SHOWN = ("model", "checkpoint", "harness", "judge", "temperature", "max_output_tokens", "scoring_commit", "dataset")


def compute(inputs: Inputs) -> Artifact:
    """The manifest; files that no stage reads, such as a growing log, are listed outside the data version."""
    document = read_manifest(inputs.run_directory, inputs.table("raw_rollouts"), inputs.table("expected_rollouts"))
    read = [file for file in document["files"] if file["role"] in _READ]
    return Artifact(document=document, versioned={**document, "files": read})


def summary(artifact: Artifact) -> dict[str, object]:
    """The best-known values and where they were read."""
    values = (artifact.document or {})["values"]
    rows = [{"value": key, "is": values[key]["value"], "source": values[key]["source"]} for key in _SHOWN]
    return {"files": len((artifact.document or {})["files"]), "values": rows}


STAGE = Stage(
    name="run_manifest",
    level="run",
    group="reading",
    description="Every file with role and size; model, sampling, judge, harness, commit and dataset with their source.",
    compute=compute,
    deps=("raw_rollouts", "expected_rollouts"),
    reads=_READ,
    kinds=("yaml", "json"),
    summary=summary,
)
