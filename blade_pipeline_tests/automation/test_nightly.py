"""What the nightly re-analysis finds that the sensor cannot see, and how it says so."""

import json
import os
import shutil
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from blade_pipeline.assets.freshness import freshness_of
from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.automation import jobs
from blade_pipeline.automation.night import CHANGED, TRACELESS, Night, counts_of, moved, repairs_of, sentence_of
from blade_pipeline.automation.nightly import NIGHTLY_REPORT, mended_of, nightly_report
from blade_pipeline.automation.update import Renewed, Update
from blade_pipeline.models import BladeError, UsageProblem
from blade_pipeline.storage import Artifact, Cell, Entry, delete
from blade_pipeline_tests.automation.small_graph import SMALL, with_compute
from blade_pipeline_tests.automation.world import World, row, write_lines

M1, M2 = Cell("aime", "m1"), Cell("aime", "m2")
RAW, MEAN = SMALL["rows"], SMALL["mean"]


def test_every_reason_has_its_kind() -> None:
    made = [
        Renewed(RAW, M1, "changed: source"),
        Renewed(RAW, M2, "changed: source"),
        Renewed(MEAN, M1, "changed: rows/aime/m1"),
        Renewed(MEAN, M2, "its file is missing"),
        Renewed(SMALL["ranking"], Cell("aime"), "its file is not the recorded one"),
        Renewed(SMALL["page"], Cell("aime"), "its code changed"),
        Renewed(RAW, Cell("aime", "m3"), "never made"),
        Renewed(MEAN, Cell("aime", "m3"), "never made"),
    ]

    def is_traceless(renewed: Renewed) -> bool:
        return renewed.cell == M1

    assert counts_of(made, is_traceless) == {
        "edited without a trace in size or times": 1,
        "files changed": 1,
        "new, or failed before": 2,
        "artifact or page lost": 1,
        "artifact not the recorded one": 1,
        "code changed": 1,
        "follows from another": 1,
    }
    assert repairs_of(made, is_traceless) == [
        {"of": "aime", "because": "artifact not the recorded one", "made again": "ranking"},
        {"of": "aime", "because": "code changed", "made again": "page"},
        {"of": "aime/m1", "because": "edited without a trace in size or times", "made again": "rows"},
        {"of": "aime/m2", "because": "files changed", "made again": "rows"},
        {"of": "aime/m2", "because": "artifact or page lost", "made again": "mean"},
        {"of": "aime/m3", "because": "new, or failed before", "made again": "rows, mean"},
    ]


def test_directories_that_vanished_and_came_back() -> None:
    here, gone = Entry("/d", "/r"), Entry("/d", "/r", "2026-11-29")
    assert moved({M1: here, M2: gone}, {M1: gone, M2: here, Cell("aime", "m3"): here}) == ([M1], [M2])
    assert moved({M1: here}, {M1: here}) == ([], [])


def test_a_night_says_what_it_did() -> None:
    night = Night(files=12, bytes=3_400_000, vanished=[M1], mended=["aime"])
    assert sentence_of(night, 4, ["one"]) == (
        "read 12 files again (3.4 MB); made 4 artifacts again; 1 directories vanished; mended aime; 1 failures are left"
    )
    assert sentence_of(Night(), 0, []) == "read 0 files again (0.0 MB); made 0 artifacts again"


def test_only_a_benchmark_without_a_failure_left_is_mended() -> None:
    update = Update(failed={("mean", M1): "no"})
    assert mended_of(["gpqa", "aime", "gpqa", None], update) == ["gpqa"]


@pytest.fixture
def small(empty: World) -> World:
    """Two runs of one benchmark under the small graph, analysed."""
    for number, run in enumerate(("m1", "m2")):
        write_lines(empty.run(run) / "rollouts.jsonl", [row(0, 0, 1.0, number, run)])
    empty.use(SMALL)
    empty.analyse()
    return empty


def night_of(world: World, *, fails: bool = False) -> Mapping[str, Any]:
    """Runs the job and answers what it reported."""
    result = jobs.reanalyze_everything.execute_in_process(
        instance=world.instance, resources={"workspace": world.workspace}, raise_on_error=not fails
    )
    assert result.success is not fails
    event = world.instance.get_latest_materialization_event(NIGHTLY_REPORT)
    assert event is not None
    assert event.asset_materialization is not None
    assert event.run_id == result.run_id
    metadata = event.asset_materialization.metadata
    return {name: value.value for name, value in metadata.items()}


def test_a_quiet_night_reads_everything_and_makes_nothing(small: World) -> None:
    found = night_of(small)
    size = sum((small.run(run) / "rollouts.jsonl").stat().st_size for run in ("m1", "m2"))
    assert (found["files read again"], found["MB read again"]) == (2, round(size / 1e6, 1))
    assert (found["artifacts made again"], found["artifacts current"], found["failures left"]) == (0, 7, 0)
    assert (found["by reason"], found["repairs"]) == ({}, "none")


def hide_the_edit(world: World, run: str) -> None:
    """Only a filesystem that restores all four stamps can hide an edit; a rewritten memo plays its part here."""
    memo = Path(world.store.path("sources.json"))
    before = json.loads(memo.read_text())[f"rows/aime/{run}"]
    path = world.run(run) / "rollouts.jsonl"
    path.write_text(path.read_text().replace('"reward": 1.0', '"reward": 0.5'))
    live = world.workspace.see()
    entries = json.loads(memo.read_text())
    entries[f"rows/aime/{run}"] = [live.stamp(RAW, Cell("aime", run)), before[1]]
    memo.write_text(json.dumps(entries))


def test_an_edit_without_a_trace_is_found_and_told_from_a_plain_one(small: World) -> None:
    hide_the_edit(small, "m1")
    write_lines(small.run("m2") / "rollouts.jsonl", [row(0, 1, 0.0, 1, "m2")], "a")
    found = night_of(small)
    assert small.store.read("rows", M1).artifact.document == {"rewards": [0.5]}
    assert found["by reason"] == {TRACELESS: 1, CHANGED: 1, "follows from another": 4}
    assert "| aime/m1 | edited without a trace in size or times | rows |" in found["repairs"]


def test_one_night_catches_up_with_all_that_happened_meanwhile(small: World) -> None:
    """A new run, a deleted and a lost artifact, a cursor that says nothing changed, and a removal stopped midway."""
    small.sense()
    write_lines(small.run("m3") / "rollouts.jsonl", [row(0, 0, 1.0, 2, "m3")])
    shutil.rmtree(small.run("m1"))
    delete(small.store, [small.store.path("artifacts", "mean", "aime", "m2.json")])
    small.store.write_bytes(b'{"benchmark": "aime", "run": "m0"}', "forgetting", "aime", "m0.json")
    Path(small.store.path("artifacts", ".writing-x")).write_text("half")
    found = night_of(small)
    names = ("directories vanished", "directories back", "removals completed", "temporary files deleted")
    assert [found[name] for name in names] == [1, 0, 1, 1]
    assert small.store.read("ranking", Cell("aime")).artifact.document == {"m2": 1.0, "m3": 1.0}
    assert "m3" in small.instance.get_dynamic_partitions("model_runs")
    write_lines(small.run("m1") / "rollouts.jsonl", [row(0, 0, 1.0, 0, "m1")])
    assert night_of(small)["directories back"] == 1
    assert night_of(small)["artifacts made again"] == 0


def test_what_a_job_failed_at_is_tried_again_and_named_when_it_is_mended(small: World) -> None:
    def broken(_: Inputs) -> Artifact:
        raise BladeError("no")

    write_lines(small.run("m1") / "rollouts.jsonl", [row(0, 1, 0.0, 1, "m1")], "a")
    small.use(with_compute("mean", broken))
    small.reanalyse("aime", fails=True)
    small.reanalyse("aime", fails=True)
    found = night_of(small, fails=True)
    assert (found["failed jobs since the night before"], found["mended"], found["failures left"]) == (2, "none", 1)
    small.reanalyse("aime", fails=True)
    small.use(SMALL)
    found = night_of(small)
    assert (found["failed jobs since the night before"], found["mended"], found["failures left"]) == (1, "aime", 0)


def test_what_is_wrong_beside_the_runs_fails_the_night_and_no_benchmark(small: World) -> None:
    """A pipe named like failures, in another benchmark: this one's job has nothing to mend."""
    write_lines(small.run("m1", "gpqa") / "rollouts.jsonl", [row(0, 0, 1.0, 0, "m1")])
    os.mkfifo(small.run("m1", "gpqa") / "rollouts_failures.jsonl")
    small.reanalyse("aime")
    assert night_of(small, fails=True)["failures left"] == 1


def test_the_night_is_overdue_at_six_and_benchmarks_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert nightly_report.freshness_policy == dg.FreshnessPolicy.cron("0 6 * * *", timedelta(hours=5))
    assert {freshness_of(stage) for stage in GRAPH} == {None}
    monkeypatch.setenv("BLADE_FRESH_HOURS", "36")
    policies = {stage.level: freshness_of(stage) for stage in GRAPH}
    assert policies == {"run": None, "benchmark": dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=36))}
    for written in ("soon", "0", "-1", "nan", "1e300"):
        monkeypatch.setenv("BLADE_FRESH_HOURS", written)
        with pytest.raises(UsageProblem, match="give a number of hours above 0"):
            freshness_of(GRAPH["comparability"])
