"""``blade package``: a benchmark's D1-D3 deliverables as a folder, checked as they are written."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from blade_pipeline.cli.errors import FAILED, UsageProblem
from blade_pipeline.cli.files import FOLDER, write_json, write_text
from blade_pipeline.cli.options import folder_options, json_option
from blade_pipeline.cli.output import console, on_one_line, print_json
from blade_pipeline.cli.stored import open_store
from blade_pipeline.storage import Cell, Registry, Store

_FILES = {
    "report.md": "_golden_report.md",
    "shallow.md": "_shallow.md",
    "anchor_facts.json": "_anchor_facts.json",
}


@click.command(name="package")
@click.argument("benchmark")
@click.option("--out", required=True, type=FOLDER, help="Folder of the package; made, or empty.")
@folder_options("store")
@json_option
def command(benchmark: str, out: Path, store: str, as_json: bool) -> None:
    """Write the BLADE package of an analysed benchmark, and check it as blade validate --strict does.

    skill/SKILL.md is written from the benchmark's profile, rollouts/ holds every run's rows as they are, and
    golden_reports/ each run's report, metrics, anchor facts and shallow baseline. Reports and facts are drafts that a
    person must review. The rollouts are raw: look at them before the package leaves the team. Exit code 1 when the
    package lacks something.
    """
    from blade_pipeline.method.package import told, validate_package

    opened = open_store(store)
    if out.exists() and any(out.iterdir()):
        raise UsageProblem(f"{out} is not empty; name a new folder.")
    inventory = _write(opened, benchmark, out)
    found = told(validate_package(out, strict=True))
    if as_json:
        print_json({"benchmark": benchmark, "out": str(out), **inventory, "validation": found})
    else:
        _show(out, inventory, found)
    sys.exit(0 if found["ok"] else FAILED)


def _write(store: Store, benchmark: str, out: Path) -> dict[str, Any]:
    from blade_pipeline.method.package import skill_text
    from blade_pipeline.method.profiles import profile_of

    runs = _runs(store, benchmark)
    profile = profile_of(dict(store.read("benchmark_profile", Cell(benchmark)).artifact.document or {}))
    write_text(out / "skill" / "SKILL.md", skill_text(benchmark, profile, runs))
    written = []
    for run in runs:
        cell = Cell(benchmark, run)
        for name, ending in _FILES.items():
            write_text(out / "golden_reports" / f"{run}{ending}", _published(store, cell, name))
        metrics = json.loads(_published(store, cell, "metrics.json")) | {"score_field": profile.score}
        write_json(out / "golden_reports" / f"{run}_golden_report_metrics.json", metrics)
        written.append({"run": run, "model": metrics["model"], **_rollouts(store, cell, out)})
    inventory = {"benchmark": benchmark, "review_required": True, "runs": written}
    write_json(out / "package.json", inventory)
    return inventory


def _runs(store: Store, benchmark: str) -> list[str]:
    found = [cell for asset, cell in store.artifacts() if asset == "blade_report" and cell.benchmark == benchmark]
    if not found:
        known = sorted({cell.benchmark for asset, cell in store.artifacts() if asset == "blade_report"})
        raise UsageProblem(f"{benchmark} is not in the store {store.root}; it holds {', '.join(known) or 'nothing'}.")
    return sorted(str(cell.run) for cell in found)


def _published(store: Store, cell: Cell, name: str) -> str:
    content = store.read_bytes("reports", cell.benchmark, str(cell.run), name)
    if content is None:
        raise UsageProblem(f"{store.report_path(cell, name)} is not there; run blade analyze first.")
    return content.decode()


def _rollouts(store: Store, cell: Cell, out: Path) -> dict[str, Any]:
    """Copies the rows of a run; answers how many, how many lines were left out, or why there are none."""
    from blade_pipeline.gym import discover
    from blade_pipeline.method.package import object_lines

    entry = Registry.load(store).entries.get(cell)
    place = Path(entry.directory) if entry is not None else None
    if place is None or not place.is_dir():
        return {"rows": 0, "left_out": 0, "note": "the run directory is gone"}
    runs = [run for run in discover(place).runs if Cell(run.benchmark, run.run) == cell and run.path == place]
    rows = left_out = 0
    target = out / "rollouts" / f"{cell.run}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as stream:
        for line in (line for run in runs for shard in run.rollouts for line in object_lines(shard)):
            rows, left_out = rows + (line is not None), left_out + (line is None)
            stream.write(line or b"")
    return {"rows": rows, "left_out": left_out, "note": None}


def _show(out: Path, inventory: dict[str, Any], found: dict[str, Any]) -> None:
    for run in inventory["runs"]:
        left = f", {run['left_out']} unreadable lines left out" if run["left_out"] else ""
        console().print(f"{run['run']}: {run['rows']} rows{left}{', ' + run['note'] if run['note'] else ''}")
    for finding in (finding for finding in found["findings"] if not finding["ok"]):
        console().print(f"[FAIL] {on_one_line(finding['message'])}")
    console().print(
        f"{out}: {found['passed']} of {found['total']} checks passed; reports and facts are drafts to review"
    )
