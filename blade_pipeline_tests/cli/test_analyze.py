"""``blade analyze``: a table, exit codes, JSON, and nothing the second time."""

import json
import os
import re
import socket
import stat
from pathlib import Path

import pytest

from blade_pipeline.assets.settings import Settings
from blade_pipeline.automation.analysis import analyse
from blade_pipeline.cli import output
from blade_pipeline_tests.automation.world import write_run
from blade_pipeline_tests.cli.conftest import Blade


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one analysed run in the default places, for tests that change nothing."""
    folder = tmp_path_factory.mktemp("analysed")
    write_run(folder / "data/runs/aime/m1", age=0, model="m", rows=5)
    names = ("data/runs", "data/store", "data/benchmarks", "data/references", "data/labels")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.chdir(folder)
        assert analyse(Settings(*names)).errors == []
    return folder


@pytest.fixture
def analysed(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Blade:
    """The command in that folder."""
    return Blade(folder, monkeypatch, capfd)


def test_strict_refuses_a_run_that_is_not_whole(analysed: Blade) -> None:
    """Bug report B23: a partial run is analysed all the same, and refused where somebody asks for it."""
    said = analysed("analyze", "--strict")
    assert said.code == 1
    assert said.out.splitlines()[1].split()[:2] == ["aime", "m1"]
    refused = "blade: aime/m1 is not whole: 5 of 6 planned rollouts gave a result, and --strict refuses that."
    assert said.err.splitlines() == ["nothing changed: 1 reports are current", refused]


def test_strict_takes_a_whole_run(blade: Blade) -> None:
    write_run(blade.folder / "data/runs/aime/m1", age=0, model="m")
    assert blade("analyze", "--strict").code == 0


@pytest.fixture
def own(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> Blade:
    """The command in a folder of the test's own with one analysed run."""
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "3600")
    write_run(blade.folder / "data/runs/aime/m1", age=0, model="m", rows=5)
    said = blade("analyze")
    assert said.code == 0, said.err
    *_, growing, summary = said.err.splitlines()
    assert growing.startswith("aime/m1 may still be being written (rollouts.jsonl was written ")
    assert summary.endswith("artifacts of 1 runs recomputed, 0 were current")
    return blade


def test_the_second_call_prints_the_same_table_and_that_nothing_changed(analysed: Blade) -> None:
    """Five of six rollouts are measured; four of five pass: (1 + 1/2 + 1/1) / 3 = 83.3%."""
    said = analysed("analyze")
    header, line = said.out.splitlines()
    assert header.split() == ["benchmark", "run", "coverage", "pass@1", "interval", "verdict", "report"]
    assert line.split()[:4] == ["aime", "m1", "83.3%", "83.3%"]
    report = analysed.folder / "data/store/reports/aime/m1/report.html"
    assert line.split()[-1] == str(report)
    assert report.is_file()
    assert said.err == "nothing changed: 1 reports are current\n"
    assert said.code == 0


def test_every_published_file_is_there(analysed: Blade) -> None:
    reports = analysed.folder / "data/store/reports/aime"
    assert {path.name for path in (reports / "m1").iterdir()} == {
        "report.md",
        "report.html",
        "metrics.json",
        "previous_metrics.json",
        "coverage.json",
        "comparability.json",
        "anchor_facts.json",
        "shallow.md",
    }
    assert {path.name for path in reports.iterdir() if path.is_file()} == {
        "index.html",
        "comparison.md",
        "comparison.json",
    }
    metrics = json.loads((reports / "m1/metrics.json").read_text())
    assert metrics["pass_at_1"] == pytest.approx(5 / 6)
    assert metrics["accounting"]["missing"] == 1


def test_off_a_terminal_progress_is_plain_lines_beside_the_table(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as once in a while; every time here, to see them. Results stay alone on standard output."""
    monkeypatch.setattr(output, "SECONDS_PER_LINE", 0.0)
    write_run(blade.folder / "data/runs/aime/m1", age=0, model="m")
    said = blade("analyze")
    *lines, summary = said.err.splitlines()
    assert summary.endswith("artifacts of 1 runs recomputed, 0 were current")
    assert re.fullmatch(r"0 of \d+ artifacts after \d+ s, now benchmark_profile of aime", lines[0])
    assert [line.split()[1] for line in said.out.splitlines()] == ["run", "m1"]
    (blade.folder / "data/runs/aime/m1/rollouts.jsonl").touch()
    said = blade("analyze", "--json")
    assert said.err == ""
    assert said.json["current"] > 0


def test_progress_is_plain_lines_also_where_a_variable_asks_for_the_colours_of_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As many a CI sets it, whose log shows no bar."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(output, "SECONDS_PER_LINE", 0.0)
    with output.progress_shown() as show:
        show(1, 2, "coverage of aime/m1")
    assert re.fullmatch(r"1 of 2 artifacts after \d+ s, now coverage of aime/m1\n", capfd.readouterr().err)


def test_json_is_one_object_and_nothing_else(analysed: Blade) -> None:
    said = analysed("analyze", "--json")
    document = said.json
    assert said.err == ""
    (run,) = document["runs"]
    assert (run["benchmark"], run["run"], run["state"]) == ("aime", "m1", "current")
    assert run["coverage"] == pytest.approx(5 / 6)
    assert run["report"].endswith("report.html")
    assert document["recomputed"] == {}
    assert document["failed"] == document["skipped"] == document["problems"] == []


def test_a_broken_profile_is_one_line_and_exit_1(own: Blade) -> None:
    profile = own.folder / "data/benchmarks/aime.yaml"
    profile.parent.mkdir()
    profile.write_text("pass_treshold: 0.5\n")
    said = own("analyze")
    assert said.code == 1
    assert "aime.yaml, line 1: unknown field 'pass_treshold'; did you mean 'pass_threshold'?" in said.err
    assert "Skipped below it: " in said.err
    assert len(said.err.splitlines()) == 1
    document = own("analyze", "--json").json
    assert document["failed"][0]["asset"] == "benchmark_profile"
    assert {entry["asset"] for entry in document["skipped"]} >= {"aligned_samples", "blade_report"}
    assert document["runs"][0]["state"] == "failed"


@pytest.mark.parametrize(
    "line",
    [
        "{}: 1",
        "funnel: [{{phase: a, when: \"regexp_matches(task, '({}')\"}}]",
    ],
)
def test_a_mistake_that_holds_a_secret_is_told_without_it(own: Blade, line: str) -> None:
    secret = "nvapi-Zx81kQwErTyUiOp00112233"
    (own.folder / "data/benchmarks").mkdir()
    (own.folder / "data/benchmarks/aime.yaml").write_text(f"{line.format(secret)}\n")
    said = own("analyze", "--json")
    assert said.code == 1
    (failed,) = said.json["failed"]
    assert failed["because"].startswith("aime.yaml, line 1: ")
    assert "[not shown]" in failed["because"]
    dagster = b"".join(path.read_bytes() for path in (own.folder / "data/store").rglob("*") if path.is_file())
    assert b"benchmark_profile" in dagster
    assert not any("Zx81kQ" in text for text in (said.out, said.err, dagster.decode("latin-1")))


def test_findings_about_the_data_leave_the_exit_code_alone(blade: Blade) -> None:
    """Lines that are no rows and no indices at all: a result with nothing measured."""
    folder = blade.folder / "data/runs/aime/m1"
    folder.mkdir(parents=True)
    (folder / "rollouts.jsonl").write_text('not json\n{"reward": nul\n')
    said = blade("analyze", "--json")
    assert said.code == 0, said.err
    assert said.json["runs"][0]["pass_at_1"] is None
    assert said.json["runs"][0]["verdict"] == "insufficient_evidence"


def test_a_port_that_is_taken_is_refused(blade: Blade) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = blade("ui", ".", "--port", str(port))
    assert (said.code, said.out) == (2, "")
    assert said.err == f"blade: Port {port} cannot be had (Address already in use); name another --port.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["analyze", "nowhere"], "blade: nowhere is no folder; give a folder that holds run directories."),
        (["runs", "nowhere"], "blade: nowhere is no folder; give a folder that holds run directories."),
        (["ui", "nowhere"], "blade: nowhere is no folder; give a folder that holds run directories."),
        (
            ["analyze", "--benchmark", "gpqa"],
            "blade: No run directory of benchmark gpqa below data/runs; there are aime/m1.",
        ),
        (["analyze", "--no-such"], "blade: No such option '--no-such'."),
        (["analyse"], "blade: No such command 'analyse'."),
        (["show", "aime"], "blade: Missing argument 'RUN'."),
        (["show", "aime", "m2"], "blade: aime/m2 is not in the store {store}; did you mean aime/m1?"),
        (["compare", "aime", "m1", "m1", "--margin", "0"], "blade: Invalid value for '--margin'"),
        (
            ["compare", "aime", "m1", "m1", "--margin", "nan"],
            "blade: Invalid value for '--margin': nan is no finite num",
        ),
        (["plan", "aime", "m1", "--power", "nan"], "blade: Invalid value for '--power': nan is no finite number."),
        (["plan", "aime", "m1", "--omega2", "inf"], "blade: Invalid value for '--omega2': inf is no finite number."),
        (["sql", "select 1", "--store", "empty"], "blade: There is nothing in the store empty yet; run blade analyze"),
        (["sql", "selct 1"], "blade: The query failed: Parser Error: syntax error at or near"),
        (["sql", "select '\udcff'"], "blade: The query is not readable as UTF-8."),
        (["sql", "select 1; select 2"], "blade: Only one SELECT can be run; the store is read-only."),
        (["analyze", ""], "blade: Invalid value for '[RUNS]': it is empty; name a folder."),
        (["analyze", "--store", ""], "blade: Invalid value for '--store': it is empty; name a folder."),
        (
            ["analyze", "--store", "simplecache::memory://x"],
            "blade: Invalid value for '--store': A store is a folder or",
        ),
        (["show", "aime", "m1", "--store", "a\nfile"], "blade: There is nothing in the store a[U+000A]file yet; run"),
        (["analyze", "--profiles", ""], "blade: Invalid value for '--profiles': it is empty; name a folder."),
        (["analyze", "--labels", os.devnull], "blade: Invalid value for '--labels': /dev/null is no folder (it is a f"),
        (
            ["analyze", "--store", os.devnull],
            "blade: Invalid value for '--store': /dev/null is no folder (it is a file",
        ),
        (["analyze", "--store", "x" * 5000], "blade: Invalid value for '--store': {folder}/xxxxx"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(analysed: Blade, arguments: list[str], sentence: str) -> None:
    said = analysed(*arguments)
    assert said.code == 2
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith(sentence.format(store=analysed.folder / "data/store", folder=analysed.folder))


def test_no_command_is_answered_with_the_help(blade: Blade) -> None:
    said = blade()
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Usage: blade [OPTIONS] COMMAND [ARGS]...\n\n  Turns NeMo Gym run directories into")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_that_cannot_be_written_is_one_sentence(blade: Blade) -> None:
    write_run(blade.folder / "data/runs/aime/m1", age=0, model="m")
    locked = blade.folder / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    said = blade("analyze", "--store", "locked/store")
    assert said.code == 1
    assert len(said.err.splitlines()) == 1


def test_options_and_environment_name_the_folders(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(blade.folder / "mine/aime/m1", age=0, model="m")
    monkeypatch.setenv("BLADE_STORE", str(blade.folder / "from-environment"))
    assert blade("analyze", "mine", "--store", "from-option").code == 0
    assert (blade.folder / "from-option/reports/aime/m1/report.md").is_file()
    assert not (blade.folder / "from-environment").exists()
    monkeypatch.setenv("BLADE_RUNS", "mine")
    assert blade("analyze").code == 0
    assert (blade.folder / "from-environment/reports/aime/m1/report.md").is_file()


def test_the_records_lie_in_the_store_unless_something_else_is_said(
    own: Blade, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = own.folder / "data/store/.dagster"
    assert (records / "dagster.yaml").is_file()
    before = {path: path.stat().st_mtime_ns for path in records.rglob("*") if path.is_file()}
    (own.folder / "dagster.yaml").write_text((records / "dagster.yaml").read_text())
    said = own("analyze")
    assert "artifacts of 1 runs recomputed" in said.err
    assert (own.folder / "history").is_dir()
    home = own.folder / "home"
    home.mkdir()
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    assert "artifacts of 1 runs recomputed" in own("analyze").err
    assert {path: path.stat().st_mtime_ns for path in records.rglob("*") if path.is_file()} == before
    monkeypatch.setenv("DAGSTER_HOME", str(home / "missing"))
    said = own("analyze")
    assert said.code == 2
    assert said.err.endswith("which is no folder; create it or unset the variable.\n")
