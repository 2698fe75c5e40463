"""Files that commands of the package tools read and write."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from blade_pipeline.cli.errors import UsageProblem

Function = TypeVar("Function", bound=Callable[..., Any])

EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def strict_option(function: Function) -> Function:
    """``--strict``."""
    return click.option("--strict", is_flag=True, help="Also check what counting words and files does not show.")(
        function
    )


def text_of(path: Path) -> str:
    """The text of a file; what is not UTF-8 is replaced."""
    return path.read_text(encoding="utf-8", errors="replace")


def json_of(path: Path) -> Any:
    """The JSON document of a file.

    Raises:
        UsageProblem: the file holds none.
    """
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise UsageProblem(f"{path} holds no JSON; mend it or name another file.") from None


def write_text(path: Path, text: str) -> None:
    """Writes a text file and the folders that lead to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, document: Any) -> None:
    """Writes a JSON file and the folders that lead to it."""
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
