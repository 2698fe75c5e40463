"""``blade forget`` says what it does, and does nothing when asked to."""

import shutil
import sys
from pathlib import Path

import click
import pytest

from blade_pipeline_tests.cli.conftest import Blade

RUN = ("ledger_math", "lumen-8b")


@pytest.fixture
def forgetting(blade: Blade, example: Path) -> Blade:
    shutil.copytree(example / "store", blade.folder / "store")
    return blade


def test_a_dry_run_lists_the_files_and_removes_none(forgetting: Blade, example: Path) -> None:
    said = forgetting("forget", *RUN, "--dry-run", "--store", "store")
    assert said.code == 0
    assert str(forgetting.folder / "store/reports/ledger_math/lumen-8b/report.md") in said.out.splitlines()
    assert f"Its directory {example / 'runs/ledger_math/lumen-8b'} stays, and the next blade analyze" in said.err
    assert said.err.endswith("dry run: nothing was removed\n")
    assert (forgetting.folder / "store/reports/ledger_math/lumen-8b/report.md").is_file()


def test_it_removes_and_says_what_was_made_again(forgetting: Blade) -> None:
    said = forgetting("forget", *RUN, "--store", "store", "--json")
    assert said.code == 0
    assert said.json["dry_run"] is False
    assert "benchmark_report of ledger_math" in said.json["recomputed"]
    assert not (forgetting.folder / "store/reports/ledger_math/lumen-8b").exists()
    again = forgetting("forget", *RUN, "--store", "store")
    assert (again.code, "ledger_math/lumen-8b is not in the store" in again.err) == (2, True)


def refuse(_: str, **options: bool) -> None:
    assert options["abort"]
    raise click.Abort


def test_in_a_terminal_it_asks(forgetting: Blade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(click, "confirm", refuse)
    said = forgetting("forget", *RUN, "--store", "store")
    assert said.code == 130
    assert (forgetting.folder / "store/reports/ledger_math/lumen-8b/report.md").is_file()
