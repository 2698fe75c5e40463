"""The commands that look at what was analysed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from blade_pipeline.cli import COMMANDS
from blade_pipeline_tests.automation.world import write_run
from blade_pipeline_tests.cli.conftest import Blade


@pytest.fixture
def looking(blade: Blade, example: Path, monkeypatch: pytest.MonkeyPatch) -> Blade:
    """The command with the analysed example as its store."""
    monkeypatch.setenv("BLADE_STORE", str(example / "store"))
    monkeypatch.setenv("BLADE_RUNS", str(example / "runs"))
    return blade


def runs_of(looking: Blade, benchmark: str) -> list[str]:
    found = looking("sql", f"select distinct run from pass_at_k where benchmark = '{benchmark}' order by run", "--json")
    return [row["run"] for row in found.json["rows"]]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(blade: Blade, name: str) -> None:
    said = blade(name, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: blade {name} ")
    assert said.err == ""


def test_help_is_quick_and_loads_neither_dagster_nor_duckdb(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['blade', '--help']\n"
        "from blade_pipeline.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert not {'dagster', 'duckdb', 'pyarrow', 'scipy'} & set(sys.modules)\n"
    )
    before = os.times()
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "analyze" in done.stdout
    after = os.times()
    assert after.children_user + after.children_system - before.children_user - before.children_system < 5


def test_show_tells_the_headline_and_where_the_report_is(looking: Blade) -> None:
    run = runs_of(looking, "ledger_math")[0]
    said = looking("show", "ledger_math", run)
    assert said.code == 0
    assert said.out.startswith(f"ledger_math/{run}  ")
    assert "pass@1" in said.out
    assert f"reports/ledger_math/{run}/report.html" in said.out
    metrics = looking("show", "ledger_math", run, "--json").json
    assert (metrics["benchmark"], metrics["run"]) == ("ledger_math", run)


def test_compare_is_the_pair_of_the_benchmarks_page(looking: Blade, example: Path) -> None:
    [shown] = json.loads((example / "store/reports/ledger_math/comparison.json").read_text())["pairs"]
    first, second = shown["run_a"], shown["run_b"]
    pair = looking("compare", "ledger_math", first, second, "--json").json
    assert pair == shown
    said = looking("compare", "ledger_math", first, second)
    assert said.out.startswith(f"verdict: {pair['verdict']}\n{pair['sentence']}")


def test_compare_takes_a_factor_and_a_margin(looking: Blade) -> None:
    first, second = runs_of(looking, "ledger_math")
    pair = looking("compare", "ledger_math", first, second, "--varying", "sampling", "--margin", "0.5", "--json").json
    assert pair["varying"] == "sampling"
    assert pair["difference"]["tost"]["margin"] == 0.5
    said = looking("compare", "ledger_math", first, second, "--varying", "weather")
    assert (said.code, said.out) == (2, "")


def test_sql_reads_every_artifact_and_nothing_else(looking: Blade) -> None:
    """Two runs of 4 tasks with 2 repeats each are 16 expected rollouts."""
    found = looking("sql", "select count(*) as n from aligned_samples where benchmark = 'ledger_math'", "--json").json
    assert found == {"columns": ["n"], "rows": [{"n": 16}]}
    assert "aligned_samples" in looking("sql").out
    assert "blade_report" in looking("sql", "--json").json["views"]
    said = looking("sql", "select * from read_text('/etc/hostname')")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("blade: A query can read the store's views and nothing outside it")


def test_sql_keeps_columns_of_one_name_apart_and_terminals_safe(looking: Blade) -> None:
    query = "select 1 as a, 2 as a, 3 as b, chr(27) || '[2J' || chr(8238) as c"
    found = looking("sql", query, "--json").json
    assert found["columns"] == ["a", "a_1", "b", "c"]
    assert list(found["rows"][0].values())[:3] == [1, 2, 3]
    said = looking("sql", query)
    assert said.out.splitlines()[1].split() == ["1", "2", "3", "[U+001B][2J[U+202E]"]


@pytest.mark.parametrize("value", ["date 'infinity'", "timestamp '-infinity'", "date '290000-01-01'"])
def test_sql_says_what_it_cannot_show(looking: Blade, value: str) -> None:
    said = looking("sql", f"select {value} as moment")
    assert (said.code, said.out) == (2, "")
    assert said.err == "blade: The answer holds a date or time that cannot be shown; cast it to varchar.\n"


def test_runs_says_what_is_there_and_what_is_still_written(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "3600")
    write_run(blade.folder / "data/runs/aime/m1", age=0, model="m")
    said = blade("runs", "--json")
    (run,) = said.json["runs"]
    assert (run["benchmark"], run["run"], run["complete"]) == ("aime", "m1", False)
    assert "was written" in run["reason"]
    assert run["files"]["rollouts"] == 1
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "0")
    assert blade("runs").out.splitlines()[1].split()[:2] == ["aime", "m1"]
    assert " complete " in blade("runs").out
    assert not (blade.folder / "data/store").exists()


def test_runs_reports_problems_with_exit_1(blade: Blade) -> None:
    write_run(blade.folder / "data/runs/aime/m1", age=0, model="m")
    (blade.folder / "data/runs/aime/m1/run.yaml").write_text("benchmrk: x\n")
    said = blade("runs")
    assert said.code == 1
    assert "run.yaml: unknown key 'benchmrk'; did you mean 'benchmark'?" in said.err


def test_example_writes_runs_and_refuses_to_write_twice(blade: Blade) -> None:
    said = blade("example", "out", "--tasks", "2", "--repeats", "1", "--models", "1")
    assert said.code == 0
    folders = said.out.splitlines()
    assert len(folders) == 2
    assert all((blade.folder / folder / "rollouts.jsonl").is_file() for folder in folders)
    assert (blade.folder / "out/truth.json").is_file()
    again = blade("example", "out", "--tasks", "2", "--repeats", "1", "--models", "1")
    assert (again.code, again.out, len(again.err.splitlines())) == (2, "", 1)
