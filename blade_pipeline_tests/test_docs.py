"""The documents say what is there."""

import re

import pytest
from click.testing import CliRunner

from blade_pipeline.cli import COMMANDS, group
from blade_pipeline_tests.conftest import PROJECT

README = (PROJECT / "README.md").read_text()


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
