"""What an examination makes of hand-made facts, and that it leaves no trace."""

import hashlib
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from dagster._daemon.daemon import SchedulerDaemon, SensorDaemon

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.automation import doctor, jobs
from blade_pipeline.automation.doctor import examine
from blade_pipeline.automation.doctor.daemons import (
    _DAEMONS,
    Instigator,
    automation_findings,
    night_findings,
    nights_of,
)
from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.automation.doctor.partitions import outdated_findings, stray_findings
from blade_pipeline.automation.doctor.runs import root_findings, unsettled_findings, vanished_findings
from blade_pipeline.automation.doctor.storing import store_findings, unfinished_findings
from blade_pipeline.automation.outdated import Due, Plan
from blade_pipeline.storage import Cell, Entry
from blade_pipeline_tests.automation.world import World, row, write_lines

M1, M2 = Cell("aime", "m1"), Cell("aime", "m2")


def said(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.level, finding.what) for finding in findings]


def acts(findings: list[Finding]) -> list[str]:
    return [finding.what for finding in findings if finding.level == "act"]


def test_a_store_that_cannot_be_written_and_a_full_disk_need_a_hand() -> None:
    facts = {"place": "/s", "exists": True, "writable": False, "free_bytes": 999_999_999}
    assert said(store_findings(facts)) == [
        ("act", "/s cannot be written"),
        ("act", "1000 MB are free on the disk of /s"),
    ]
    assert store_findings(facts | {"writable": True, "free_bytes": 1_000_000_000}) == []
    bucket = {"place": "s3://b", "exists": False, "writable": None, "free_bytes": None}
    assert said(store_findings(bucket)) == [("note", "s3://b is not there yet")]


def test_a_removal_that_was_stopped_needs_a_hand() -> None:
    assert unfinished_findings([M1]) == [
        Finding("leftovers", "act", "forgetting aime/m1 was stopped midway", "blade forget aime m1")
    ]


def test_a_folder_of_runs_that_is_gone_is_told_once_and_a_single_directory_by_name() -> None:
    entries = {
        M1: Entry("/disk/aime/m1", "/disk", "2026-11-01"),
        M2: Entry("/disk/aime/m2", "/disk", "2026-11-01"),
        Cell("gpqa", "m1"): Entry("/here/gpqa/m1", "/here", "2026-11-02"),
    }
    vanished = {cell: entry.directory for cell, entry in entries.items()}

    def there(folder: str) -> bool:
        return folder == "/here"

    assert said(root_findings("/here", entries, there)) == [
        ("act", "/disk is gone, and with it the directories of 2 runs"),
        ("ok", "/here: 1 runs known"),
    ]
    assert said(vanished_findings(entries, vanished, there)) == [
        (
            "note",
            "gpqa/m1: its directory /here/gpqa/m1 is gone since 2026-11-02; its results are kept and marked",
        )
    ]


def test_a_run_that_never_settles_needs_a_hand() -> None:
    overdue = datetime(2026, 11, 28, 12, tzinfo=UTC)
    since = {"aime/m1": "2026-11-28T12:00:00+00:00", "aime/m2": "2026-11-28T12:00:01+00:00"}
    assert said(unsettled_findings({M1: "no newline", M2: "fresh", Cell("gpqa", "m1"): "new"}, since, overdue)) == [
        ("act", "aime/m1: being written since 2026-11-28T12:00:00+00:00; no newline"),
        ("note", "aime/m2: fresh"),
        ("note", "gpqa/m1: new"),
    ]


def test_outdated_artifacts_are_grouped_by_run_and_reason() -> None:
    raw, inputs, report = (GRAPH[name] for name in ("raw_rollouts", "expected_rollouts", "blade_report"))
    plan = Plan(
        [
            Due(inputs, M1, "changed: source", ""),
            Due(raw, M1, "changed: source", ""),
            Due(report, M2, "its file is missing", ""),
        ],
        [(report, M1)],
    )
    assert said(outdated_findings(plan, 2)) == [
        ("act", "aime/m1: expected_rollouts, raw_rollouts (changed: source)"),
        ("act", "aime/m2: blade_report (its file is missing)"),
        ("note", "1 further artifacts may follow from these"),
    ]


def test_names_and_artifacts_without_the_other() -> None:
    """m1 is whole; m2 is known and no partition here; m3 is remembered by nobody; gpqa and a to l are only names."""
    m3 = Cell("aime", "m3")
    found = stray_findings({"aime", "gpqa"}, {"m1", "m3", *"abcdefghijkl"}, [M1, M2], [Cell("aime"), M1, M2, m3])
    ten = ", ".join(repr(name) for name in "abcdefghij")
    assert said(found) == [
        ("note", "partitions without a benchmark or artifacts: 'gpqa'"),
        ("note", f"partitions without a run directory or artifacts: {ten} and 2 more"),
        ("act", "aime/m2 has artifacts and is no partition of these Dagster records"),
        ("act", "aime/m3 has artifacts, and the store remembers no directory of it"),
    ]


@pytest.mark.parametrize(
    ("instigator", "beat", "level", "what"),
    [
        (Instigator("sensor", "s", "SENSOR", False), 990.0, "note", "sensor s is off"),
        (Instigator("sensor", "s", "SENSOR", True), 700.0, "ok", "sensor s is on, and its daemon is alive"),
        (
            Instigator("sensor", "s", "SENSOR", True),
            699.0,
            "act",
            "no daemon ran since 1970-01-01T00:11:39+00:00 for sensor s",
        ),
        (Instigator("sensor", "s", "SENSOR", True), None, "note", "no daemon ran yet for sensor s"),
        (
            Instigator("schedule", "n", "SENSOR", True, "OSError"),
            990.0,
            "act",
            "the latest tick of schedule n failed (OSError)",
        ),
    ],
)
def test_sensors_and_schedules(instigator: Instigator, beat: float | None, level: str, what: str) -> None:
    heartbeats = {} if beat is None else {"SENSOR": beat}
    assert said(automation_findings([instigator], heartbeats, 1000.0)) == [(level, what)]


def test_a_dead_daemon_is_told_once_for_all_that_it_ran() -> None:
    dead = [Instigator("sensor", "a", "SENSOR", True), Instigator("schedule", "n", "SCHEDULER", True)]
    assert said(automation_findings(dead, {"SENSOR": 10.0, "SCHEDULER": 20.0}, 1000.0)) == [
        ("act", "no daemon ran since 1970-01-01T00:00:20+00:00 for sensor a, schedule n")
    ]


HOUR = 3600.0


@pytest.mark.parametrize(
    ("began", "ended", "level", "what"),
    [
        (None, None, "note", "no night ended yet"),
        (64 * HOUR, None, "note", "no night ended yet"),
        (63 * HOUR, None, "act", "no night ever ended; the latest began 1970-01-03T15:00:00+00:00"),
        (1 * HOUR, 64 * HOUR, "ok", "the latest night ended 1970-01-03T16:00:00+00:00"),
        (
            99 * HOUR,
            63 * HOUR,
            "act",
            "no night ended since 1970-01-03T15:00:00+00:00; the latest began 1970-01-05T03:00:00+00:00",
        ),
    ],
)
def test_a_night_that_stays_away_for_36_hours_needs_a_hand(
    began: float | None, ended: float | None, level: str, what: str
) -> None:
    assert said(night_findings(began, ended, 100 * HOUR)) == [(level, what)]


def test_when_a_night_began_and_ended_is_read_from_the_records(small: World) -> None:
    assert nights_of(small.instance) == (None, None)
    before = time.time()
    jobs.reanalyze_everything.execute_in_process(instance=small.instance, resources={"workspace": small.workspace})
    began, ended = nights_of(small.instance)
    assert began is not None and ended is not None
    assert before - 1 <= began <= ended <= time.time()


def test_variables_that_cannot_be_used_are_told_and_nothing_of_an_address(
    installed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLADE_FRESH_HOURS", "a day")
    monkeypatch.setenv("BLADE_KEEP_DAYS", "-1")
    monkeypatch.setenv("BLADE_NOTIFY_WEBHOOK", "hooks.example/secret-path")
    found = examine(installed.settings).findings
    assert acts(found) == [
        "BLADE_KEEP_DAYS is '-1'; give a number of days",
        "BLADE_FRESH_HOURS is 'a day'; give a number of hours above 0",
        "BLADE_NOTIFY_WEBHOOK is no http or https address",
    ]


@pytest.fixture
def installed(empty: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """One run in a world whose records lie in the store."""
    monkeypatch.undo()
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.chdir(empty.root)
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "0")
    write_lines(empty.run("m1") / "rollouts.jsonl", [row(0, 0, 1.0, 0, "m1")])
    return empty


def everything_below(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in folder.rglob("*")
    }


def test_nothing_is_written_before_and_after_an_analysis(installed: World) -> None:
    before = everything_below(installed.root)
    found = examine(installed.settings)
    assert acts(found.findings) == ["none of 1 runs was analysed yet"]
    assert everything_below(installed.root) == before
    assert installed.analyse().errors == []
    write_lines(installed.run("m2") / "rollouts.jsonl", [row(0, 0, 1.0, 0, "m2")])
    shutil.rmtree(installed.run("m1"))
    before = everything_below(installed.root)
    found = examine(installed.settings)
    assert everything_below(installed.root) == before
    assert any("aime/m1: its directory" in finding.what for finding in found.findings if finding.area == "vanished")
    assert acts(found.findings) == [
        "aime/m2: expected_rollouts, raw_rollouts, failed_attempts, analyst_labels (never made)"
    ]


def test_what_is_whole_needs_no_hand_and_a_lost_artifact_does(installed: World) -> None:
    assert installed.analyse().errors == []
    found = examine(installed.settings)
    assert not found.needs_a_hand
    assert ("ok", "every artifact of 1 runs follows from what is there") in said(found.findings)
    (installed.root / "store/artifacts/coverage/aime/m1.json").unlink(missing_ok=True)
    (installed.root / "store/artifacts/coverage/aime/m1.parquet").unlink(missing_ok=True)
    assert acts(examine(installed.settings).findings) == ["aime/m1: coverage (its file is missing)"]


def test_temporary_files_of_killed_writers_are_named_and_left(installed: World) -> None:
    left = installed.root / "store/artifacts/.writing-x"
    left.parent.mkdir(parents=True)
    left.write_text("half")
    (finding,) = [finding for finding in examine(installed.settings).findings if finding.area == "leftovers"]
    assert (finding.level, str(left) in finding.what, left.exists()) == ("note", True, True)


def test_what_cannot_be_read_is_a_finding(installed: World) -> None:
    """A broken registry, no folder of runs, and settings of Dagster that are no YAML."""
    assert installed.analyse().errors == []
    config = installed.root / "store/.dagster/dagster.yaml"
    kept = config.read_text()
    config.write_text("{")
    assert acts(examine(installed.settings).findings) == ["Dagster's settings or records cannot be read (ParserError)"]
    config.write_text(kept)
    (installed.root / "store/registry.json").write_text("{}")
    assert "registry.json is not readable" in acts(examine(installed.settings).findings)[0]
    (installed.root / "store/registry.json").unlink()
    shutil.rmtree(installed.runs)
    assert acts(examine(installed.settings).findings) == [f"{installed.runs} is no folder"]


def test_a_failed_job_is_told_with_its_sentence_until_the_benchmark_is_whole(world: World) -> None:
    world.write("profiles", "aime", "pass_treshold: 1")
    world.tick()
    world.reanalyse("aime", fails=True)
    plan = doctor._plan(world.instance, doctor.glance(world.settings))
    (finding,) = doctor.failed_runs(world.instance, plan)
    assert finding.what.startswith("reanalysis of aime failed: benchmark_profile of aime failed: ")
    assert "unknown field 'pass_treshold'" in finding.what
    assert doctor.failed_runs(world.instance, Plan([], [])) == []


def test_dagster_names_its_daemons_as_the_examination_does() -> None:
    assert {SensorDaemon.daemon_type(), SchedulerDaemon.daemon_type()} == set(_DAEMONS)
