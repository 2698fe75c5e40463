"""An analyst's label file on its way through ``blade analyze``."""

from pathlib import Path

import pytest

from blade_pipeline_tests.automation.world import write_run
from blade_pipeline_tests.cli.conftest import Blade


@pytest.fixture
def labelled(blade: Blade) -> Path:
    """A run of three tasks, of which task 1 fails in its second repeat, and the place of its label file."""
    write_run(blade.folder / "data/runs/aime/m1", age=0, model="m")
    path = blade.folder / "data/labels/aime/m1.yaml"
    path.parent.mkdir(parents=True)
    return path


def test_an_unknown_task_is_refused_with_file_and_line(blade: Blade, labelled: Path) -> None:
    labelled.write_text("labels:\n- {task: 1, root_cause: UK}\n- {task: 11, root_cause: KG}\n")
    said = blade("analyze")
    assert said.code == 1
    assert "m1.yaml, line 3: the run has no task '11'; did you mean '1'?" in said.err
    labelled.write_text("labels:\n- {task: 1, root_cause: UK}\n")
    assert blade("analyze").code == 0


def test_a_label_that_is_wrong_by_itself_is_refused_with_file_and_line(blade: Blade, labelled: Path) -> None:
    labelled.write_text("- task: 1\n  root_case: UK\n")
    said = blade("analyze")
    assert said.code == 1
    assert "m1.yaml, line 2: unknown field 'root_case'; did you mean 'root_cause'?" in said.err


def test_a_date_that_does_not_exist_is_refused_with_file_and_line(blade: Blade, labelled: Path) -> None:
    labelled.write_text("- task: 1\n  root_cause: UK\n  note: 2026-02-31\n")
    said = blade("analyze")
    assert said.code == 1
    assert "m1.yaml, line 3: not readable as YAML (day is out of range for month)" in said.err


def test_a_label_file_without_a_run_is_named(blade: Blade, labelled: Path) -> None:
    labelled.with_name("m2.yaml").write_text("- {task: 1, root_cause: UK}\n")
    labelled.with_name("m1.yml").write_text("- {task: 1, root_cause: UK}\n")
    said = blade("analyze")
    assert said.code == 0
    assert "m2.yaml is not used: there is no run aime/m2; did you mean 'aime/m1'?" in said.err
    assert "m1.yml is not read; its name must end in .yaml" in said.err


def test_a_label_file_of_a_benchmark_that_is_not_at_hand_is_no_concern(blade: Blade, labelled: Path) -> None:
    for benchmark in ("ledger_math", "aime_"):
        path = labelled.parent.parent / benchmark / "m1.yaml"
        path.parent.mkdir()
        path.write_text("- {task: 1, root_cause: UK}\n")
    said = blade("analyze")
    assert said.code == 0
    assert "ledger_math" not in said.err
    assert "aime_/m1.yaml is not used: there is no run aime_/m1; did you mean 'aime/m1'?" in said.err


def test_an_expression_that_fails_on_a_row_names_its_file(blade: Blade, labelled: Path) -> None:
    path = blade.folder / "data/benchmarks/aime.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("failure_modes:\n- {code: odd, when: \"cast(task || 'x' as bigint) = 1\", severity: 1}\n")
    said = blade("analyze")
    assert said.code == 1
    assert "aime.yaml: " in said.err
    assert "cast(task || 'x' as bigint) = 1" in said.err


def test_a_stale_label_is_flagged_in_the_report_and_leaves_the_exit_code_alone(blade: Blade, labelled: Path) -> None:
    labelled.write_text("- {task: 1, root_cause: UK, evidence: [1-7], analyst: ana}\n")
    assert blade("analyze").code == 0
    report = (blade.folder / "data/store/reports/aime/m1/report.md").read_text()
    assert "stale label: cites 1-7, which the run does not have" in report
