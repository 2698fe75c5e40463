"""Runs in Python: right numbers, no Dagster, no files, and a document whose example runs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import blade_pipeline as blade
from blade_pipeline_tests.conftest import PROJECT
from blade_pipeline_tests.method.chain import failure, planned, rollout, write_run

LUMEN = PROJECT / "data/runs/ledger_math/lumen-8b"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three tasks with two planned rollouts: both pass, one passes, one passes and the other failed."""
    rows = [rollout(0, 0), rollout(0, 1), rollout(1, 0), rollout(1, 1, 0.0), rollout(2, 0)]
    plan = [planned(task, repeat) for task in range(3) for repeat in range(2)]
    return write_run(tmp_path / "bench/m1", rows, plan, [failure(2, 1, _ng_failure_terminal=True)])


def test_pass_at_k_by_hand(folder: Path) -> None:
    """k=1: (1 + 1/2 + 1) / 3, and 1/2 lower for the third task if its lost rollout fails. k=2: tasks 0 and 1 alone."""
    run = blade.load(folder)
    assert (run.benchmark, run.name, run.path) == ("bench", "m1", folder)
    one, two = run.pass_at_k()[1], run.pass_at_k()[2]
    assert (one.k, one.eligible_tasks, one.total_tasks) == (1, 3, 3)
    assert one.value == pytest.approx(2.5 / 3)
    assert (two.eligible_tasks, two.total_tasks, two.value) == (2, 3, 1.0)
    assert run.pass_hat_k()[2].value == pytest.approx(0.5)
    counts = run.coverage["accounting"]
    assert (counts["expected"], counts["measured"], counts["failed"]) == (6, 5, 1)
    assert run.samples.num_rows == 6
    assert run.tasks.num_rows == 3
    assert (run.buckets["always_pass"], run.buckets["sometimes_pass"], run.buckets["indeterminate"]) == (1, 1, 1)


def test_the_interval_is_the_one_of_the_report(folder: Path) -> None:
    """docs/example.md's lumen-8b: 25 of 64, and of one task nothing can be said about others."""
    run = blade.load(LUMEN)
    found, stated = run.interval(), run.scores["intervals"]["pass_at_1"]
    assert (found.estimate, found.level, found.tasks) == (25 / 64, 0.95, 16)
    assert (found.low, found.high) == (stated["low"], stated["high"])
    assert found.low is not None and found.high is not None and found.low < 25 / 64 < found.high
    single = write_run(folder.parent / "m2", [rollout(0, 0), rollout(0, 1, 0.0)])
    assert blade.load(single).interval() == blade.Interval(0.5, None, None, 0.95, 1)


def test_a_profile_moves_the_threshold(folder: Path, tmp_path: Path) -> None:
    """Above 1 nothing passes."""
    file = tmp_path / "bench.yaml"
    file.write_text("pass_threshold: 1.5\n")
    assert blade.load(folder, profile=file).pass_at_k()[1].value == 0.0
    assert blade.load(folder, profile=blade.Profile(pass_threshold=1.5)).pass_at_k()[1].value == 0.0


def test_two_runs_are_compared_by_object_and_by_path(tmp_path: Path) -> None:
    """Twenty tasks with two repeats: eighteen pass in the first run, two in the second."""
    places = [
        write_run(
            tmp_path / f"bench/m{passed}",
            [rollout(task, repeat, float(task < passed)) for task in range(20) for repeat in range(2)],
            [planned(task, repeat) for task in range(20) for repeat in range(2)],
        )
        for passed in (18, 2)
    ]
    first, second = map(blade.load, places)
    pair = first.compare(second)
    assert pair.difference == pytest.approx(-0.8)
    assert pair.low is not None
    assert pair.high is not None
    assert pair.low < -0.8 < pair.high < 0
    assert (pair.tasks, pair.level, pair.document["run_b"]) == (20, 0.95, "m2")
    assert pair.sentence.startswith("m2 ")
    assert first.compare(places[1]) == pair
    assert second.compare(first).difference == pytest.approx(0.8)


def test_what_is_no_single_run_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, folder.parent / "m2")
    with pytest.raises(blade.BladeError, match=r"bench holds 2 runs \(.*m1, .*m2\); name the directory of one"):
        blade.load(folder.parent)
    (tmp_path / "none").mkdir()
    with pytest.raises(blade.BladeError, match="holds 0 runs"):
        blade.load(tmp_path / "none")
    with pytest.raises(blade.BladeError, match="does not exist"):
        blade.load(tmp_path / "nowhere")
    with pytest.raises(blade.BladeError, match="is no profile"):
        blade.load(folder, profile=tmp_path / "nowhere.yaml")
    unknown: Any = "modle"
    with pytest.raises(blade.BladeError, match="'modle' is no factor under study; name one of model, harness"):
        blade.load(folder).compare(folder, varying=unknown)


def test_no_dagster_is_imported_and_no_file_is_written(tmp_path: Path) -> None:
    """Also not beside the run, in the current folder or in that of temporary files."""
    shutil.copytree(LUMEN, tmp_path / "runs/ledger_math/lumen-8b")
    shutil.copytree(LUMEN.with_name("lumen-30b"), tmp_path / "others/ledger_math/lumen-30b")
    before = sorted(tmp_path.rglob("*"))
    program = (
        "import sys, json, blade_pipeline as blade\n"
        "light = sorted({'dagster', 'duckdb', 'pandas', 'pyarrow'} & set(sys.modules))\n"
        "run = blade.load('runs'); run.compare('others'); run.pass_at_k()\n"
        "print(json.dumps([light, 'dagster' in sys.modules]))"
    )
    environment = {"PATH": "", "TMPDIR": str(tmp_path), "PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1"}
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout) == [[], False]
    assert sorted(tmp_path.rglob("*")) == before


def test_the_example_of_the_document_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """lumen-8b passes 25 of 64 rollouts, four of each of 16 tasks."""
    monkeypatch.chdir(PROJECT)
    (code,) = re.findall(r"```python\n(.*?)```", (PROJECT / "docs/api.md").read_text(), re.DOTALL)
    exec(code, {})
    said = capsys.readouterr().out
    assert f"pass@1 {25 / 64:.3f} over 16 of 16 tasks" in said
    assert "64 of 64 rollouts are measured" in said
    assert "model_change" in said.splitlines()


def test_the_public_names_are_there_and_no_others() -> None:
    assert all(hasattr(blade, name) for name in blade.__all__)
    assert not hasattr(blade, "lead")
