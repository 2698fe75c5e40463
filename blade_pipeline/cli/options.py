"""Options that several commands share."""

import math
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from blade_pipeline.assets.settings import PLACES
from blade_pipeline.cli.errors import UsageProblem
from blade_pipeline.models import BladeError

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
            variable = PLACES[name]
            function = click.option(
                f"--{name}",
                metavar="DIR",
                envvar=variable.name,
                default=variable.place,
                callback=_store if name == "store" else a_folder,
                help=f"{_TEXTS[name]}  [{variable}; {variable.fallback}]",
            )(function)
        return function

    return decorate


def runs_argument(function: Function) -> Function:
    """The folder of run directories."""
    return click.argument("runs", required=False, default=PLACES["runs"].place, metavar="[RUNS]", callback=_written)(
        function
    )


def existing(runs: str) -> str:
    """The folder itself.

    Raises:
        UsageProblem: there is no such folder.
    """
    if _unusable(runs) or not Path(runs).is_dir():
        raise UsageProblem(f"{runs} is no folder; give a folder that holds run directories.")
    return runs


class FiniteRange(click.FloatRange):
    """A range of floats without NaN, which click's own range lets through, and without infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; anything else is wrong usage."""
        number = super().convert(value, param, ctx)
        return number if math.isfinite(number) else self.fail(f"{value} is no finite number.", param, ctx)


def _written(ctx: click.Context, parameter: click.Parameter, value: str) -> str:  # noqa: ARG001
    """A name that is not empty; an empty one would mean the current folder."""
    if not value.strip():
        raise click.BadParameter("it is empty; name a folder.")
    return value


def a_folder(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """A folder that is there or may be made."""
    place = _written(ctx, parameter, value)
    if because := _unusable(place):
        raise click.BadParameter(f"{place} is no folder ({because}).")
    return place


def _store(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """A folder, or a URL that can be opened as a store."""
    from blade_pipeline.storage import Store

    place = _written(ctx, parameter, value)
    try:
        store = Store(place)
    except BladeError as error:
        raise click.BadParameter(str(error)) from None
    if store.local:
        a_folder(ctx, parameter, store.root)
    return place


def _unusable(place: str) -> str | None:
    """Why a name can never be a folder's; None when it is one, may be made one, or is out of sight."""
    try:
        return None if stat.S_ISDIR(Path(place).stat().st_mode) else "it is a file"
    except (FileNotFoundError, PermissionError):
        return None
    except OSError as error:
        return error.strerror


def json_option(function: Function) -> Function:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(function)
