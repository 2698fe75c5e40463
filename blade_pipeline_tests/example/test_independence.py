"""The example and the analysis share no code, so that neither can hide a mistake of the other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import blade_pipeline.example

ROOM = Path(blade_pipeline.example.__file__).parent
PACKAGE = ROOM.parent
ALLOWED = {"collections", "dataclasses", "datetime", "heapq", "itertools", "json", "math", "pathlib", "random"}
ALLOWED |= {"statistics", "typing", "yaml"}


def _imported(source: str, module: tuple[str, ...]) -> Iterator[str]:
    """Full names of everything that the source of a module imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module[: len(module) - node.level] if node.level else ()
            origin = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def _imports(path: Path) -> Iterator[str]:
    return _imported(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE.parent).with_suffix("").parts)


def test_the_example_imports_nothing_of_the_analysis() -> None:
    modules = sorted(ROOM.rglob("*.py"))
    assert len(modules) > 5
    foreign = [
        (path.name, name)
        for path in modules
        for name in _imports(path)
        if not name.startswith("blade_pipeline.example.") and name.split(".")[0] not in ALLOWED
    ]
    assert foreign == []


def test_only_the_commands_import_the_example() -> None:
    users = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        if ROOM not in path.parents
        for name in _imports(path)
        if name.startswith("blade_pipeline.example")
    }
    assert users <= {"cli"}


def test_every_way_of_importing_is_seen() -> None:
    source = "import blade_pipeline.gym\nfrom ..models import Profile\n"
    source += "from blade_pipeline import tables\nfrom . import x\n"
    assert list(_imported(source, ("blade_pipeline", "example", "rows"))) == [
        "blade_pipeline.gym",
        "blade_pipeline.models.Profile",
        "blade_pipeline.tables",
        "blade_pipeline.example.x",
    ]
