"""``blade analyze``: brings every run and its report up to date."""

import sys
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.cli.options import existing, folder_options, json_option, runs_argument
from blade_pipeline.cli.output import interval, mean_score, note, percent, print_json, print_table, progress_shown
from blade_pipeline.storage import SHAREABLE, Cell

if TYPE_CHECKING:
    from blade_pipeline.automation.analysis import Analysis


@click.command(name="analyze")
@runs_argument
@folder_options("store", "profiles", "references", "labels")
@click.option("--benchmark", metavar="B", help="Only this benchmark.")
@click.option("--run", metavar="R", help="Only this run and its benchmark's pages.")
@click.option("--shareable", is_flag=True, help="Also build reports that may leave the team (docs/sharing.md).")
@click.option("--rehash", is_flag=True, help="Read every file again instead of trusting unchanged size and times.")
@click.option("--strict", is_flag=True, help="Exit 1 when a run's coverage is below 100% or unknown.")
@json_option
def command(
    runs: str,
    store: str,
    profiles: str,
    references: str,
    labels: str,
    benchmark: str | None,
    run: str | None,
    shareable: bool,
    rehash: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Analyse run directories below RUNS (default data/runs) and publish their reports.

    Only what is new or changed is recomputed; a second call on the same files recomputes nothing and says so.
    """
    from blade_pipeline.assets.settings import Settings
    from blade_pipeline.assets.stray import stray_labels
    from blade_pipeline.automation.analysis import analyse
    from blade_pipeline.automation.notify import notify

    settings = Settings(runs=existing(runs), store=store, profiles=profiles, references=references, labels=labels)
    with ExitStack() as stack:
        progress = None if as_json else stack.enter_context(progress_shown())
        analysis = analyse(
            settings, benchmark=benchmark, run=run, trusted=not rehash, shareable=shareable, progress=progress
        )
    if not analysis.cells:
        raise UsageProblem(_nothing(runs, benchmark, run, analysis))
    if as_json:
        print_json(_document(analysis))
    else:
        _print(analysis)
        if shareable:
            note(_told_of_sharing(analysis))
    for sentence in stray_labels(settings.folders["labels"], analysis.live.known()):
        note(f"warning: {sentence}")
    for problem in notify(analysis.live, settling=False):
        note(problem)
    errors = analysis.errors + (_refusals(analysis) if strict else [])
    for sentence in errors:
        note(f"blade: {sentence}")
    if errors:
        sys.exit(1)


def _told_of_sharing(analysis: "Analysis") -> str:
    """Where the shareable editions lie, and how many runs have one."""
    store = analysis.live.store
    made = sum(bool(store.shared_by("shareable_report", cell)) for cell in analysis.cells)
    folder = store.path(SHAREABLE)
    return f"{made} of {len(analysis.cells)} runs have a shareable report below {folder}; share nothing else"


def _refusals(analysis: "Analysis") -> list[str]:
    """One sentence per run that is not known to be whole."""
    lacks = {cell: _lack(analysis, cell) for cell in analysis.cells if analysis.live.has("coverage", cell)}
    return [f"{cell} is not whole: {lack}, and --strict refuses that." for cell, lack in lacks.items() if lack]


def _lack(analysis: "Analysis", cell: Cell) -> str | None:
    accounting = (analysis.live.read("coverage", cell).artifact.document or {})["accounting"]
    planned, absent = accounting["expected"], accounting["failed"] + accounting["missing"]
    if not planned:
        return "how many rollouts were planned is unknown"
    return f"{planned - absent} of {planned} planned rollouts gave a result" if absent else None


def _nothing(runs: str, benchmark: str | None, run: str | None, analysis: "Analysis") -> str:
    asked = "".join(f" of {kind} {name}" for kind, name in (("benchmark", benchmark), ("run", run)) if name)
    there = sorted({str(cell) for cell in analysis.live.here})
    hint = f"there are {', '.join(there[:10])}" if there else "give the folder that holds <benchmark>/<model_run>/"
    problems = "".join(f" {problem}" for problem in analysis.live.problems)
    return f"No run directory{asked} below {runs}; {hint}.{problems}"


def _print(analysis: "Analysis") -> None:
    runs = [_run(analysis, cell) for cell in analysis.cells]
    means = [mean_score(run) for run in runs]
    graded = ["mean score"] if {*means} != {"-"} else []
    columns = ("benchmark", "run", "coverage", *graded, "pass@1", "interval", "verdict", "report")
    rows = [_row(run, [mean] if graded else []) for run, mean in zip(runs, means, strict=True)]
    print_table(columns, rows, right=("coverage", "pass@1"))
    for cell, reason in analysis.growing.items():
        note(f"{cell} may still be being written ({reason}); it was analysed as it stands")
    made = len(analysis.update.made)
    if made:
        changed = {due.cell for due in analysis.update.made if due.cell.run is not None}
        note(f"{made} artifacts of {len(changed)} runs recomputed, {analysis.update.current} were current")
    elif not analysis.errors:
        note(f"nothing changed: {len(analysis.cells)} reports are current")


def _row(run: dict[str, Any], mean: list[str]) -> tuple[str, ...]:
    shown = (percent(run["coverage"]), *mean, percent(run["pass_at_1"]), interval(run["low"], run["high"]))
    return run["benchmark"], str(run["run"]), *shown, run["verdict"] or run["state"], run["report"] or "-"


def _run(analysis: "Analysis", cell: Cell) -> dict[str, Any]:
    """The headline of a run and where its report lies; nulls where there is none."""
    live, headline, report = analysis.live, dict[str, Any](), None
    if live.has("blade_report", cell):
        headline = (live.read("blade_report", cell).artifact.document or {})["headline"]
        report = live.store.report_path(cell, "report.html")
    mean = ("headline_metric", "mean_reward", "mean_reward_low", "mean_reward_high")
    names = ("coverage", "measured_share", *mean, "pass_at_1", "low", "high", "level", "verdict")
    return {
        "benchmark": cell.benchmark,
        "run": cell.run,
        **{name: headline.get(name) for name in names},
        "report": report,
        "state": _state(analysis, cell),
    }


def _state(analysis: "Analysis", cell: Cell) -> str:
    update = analysis.update
    if any(of == cell for _, of in (*update.failed, *update.skipped)):
        return "failed"
    return "recomputed" if any(due.cell == cell for due in update.made) else "current"


def _document(analysis: "Analysis") -> dict[str, Any]:
    update = analysis.update
    return {
        "schema_version": 1,
        "runs": [_run(analysis, cell) for cell in analysis.cells],
        "recomputed": dict(Counter(due.stage.name for due in update.made)),
        "current": update.current,
        "failed": [_failure(stage, cell, why) for (stage, cell), why in update.failed.items()],
        "skipped": [
            _failure(stage, cell, f"{above[0]} of {above[1]}") for (stage, cell), above in update.skipped.items()
        ],
        "growing": [_failure("raw_rollouts", cell, why) for cell, why in analysis.growing.items()],
        "problems": analysis.live.problems,
    }


def _failure(stage: str, cell: Cell, why: str) -> dict[str, Any]:
    return {"asset": stage, "benchmark": cell.benchmark, "run": cell.run, "because": why}
