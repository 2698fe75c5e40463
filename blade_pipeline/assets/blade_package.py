"""Whether the benchmark's BLADE package is ready: D1 skill, D2 rollouts, D3 golden reports."""

from typing import Any

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Stage
from blade_pipeline.method.comparison import Pairs
from blade_pipeline.method.package import readiness
from blade_pipeline.storage import Artifact


def compute(inputs: Inputs) -> Artifact:
    """What each deliverable has and lacks, over the benchmark's live runs."""
    has_profile = bool(inputs.document("benchmark_profile").get("present"))
    runs = [_run(inputs.of(run), run) for run in inputs.live_runs]
    pairs = Pairs(inputs.table("comparability")).briefs
    return Artifact(document=readiness(inputs.cell.benchmark, has_profile=has_profile, runs=runs, pairs=pairs))


def _run(inputs: Inputs, run: str) -> dict[str, Any]:
    report = inputs.document("blade_report")
    wrong = len(report["verification"]["wrong"])
    model = inputs.document("run_manifest")["values"]["model"]["value"]
    measured = inputs.document("pass_at_k")["num_rollouts"]
    return {"run": run, "model": model, "num_rollouts": measured, "contradicted": wrong, **report["package"]}


def summary(artifact: Artifact) -> dict[str, object]:
    """Readiness per deliverable."""
    document = artifact.document or {}
    rows = [
        {"deliverable": name, "ready": part["ready"], "has": len(part["has"]), "lacks": "; ".join(part["lacks"])}
        for name, part in document["deliverables"].items()
    ]
    return {"ready": document["ready"], "deliverables": rows}


STAGE = Stage(
    name="blade_package",
    level="benchmark",
    group="reports",
    description="What a BLADE package of the benchmark has and lacks; blade package writes it.",
    compute=compute,
    deps=("benchmark_profile", "comparability", "run_manifest", "pass_at_k", "blade_report"),
    kinds=("json",),
    summary=summary,
)
