"""Everything that a shareable report may say of a run: numbers, words of our own, and names that may leave."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blade_pipeline.method.comparison.moved_slices import moved_slices
from blade_pipeline.reporting.inputs import Json, ReportInputs
from blade_pipeline.reporting.metrics import dominant_mode, metrics
from blade_pipeline.reporting.sharing.allow import plain, task
from blade_pipeline.reporting.sharing.facts import shared_facts
from blade_pipeline.reporting.sharing.names import Names
from blade_pipeline.reporting.sharing.shapes import (
    ABLATION,
    ABLATION_ROW,
    CAUSES,
    COVERAGE,
    FAILED,
    METRICS,
    PAIR,
    REPRESENTATIVES,
    VERDICT,
)
from blade_pipeline.reporting.sharing.texts import Texts
from blade_pipeline.reporting.view.summary import verdict


@dataclass(frozen=True)
class Shared:
    """Documents in the shapes of the ordinary ones, with nothing in them that must stay behind."""

    metrics: Json
    coverage: Json
    pairs: list[Json]
    facts: list[Json]
    verdict: str
    phases: list[Json]
    tasks: list[Json]
    modes: list[Json]
    causes: Json
    notes: list[Json]
    slices: list[Json]
    moved: list[list[Json]]
    failed: list[Json]
    representatives: Json


def share(inputs: ReportInputs, names: Names) -> Shared:
    """Passes a run's documents through the shapes of what may be shared, section by section."""
    texts = Texts(names, (inputs.profile or {}).get("profile", {}).get("shareable_texts", ()))
    texts.learn(inputs.modes["modes"])
    with names.section("Aggregate Results"):
        numbers = METRICS(metrics(inputs), names)
        coverage = COVERAGE(inputs.coverage, names)
        apart = {(row["field"], row["value"]): row for row in inputs.scores.get("slices") or ()}
        split = inputs.coverage["by"]["slice"]
        slices = [_slice(row, apart.get((row["field"], row["value"]), {}), texts) for row in split]
        failed = FAILED(inputs.coverage.get("failure_messages") or [], names)
    with names.section("Workflow Funnel"):
        phases = [_phase(row, texts) for row in inputs.funnel["phases"]]
    with names.section("Task Outcome Buckets"):
        tasks = [_task(row, names) for row in inputs.buckets.to_pylist()]
    with names.section("Dominant Failure Modes"):
        modes = [_mode(mode, texts) for mode in inputs.modes["modes"]]
        leading = dominant_mode(inputs.modes)
        numbers["dominant_failure_type"] = texts.mode(leading["code"]) if leading else None
        numbers["ablation"] = _ablation(inputs.causes["ablation"], texts)
    with names.section("Never-Pass Deep Dives"):
        representatives = REPRESENTATIVES(inputs.contrasts.get("never_pass") or {}, names)
    with names.section("Cross-Model Comparison"):
        pairs = [PAIR(pair, names) for pair in inputs.comparison["pairs"]]
        moved = [_moved(pair, inputs, texts) for pair in inputs.comparison["pairs"]]
        names.take("published score", len(inputs.comparison.get("references") or ()))
    with names.section("Recommendations"):
        causes = CAUSES(inputs.causes, names)
        notes = [_note(label, texts) for label in inputs.causes["labels"] if label["by"] == "analyst"]
    with names.section("Executive Summary"):
        facts = shared_facts(inputs.facts["facts"], texts)
    said = VERDICT(verdict(inputs), names)
    parts = (numbers, coverage, pairs, facts, said, phases, tasks, modes, causes, notes, slices)
    return Shared(*parts, moved, failed, representatives)


def _numbers(row: Mapping[str, Any], keys: str) -> dict[str, Any]:
    return {key: plain(row[key]) for key in keys.split()}


def _slice(row: Json, scored: Json, texts: Texts) -> Json:
    field, value = texts.slice(row["field"], row["value"])
    found = {"field": field, "value": value, **_numbers(row, "measured passed expected coverage")}
    test = scored.get("against_rest") or {}
    return found | {name: plain(test.get(name)) for name in ("score", "rest", "rest_tasks", "q")}


def _ablation(found: Json | None, texts: Texts) -> Json | None:
    """The ablation table with the names of modes that may be shared."""
    if found is None:
        return None
    shaped: Json = ABLATION(found, texts.names)
    return shaped | {
        "modes": {texts.mode(code): ABLATION_ROW(row, texts.names) for code, row in found["modes"].items()}
    }


def _moved(pair: Json, inputs: ReportInputs, texts: Texts) -> list[Json]:
    """The slices that moved between two runs beyond chance, under the names that slices have here."""
    known = {f"{row['field']} = {row['value']}": row for row in inputs.coverage["by"]["slice"]}
    found = []
    for row in moved_slices(pair.get("secondary") or ()):
        if row["name"] in known:
            field, value = texts.slice(known[row["name"]]["field"], known[row["name"]]["value"])
            found.append({"field": field, "of": value, **_numbers(row, "tasks a b value holm_p")})
    return found


def _phase(row: Json, texts: Texts) -> Json:
    return {"phase": texts.phase(row["phase"]), **_numbers(row, "entered reached")}


def _task(row: Json, names: Names) -> Json:
    agent = names.numbered("agent", row["agent"])
    return {"task": task(row["task"], names), "agent": agent, "bucket": row["bucket"]} | _numbers(
        row, "stage measured passed planned"
    )


def _mode(row: Json, texts: Texts) -> Json:
    return {"mode": texts.mode(row["code"]), **_numbers(row, "count total_failed tasks passed_with total_passed")}


def _note(row: Json, texts: Texts) -> Json:
    return {"task": task(row["task"], texts.names), "label": row["label"], "note": texts.note(row.get("note"))}
