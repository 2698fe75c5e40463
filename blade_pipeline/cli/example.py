"""``blade example``: realistic run directories whose truth is known."""

from pathlib import Path

import click

from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.cli.options import a_folder
from blade_pipeline.cli.output import note

_MOST = 100_000


@click.command(name="example")
@click.argument("out", callback=a_folder)
@click.option("--tasks", type=click.IntRange(2, _MOST), default=24, show_default=True, help="Tasks per benchmark.")
@click.option(
    "--repeats", type=click.IntRange(1, _MOST), default=4, show_default=True, help="Rollouts per task and run."
)
@click.option("--models", type=click.IntRange(1, _MOST), default=3, show_default=True, help="Runs per benchmark.")
@click.option("--seed", type=int, default=7, show_default=True, help="Equal seeds give equal files.")
def command(out: str, tasks: int, repeats: int, models: int, seed: int) -> None:
    """Write example run directories in NeMo Gym's layout below OUT, and the truth behind them in truth.json."""
    from blade_pipeline.example import write_example

    try:
        folders = write_example(Path(out), tasks=tasks, repeats=repeats, models=models, seed=seed)
    except (FileExistsError, ValueError) as error:
        raise UsageProblem(str(error)) from None
    for folder in folders:
        click.echo(str(folder))
    note(f"{len(folders)} runs; next: blade analyze {out}")
