"""``blade example``: realistic run directories whose truth is known."""

from pathlib import Path

import click

from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.cli.options import a_folder
from blade_pipeline.cli.output import note

_MOST = 100_000


def _list_stories(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from blade_pipeline.example.stories import STORIES

    for story in STORIES.values():
        click.echo(f"{story.name:<20} {story.summary}")
    context.exit()


@click.command(name="example")
@click.argument("out", callback=a_folder)
@click.option("--story", metavar="NAME", help="Write one run with this story planted in it.")
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_stories, help="Name the stories."
)
@click.option("--tasks", type=click.IntRange(2, _MOST), help="Tasks per benchmark.  [24; 60 of a story]")
@click.option("--repeats", type=click.IntRange(1, _MOST), default=4, show_default=True, help="Rollouts per task.")
@click.option("--models", type=click.IntRange(1, _MOST), help="Runs per benchmark.  [3; 1 of a story]")
@click.option("--seed", type=int, default=7, show_default=True, help="Equal seeds give equal files.")
def command(out: str, story: str | None, tasks: int | None, repeats: int, models: int | None, seed: int) -> None:
    """Write example run directories in NeMo Gym's layout below OUT, and the truth behind them in truth.json."""
    try:
        if story is None:
            folders = _runs(Path(out), tasks or 24, repeats, models or 3, seed)
        elif models is None:
            folders = [_story(Path(out), story, tasks or 60, repeats, seed)]
        else:
            raise UsageProblem("A story is one run of one model; leave --models out.")
    except (FileExistsError, ValueError) as error:
        raise UsageProblem(str(error)) from None
    for folder in folders:
        click.echo(str(folder))
    note(f"{'1 run' if len(folders) == 1 else f'{len(folders)} runs'}; next: blade analyze {out}")


def _runs(out: Path, tasks: int, repeats: int, models: int, seed: int) -> list[Path]:
    from blade_pipeline.example import write_example

    return write_example(out, tasks=tasks, repeats=repeats, models=models, seed=seed)


def _story(out: Path, name: str, tasks: int, repeats: int, seed: int) -> Path:
    from blade_pipeline.example.stories import STORIES, write_story

    if name not in STORIES:
        raise UsageProblem(f"There is no story '{name}'; there are {', '.join(STORIES)}.")
    return write_story(out, STORIES[name], tasks=tasks, repeats=repeats, seed=seed)
