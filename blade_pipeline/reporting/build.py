"""The files that a run publishes, and the short table that its materialization shows."""

import json
from typing import Any

from blade_pipeline.method.package import shallow_baseline
from blade_pipeline.reporting.html import to_html
from blade_pipeline.reporting.inputs import ReportInputs
from blade_pipeline.reporting.markdown import to_markdown
from blade_pipeline.reporting.metrics import dominant_mode, metrics, value_of
from blade_pipeline.reporting.numbers import finite, share
from blade_pipeline.reporting.text import clean, code_span, markdown, published
from blade_pipeline.reporting.view import report_document
from blade_pipeline.reporting.view.run_scores import MEAN, PASS, run_score
from blade_pipeline.reporting.view.summary import interval_for, verdict, verdict_words


def build_report(inputs: ReportInputs) -> dict[str, bytes]:
    """Every published file of a run by name; the same inputs give the same bytes."""
    document = report_document(inputs)
    report = to_markdown(document)
    texts = {
        "report.md": report,
        "report.html": to_html(document),
        "shallow.md": shallow_baseline(report, "report"),
        "metrics.json": to_json(metrics(inputs)),
        "previous_metrics.json": to_json(_previous_metrics(inputs)),
        "coverage.json": to_json(inputs.coverage),
        "comparability.json": to_json(inputs.comparison["pairs"]),
        "anchor_facts.json": to_json(_anchor_facts(inputs)),
    }
    return {name: text.encode() for name, text in texts.items()}


def to_json(value: Any) -> str:
    """JSON with sorted keys, null for NaN and infinities, ASCII only, without addresses and secrets."""
    return json.dumps(published(finite(value)), sort_keys=True, indent=2, allow_nan=False) + "\n"


def _previous_metrics(inputs: ReportInputs) -> dict[str, Any]:
    return {"present": True, **inputs.previous["metrics"]} if inputs.previous else {"present": False}


def _anchor_facts(inputs: ReportInputs) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "benchmark": inputs.benchmark,
        "run": inputs.run,
        "model": value_of(inputs.manifest, "model"),
        "anchor_facts": inputs.facts["facts"],
    }


def _named(mode: dict[str, Any]) -> str:
    """A failure mode with its share; words of a verifier are left out."""
    name = "a verifier message" if mode.get("source") == "verifier" else code_span(clean(mode["code"]))
    return f"{name}, {share(mode['count'], mode['total_failed'], 'failed rollouts')}"


def markdown_summary(inputs: ReportInputs) -> str:
    """A Markdown table of names and numbers for a materialization's metadata; it holds no free text."""
    scores, counts = inputs.scores, inputs.coverage["accounting"]
    score = run_score([scores])
    interval = interval_for(scores, score.key, "new_tasks") or {}
    mode = dominant_mode(inputs.modes)
    known = counts["expected"] is not None
    name, pairs = verdict(inputs), inputs.comparison["pairs"]
    completed = counts["measured"] + counts["masked"] + counts["unscored"]
    rows = {
        "verdict": f"{verdict_words(name, pairs[0] if pairs else None)[0]} ({markdown(clean(name))})",
        score.name: score.form(scores[score.key]),
        "interval, new tasks": f"{score.form(interval['low'])} to {score.form(interval['high'])}"
        if interval
        else "none",
        **({PASS.name: PASS.of(scores)} if score is MEAN else {}),
        "passed": share(scores["passed_rollouts"], scores["num_rollouts"], "measured rollouts"),
        "coverage": share(completed, counts["expected"], "expected rollouts") if known else "unknown",
        "dominant failure": _named(mode) if mode else "none",
    }
    lines = ["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows.items())]
    return "\n".join(lines) + "\n"
