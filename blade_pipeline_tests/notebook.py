"""Runs a notebook's code cells as Jupyter would, as far as plain Python goes, and answers what they print."""

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def code_cells(path: Path) -> list[dict[str, Any]]:
    """The code cells, in order."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def shown(cell: dict[str, Any]) -> str:
    """The text that a cell holds as its output."""
    parts = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
    return "".join("".join(part) for part in parts)


def run(cells: list[dict[str, Any]]) -> list[str]:
    """What every cell prints; the value of a last expression is printed as Jupyter shows it."""
    names: dict[str, Any] = {}
    return [_run("".join(cell["source"]), names) for cell in cells]


def _run(source: str, names: dict[str, Any]) -> str:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    return printed.getvalue() + ("" if value is None else repr(value))
