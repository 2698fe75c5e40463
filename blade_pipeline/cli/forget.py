"""``blade forget``: removes one run from the store."""

import sys
from typing import TYPE_CHECKING, Any

import click

from blade_pipeline.cli.options import folder_options, json_option
from blade_pipeline.cli.output import note, on_one_line, print_json
from blade_pipeline.storage import Cell, Store

if TYPE_CHECKING:
    from blade_pipeline.automation.forgetting import Removal
    from blade_pipeline.automation.update import Update


@click.command(name="forget")
@click.argument("benchmark")
@click.argument("run")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@click.option("--yes", is_flag=True, help="Remove without asking.")
@folder_options("store", "profiles", "references", "labels")
@json_option
def command(
    benchmark: str,
    run: str,
    dry_run: bool,
    yes: bool,
    store: str,
    profiles: str,
    references: str,
    labels: str,
    as_json: bool,
) -> None:
    """Remove RUN from the store: its partition, artifacts and published pages.

    The benchmark's pages are made again without it; those of its last run go with it. The run directory is never
    touched: as long as it lies below a folder of runs, the next blade analyze or the sensor analyses it again. In a
    terminal the command asks first. One that was stopped midway is completed by the next forget or analyze.
    """
    from blade_pipeline.assets.settings import Settings
    from blade_pipeline.automation.forgetting import forget, removal_of
    from blade_pipeline.automation.home import open_instance

    removal = removal_of(Store(store), Cell(benchmark, run))
    note(_told(removal))
    if not (dry_run or yes) and sys.stdin.isatty():
        click.confirm("Remove?", abort=True, err=True)
    update = None
    if not dry_run:
        settings = Settings(runs="", store=store, profiles=profiles, references=references, labels=labels)
        with open_instance(store) as instance:
            update = forget(instance, settings, removal.cell)
    _end(removal, update, as_json)


def _told(removal: "Removal") -> str:
    size = sum(removal.files.values()) / 1e6
    comes_back = (
        f"Its directory {removal.directory} stays, and the next blade analyze or the sensor brings the run back; "
        "move it away first if it is to stay away."
        if removal.directory
        else "Its directory is not there, so its results cannot be made again."
    )
    return f"{removal.cell}: {len(removal.files)} files of the store, {size:.1f} MB. {comes_back}"


def _end(removal: "Removal", update: "Update | None", as_json: bool) -> None:
    if as_json:
        print_json(_document(removal, update))
    elif update is None:
        for path in removal.files:
            click.echo(on_one_line(path))
        note("dry run: nothing was removed")
    else:
        note(f"{removal.cell} is forgotten; {len(update.made)} artifacts of other runs and pages were made again")
    for sentence in update.errors if update else []:
        note(f"blade: {sentence}")
    if update and update.errors:
        sys.exit(1)


def _document(removal: "Removal", update: "Update | None") -> dict[str, Any]:
    return {
        "schema_version": 1,
        "benchmark": removal.cell.benchmark,
        "run": removal.cell.run,
        "dry_run": update is None,
        "directory": removal.directory,
        "files": removal.files,
        "recomputed": [f"{due.stage.name} of {due.cell}" for due in update.made] if update else [],
    }
