"""``blade runs``: what was discovered."""

import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click

from blade_pipeline.cli.options import existing, json_option, runs_argument
from blade_pipeline.cli.output import note, print_json, print_table


@click.command(name="runs")
@runs_argument
@json_option
def command(runs: str, as_json: bool) -> None:
    """List run directories below RUNS (default data/runs): their files, and whether they are still being written."""
    from blade_pipeline.environment import QUIET_SECONDS
    from blade_pipeline.gym import discover

    discovery = discover(Path(existing(runs)))
    quiet = QUIET_SECONDS.amount()
    found = [_described(run, quiet) for run in discovery.runs]
    if as_json:
        print_json({"schema_version": 1, "runs": found, "problems": discovery.problems})
    elif found:
        print_table(("benchmark", "run", "directory", "files", "state", "why"), [_row(run) for run in found])
    else:
        note(f"No run directory below {runs}; give the folder that holds <benchmark>/<model_run>/.")
    for problem in discovery.problems:
        note(f"blade: {problem}")
    if discovery.problems:
        sys.exit(1)


def _described(run: Any, quiet: float) -> dict[str, Any]:
    from blade_pipeline.gym import settled
    from blade_pipeline.models import BladeError

    try:
        ok, reason = settled(run, time.time(), quiet)
    except BladeError as error:
        ok, reason = False, str(error)
    return {
        "benchmark": run.benchmark,
        "run": run.run,
        "directory": str(run.path),
        "layout": run.layout,
        "files": dict(sorted(Counter(file.role for file in run.files).items())),
        "complete": ok,
        "reason": reason,
    }


def _row(run: dict[str, Any]) -> tuple[str, ...]:
    files = ", ".join(role if count == 1 else f"{count} {role}" for role, count in run["files"].items())
    state = "complete" if run["complete"] else "being written"
    return run["benchmark"], run["run"], run["directory"], files, state, run["reason"]
