"""The documents say what is there."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

import blade_pipeline as blade
from blade_pipeline.cli import COMMANDS, group
from blade_pipeline.environment import VARIABLES
from blade_pipeline.models import Factor
from blade_pipeline.reporting.view.summary import VERDICTS
from blade_pipeline_tests import notebook
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.reference import PAGES
from blade_pipeline_tests.walkthrough import blocks, shows

DOCS = PROJECT / "docs"
README = (PROJECT / "README.md").read_text()
ENVIRONMENT = [variable.name for variable in VARIABLES]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_in_the_readme_and_has_help(command: str) -> None:
    assert re.search(rf"^.*blade {command}\b", README, re.MULTILINE)
    answer = CliRunner().invoke(group, [command, "--help"])
    assert answer.exit_code == 0
    assert len(answer.output.splitlines()) > 5


def test_every_command_of_the_readme_exists() -> None:
    block = README.split("## Use it on your runs")[1].split("```")[1]
    named = {line.split()[1] for line in block.splitlines() if line.startswith("blade ")}
    assert named <= set(COMMANDS)


def test_every_linked_page_exists() -> None:
    links = re.findall(r"\]\((docs/[\w./-]+)\)", README)
    assert links
    assert [link for link in links if not (PROJECT / link).is_file()] == []


def test_the_readme_has_the_two_commands() -> None:
    assert "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/blade analyze data/runs" in README
    assert '.venv/bin/pip install ".[test]" && .venv/bin/pytest' in README


@pytest.mark.parametrize(("path", "page"), PAGES.items(), ids=[path.name for path in PAGES])
def test_pages_that_follow_from_the_code_are_current(path: Path, page: Callable[[], str]) -> None:
    """If not: ``python -m blade_pipeline_tests.reference`` writes them anew."""
    assert path.read_text() == page()


def test_every_variable_is_declared_in_one_place_and_has_a_row() -> None:
    sources = {path.name: path.read_text() for path in (PROJECT / "blade_pipeline").rglob("*.py")}
    read = {name: set(re.findall(r'"(BLADE_[A-Z_]+|DAGSTER_HOME)"', text)) for name, text in sources.items()}
    assert {name for name, found in read.items() if found} == {"environment.py"}
    assert sorted(ENVIRONMENT) == sorted(read["environment.py"])
    page = (DOCS / "environment.md").read_text()
    assert re.findall(r"^\| `(\w+)`", page, re.MULTILINE) == ENVIRONMENT


def test_every_verdict_is_explained_in_the_words_of_the_report() -> None:
    page = (DOCS / "verdicts.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", page, re.MULTILINE)
    assert dict(rows) == {name: words for name, (words, _) in VERDICTS.items()} | {
        "model_change": "Higher, or lower, than the baseline"
    }
    assert all(f"`{factor}_change`" in page for factor in get_args(Factor))


def test_every_public_name_of_the_api_is_explained() -> None:
    page = (DOCS / "api.md").read_text()
    attributes = [name for name in vars(blade.Run) if not name.startswith("_")]
    fields = [
        field.name for kind in (blade.Comparison, blade.Interval, blade.PassAtK) for field in dataclasses.fields(kind)
    ]
    assert [name for name in {*blade.__all__, *attributes, *fields} if not re.search(rf"\b{name}\b", page)] == []


def test_the_settings_of_the_services_are_variables_of_the_program() -> None:
    (settings,) = (lines for kind, lines in blocks("how-to/nightly.md") if kind == "ini" and "=" in lines[0])
    assert {line.split("=")[0] for line in settings} <= set(ENVIRONMENT)


def test_pictures_are_small() -> None:
    pictures = list((DOCS / "images").glob("*.png"))
    assert pictures
    assert [path.name for path in pictures if path.stat().st_size > 150_000] == []


def test_every_page_is_in_the_index() -> None:
    listed = re.findall(r"^- \[.+?\]\(([\w/.-]+)\)", (DOCS / "index.md").read_text(), re.MULTILINE)
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"index.md"}
    assert sorted(listed) == sorted(there)


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_prints_what_it_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DOCS)
    cells = notebook.code_cells(path)
    assert notebook.run(cells) == [notebook.shown(cell) for cell in cells]


def test_a_page_is_held_to_every_line_that_it_shows() -> None:
    said = "run   pass@1\nm1    50.0%\nm2    60.0%\nnothing changed\n"
    assert shows(said, ["run pass@1", "...", "nothing changed"])
    assert shows(said, ["m1 50.0%", "m2 60.0%"])
    assert not shows(said, ["m1 50.0%", "nothing changed"])
    assert not shows(said, ["m1 51.0%"])
    assert not shows(said, ["nothing changed", "...", "m1 50.0%"])
