"""The ``blade`` command: every subcommand lives in its own module and is imported when it is asked for."""

import gc
import os
import sys
from importlib import import_module
from io import FileIO, TextIOWrapper

import click

from blade_pipeline.cli.errors import OneSentence

COMMANDS = {
    "analyze": "Analyse new and changed run directories and publish their reports.",
    "anchor-facts": "Draft anchor facts from a written report.",
    "calibrate": "See whether the proxy tells a golden report from its shallow baseline.",
    "compare": "Hold two runs of a benchmark against each other.",
    "doctor": "Say what needs a hand in the installation, the store and the runs.",
    "example": "Write realistic example run directories.",
    "forget": "Remove one run's artifacts, pages and partition from the store.",
    "package": "Write a benchmark's BLADE package (D1-D3) and check it.",
    "plan": "What the next comparison could find, and what it would need.",
    "profile": "Draft a profile of a benchmark from what its runs show.",
    "runs": "List the run directories that are there.",
    "score": "Score a report against a golden report and its anchor facts.",
    "shallow": "Write the shallow baseline of a report.",
    "show": "Show one analysed run in the terminal.",
    "sql": "Query every artifact with SQL.",
    "triage": "Hold a run against a published score.",
    "ui": "Open Dagster's web interface on the store.",
    "validate": "Check the shape of a BLADE package.",
    "worklist": "Say which tasks an analyst should read next, with excerpts.",
    "verify": "Check every figure and id of a report against the rows.",
}


class _Lazy(click.Group):
    """Imports a subcommand only when it runs, so that ``blade --help`` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"blade_pipeline.cli.{cmd_name.replace('-', '_')}"), "command", None)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="blade-pipeline")
def group() -> None:
    """Turns NeMo Gym run directories into BLADE reports whose every number traces to rows."""


def _open_what_is_closed() -> None:
    """Lets a command that was started without standard output or error, as ``>&-`` does, speak to nobody."""
    sys.stdout = sys.stdout or TextIOWrapper(FileIO(os.devnull, "w"))
    sys.stderr = sys.stderr or TextIOWrapper(FileIO(os.devnull, "w"))


def main() -> None:
    """Entry point of the console script."""
    _open_what_is_closed()
    gc.set_threshold(100_000)  # imports and rows are many objects and hardly any cycles: a tenth of a command
    try:
        with OneSentence():
            group(prog_name="blade", standalone_mode=False)
            sys.stdout.flush()
    finally:
        gc.freeze()  # the collections of an ending interpreter took a second after a large run
