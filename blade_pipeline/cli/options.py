"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from blade_pipeline.assets.settings import DEFAULTS, default_of
from blade_pipeline.cli.errors import UsageProblem

Function = TypeVar("Function", bound=Callable[..., Any])

_TEXTS = {
    "store": "Where artifacts and reports are kept: a folder or a URL.",
    "profiles": "Folder of benchmark profiles.",
    "references": "Folder of reference scores.",
    "labels": "Folder of analysts' labels.",
}


def folder_options(*names: str) -> Callable[[Function], Function]:
    """``--store`` and the like, each with its environment variable."""

    def decorate(function: Function) -> Function:
        for name in reversed(names):
            variable, fallback = DEFAULTS[name]
            function = click.option(
                f"--{name}",
                metavar="DIR",
                envvar=variable,
                default=lambda name=name: default_of(name),
                help=f"{_TEXTS[name]}  [{variable}; {fallback}]",
            )(function)
        return function

    return decorate


def runs_argument(function: Function) -> Function:
    """The folder of run directories."""
    return click.argument("runs", required=False, default=lambda: default_of("runs"), metavar="[RUNS]")(function)


def existing(runs: str) -> str:
    """The folder itself.

    Raises:
        UsageProblem: there is no such folder.
    """
    if not Path(runs).is_dir():
        raise UsageProblem(f"{runs} is no folder; give a folder that holds run directories.")
    return runs


def json_option(function: Function) -> Function:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(function)
