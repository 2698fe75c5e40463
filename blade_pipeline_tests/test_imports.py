"""Rooms import only downward, and the numbers are free of Dagster."""

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "blade_pipeline"
ORDER = [
    "definitions",
    "cli",
    "automation",
    "assets",
    "api",
    "storage",
    "reporting",
    "metrics",
    "method",
    "statistics",
    "gym",
    "tables",
    "columns",
    "models",
    "rewards",
    "rounding",
    "environment",
    "processes",
    "errors",
]
WITHOUT_DAGSTER = ["example", "statistics", "gym", "method", "reporting", "storage"]
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imported(path: Path) -> set[str]:
    """Full names of the modules that a module imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found.add(node.module or "")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def rooms_imported(path: Path) -> set[str]:
    names = (name.split(".") for name in imported(path) if name.startswith("blade_pipeline."))
    return {parts[1] for parts in names}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_its_own_room_and_those_below(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    others = rooms_imported(path) - {room}
    if room == "example":
        assert not others
        return
    assert "example" not in others or room == "cli"
    below = ORDER[ORDER.index(room) + 1 :]
    assert others - {"example"} <= set(below)


def test_every_room_is_in_the_order() -> None:
    assert {room_of(path) for path in MODULES} <= {*ORDER, "example", "__init__"}


@pytest.mark.parametrize("room", WITHOUT_DAGSTER)
def test_dagster_stays_out(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        assert not any(name.split(".")[0] == "dagster" for name in imported(path)), path


def test_statistics_needs_only_numpy_and_scipy() -> None:
    allowed = {"blade_pipeline", "numpy", "scipy"}
    for path in (PACKAGE / "statistics").rglob("*.py"):
        roots = {name.split(".")[0] for name in imported(path)}
        assert {root for root in roots if not _is_standard(root)} <= allowed, path


def _is_standard(name: str) -> bool:
    return name in sys.stdlib_module_names


def test_no_annotations_are_postponed_where_dagster_reads_them() -> None:
    for room in ("assets", "automation"):
        for path in (PACKAGE / room).rglob("*.py"):
            assert "__future__.annotations" not in imported(path), path
