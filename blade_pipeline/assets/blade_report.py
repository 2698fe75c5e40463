"""The run's report in every published form."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from blade_pipeline.assets.code import analysis_code
from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Markdown, Stage
from blade_pipeline.method.coverage import mask_rate
from blade_pipeline.method.graded import MEAN_REWARD, MEAN_SCORE, PASS_AT_1, any_by_mean_score
from blade_pipeline.method.package import calibration, records
from blade_pipeline.method.verification import DOCUMENTS, Evidence, Verifier, queries_of, wrongs
from blade_pipeline.reporting import ReportInputs, build_report, markdown_summary, scores_plot, verdict, with_previous
from blade_pipeline.storage import Artifact

_FILES = (
    "report.html",
    "report.md",
    "metrics.json",
    "previous_metrics.json",
    "coverage.json",
    "comparability.json",
    "anchor_facts.json",
    "shallow.md",
)
_TRENDS = {"pass_at_1": "pass@1", "coverage": "coverage", "mask_rate": "mask rate"}
DEPS = (
    "run_manifest",
    "coverage",
    "pass_at_k",
    "outcome_buckets",
    "aligned_samples",
    "workflow_funnel",
    "failure_modes",
    "trajectory_contrasts",
    "rollout_excerpts",
    "root_causes",
    "run_comparison",
    "anchor_facts",
    "benchmark_profile",
    "analyst_labels",
)


def compute(inputs: Inputs) -> Artifact:
    """The files, and a document with their digests and the headline that lists of runs show."""
    given = given_to(inputs)
    last = inputs.previous()
    given = with_previous(given, analysis_code(), inputs.assets_read, dict(last.document or {}) if last else {})
    inputs.follows(given.previous)
    files = build_report(given)
    interval, mean = (given.scores["intervals"].get(name) or {} for name in (PASS_AT_1, MEAN_REWARD))
    headline = {
        "verdict": verdict(given),
        "coverage": given.coverage["coverage"],
        "measured_share": given.coverage["measured_share"],
        "mask_rate": mask_rate(given.coverage["accounting"]),
        "pass_at_1": given.scores["pass_at_1"],
        "low": interval.get("low"),
        "high": interval.get("high"),
        "level": interval.get("level"),
        "headline_metric": given.scores.get("headline_metric", PASS_AT_1),
        "mean_reward": given.scores["mean_reward"],
        "mean_reward_low": mean.get("low"),
        "mean_reward_high": mean.get("high"),
    }
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    verification = _verified(files, inputs)
    document: dict[str, Any] = {"headline": headline, "summary": markdown_summary(given), "files": digests}
    document |= {"verification": verification, "package": _packaged(files)}
    document |= {"edition": given.edition, "previous": given.previous}
    return Artifact(document=document | {"plot": scores_plot(given.scores)}, files=files)


def _verified(files: Mapping[str, bytes], inputs: Inputs) -> dict[str, Any]:
    """What the published files say otherwise than the rows, by place and kind; no value and no text of a rollout."""
    evidence = Evidence(
        benchmark=inputs.cell.benchmark,
        run=str(inputs.cell.run),
        aligned=inputs.table("aligned_samples"),
        rows=None,
        modes=inputs.table("failure_modes"),
        buckets=inputs.table("outcome_buckets"),
        documents={name: inputs.document(name) for name in DOCUMENTS},
        paired=inputs.table("run_comparison"),
        queries=queries_of(inputs.document("anchor_facts")),
    )
    verifier = Verifier(evidence)
    return wrongs(
        {
            "report.md": verifier.report(files["report.md"].decode()),
            "metrics.json": verifier.sidecar(json.loads(files["metrics.json"])),
            "coverage.json": verifier.coverage(json.loads(files["coverage.json"])),
        }
    )


def _packaged(files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the benchmark's package asks of a golden report."""
    report, shallow = files["report.md"].decode(), files["shallow.md"].decode()
    facts = records(json.loads(files["anchor_facts.json"]))
    scores = calibration(report, shallow, facts, strict=True)["summary"]
    return {"lines": len(report.splitlines()), "facts": len(facts), "calibration": scores}


def given_to(inputs: Inputs) -> ReportInputs:
    """Everything that a report of the run is made from."""
    return ReportInputs(
        benchmark=inputs.cell.benchmark,
        run=str(inputs.cell.run),
        manifest=inputs.document("run_manifest"),
        coverage=inputs.document("coverage"),
        scores=inputs.document("pass_at_k"),
        per_task=inputs.table("pass_at_k"),
        buckets=inputs.table("outcome_buckets"),
        buckets_document=inputs.document("outcome_buckets"),
        aligned=inputs.table("aligned_samples"),
        funnel=inputs.document("workflow_funnel"),
        modes=inputs.document("failure_modes"),
        modes_table=inputs.table("failure_modes"),
        contrasts=inputs.document("trajectory_contrasts"),
        causes=inputs.document("root_causes"),
        comparison=inputs.document("run_comparison"),
        facts=inputs.document("anchor_facts"),
        profile=inputs.document("benchmark_profile"),
        labels_document=inputs.document("analyst_labels"),
        paired=inputs.table("run_comparison"),
        excerpts=inputs.table("rollout_excerpts"),
    )


def summary(artifact: Artifact) -> dict[str, object]:
    """The report's short table, its scores as a plot where there is an interval, and the numbers that have trends."""
    document = artifact.document or {}
    plot, headline = document["plot"], document["headline"]
    shown = {"summary": Markdown(document["summary"]), "plot of the scores": Markdown(plot) if plot else None}
    trends = {MEAN_REWARD: MEAN_SCORE} if any_by_mean_score([headline]) else {}
    return shown | {label: headline[name] for name, label in (trends | _TRENDS).items()}


STAGE = Stage(
    name="blade_report",
    level="run",
    group="reports",
    description="The published report of the run, as HTML, Markdown and JSON: open the file named under report. Every "
    "number traces to rows; the plots show pass@1, coverage and mask rate from run to run.",
    compute=compute,
    deps=DEPS,
    kinds=("jinja", "html"),
    publishes=_FILES,
    summary=summary,
)
