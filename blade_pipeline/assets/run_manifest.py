"""Where the run comes from: model, sampling, judge, harness, commit, each with its source."""

from typing import Any

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
    stated = _stated(inputs.document("benchmark_profile"))
    tables = inputs.table("raw_rollouts"), inputs.table("expected_rollouts")
    document = read_manifest(inputs.run_directory, *tables, stated)
    read = [file for file in document["files"] if file["role"] in _READ]
    return Artifact(document=document, versioned={**document, "files": read})


def _stated(profile: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The dataset's redaction limits, which no file of a run records."""
    limits = profile["profile"].get("redaction_limits")
    return {} if limits is None else {"redaction_limits": (limits, f"profile {profile['file']} redaction_limits")}


def summary(artifact: Artifact) -> dict[str, object]:
    """The best-known values and where they were read."""
    values = (artifact.document or {})["values"]
    rows = [{"value": key, "is": values[key]["value"], "source": values[key]["source"]} for key in _SHOWN]
    return {"files": len((artifact.document or {})["files"]), "values": rows}


STAGE = Stage(
    name="run_manifest",
    level="run",
    group="run_files",
    description="Every file with role and size; model, sampling, judge, harness, commit and dataset with their source.",
    compute=compute,
    deps=("raw_rollouts", "expected_rollouts", "benchmark_profile"),
    reads=_READ,
    kinds=("yaml", "json"),
    summary=summary,
)
