"""``blade show``: one analysed run in the terminal."""

from typing import Any

import click

from blade_pipeline.cli.options import folder_options, json_option
from blade_pipeline.cli.output import console, interval, mean_score, percent, print_json, print_table
from blade_pipeline.cli.stored import artifact_of, open_store
from blade_pipeline.storage import Cell, Store

_MODES = 10


@click.command(name="show")
@click.argument("benchmark")
@click.argument("run")
@folder_options("store")
@json_option
def command(benchmark: str, run: str, store: str, as_json: bool) -> None:
    """Show one analysed run: score, coverage, buckets, funnel, failure modes and where its report lies."""
    from blade_pipeline.reporting.text import published

    opened, cell = open_store(store), Cell(benchmark, run)
    report = dict(artifact_of(opened, "blade_report", cell).document or {})
    if as_json:
        import json

        print_json(json.loads(opened.read_bytes("reports", benchmark, run, "metrics.json") or b"{}"))
        return
    _headline(opened, cell, report["headline"])
    _accounting(dict(artifact_of(opened, "coverage", cell).document or {}))
    buckets = dict(artifact_of(opened, "outcome_buckets", cell).document or {})
    _buckets(buckets["counts"], buckets["total_tasks"])
    _funnel(published(artifact_of(opened, "workflow_funnel", cell).document or {}))
    _modes(published(artifact_of(opened, "failure_modes", cell).document or {}))
    for pair in published((artifact_of(opened, "run_comparison", cell).document or {})["pairs"]):
        console().print(f"\n{pair['sentence']}")
    console().print(f"\nreport: {opened.report_path(cell, 'report.html')}")


def _headline(store: Store, cell: Cell, headline: dict[str, Any]) -> None:
    manifest = dict(artifact_of(store, "run_manifest", cell).document or {})
    model = manifest["values"]["model"]["value"] or "unknown model"
    mean = mean_score(headline)
    shown = f"pass@1 {percent(headline['pass_at_1'])} ({interval(headline['low'], headline['high'])})"
    console().print(f"{cell}  {model}")
    if mean != "-":
        console().print(f"mean score {mean}, by which this run goes: its scores are graded")
    console().print(f"{shown}, coverage {percent(headline['coverage'])}, verdict {headline['verdict']}\n")


def _accounting(document: dict[str, Any]) -> None:
    counts = {name: count for name, count in document["accounting"].items() if isinstance(count, int) and count}
    console().print(f"accounting: {', '.join(f'{count} {name}' for name, count in counts.items()) or 'none'}")


def _buckets(counts: dict[str, int], total: int) -> None:
    parts = [f"{count} of {total} {name.replace('_', ' ')}" for name, count in counts.items() if count]
    console().print(f"tasks: {', '.join(parts) or 'none'}")


def _funnel(document: dict[str, Any]) -> None:
    rows = [(phase["phase"], str(phase["entered"]), str(phase["reached"])) for phase in document["phases"]]
    console().print()
    print_table(("phase", "entered", "reached"), rows, right=("entered", "reached"))


def _modes(document: dict[str, Any]) -> None:
    modes, failed = document["modes"], document["total_failed"]
    if not modes:
        return
    rows = [(mode["code"], f"{mode['count']} of {failed}", str(mode["tasks"])) for mode in modes[:_MODES]]
    console().print()
    print_table(("failure mode", "of failed rollouts", "tasks"), rows, right=("of failed rollouts", "tasks"))
    if len(modes) > _MODES:
        console().print(f"and {len(modes) - _MODES} more")
