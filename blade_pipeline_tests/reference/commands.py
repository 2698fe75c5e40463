"""docs/commands.md: what every command says of itself."""

import os
from unittest import mock

import click

from blade_pipeline.cli import COMMANDS, group

_HEAD = """# Commands

What `blade COMMAND --help` prints. This page is written from the code by `python -m blade_pipeline_tests.reference`.

Every command exits 0 when it did what was asked, 1 when something is to be mended, 2 when it was called wrongly and 130
when it was stopped, with one sentence on standard error. Options that name folders take their defaults from
[environment variables](environment.md).
"""

_WIDTH = 100


def commands_page() -> str:
    """The whole page, as a machine without settings of its own would write it."""
    with mock.patch.dict(os.environ, {name: "" for name in os.environ if name.startswith("BLADE_")}):
        return "\n".join([_HEAD, *(_section(name) for name in sorted(COMMANDS))])


def _section(name: str) -> str:
    above = click.Context(group, info_name="blade", terminal_width=_WIDTH, **group.context_settings)
    command = group.get_command(above, name)
    assert command is not None
    help_text = command.get_help(click.Context(command, parent=above, info_name=name, **command.context_settings))
    return f"## blade {name}\n\n{COMMANDS[name]}\n\n```text\n{help_text}\n```\n"
