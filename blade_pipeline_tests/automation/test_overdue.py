"""Benchmarks whose runs are expected and stay away: by the profile, else by the environment, and told once."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.stage import Graph
from blade_pipeline.automation import jobs
from blade_pipeline.automation.doctor import examine
from blade_pipeline.automation.notify import tell
from blade_pipeline.automation.notify.notice import Notice
from blade_pipeline.automation.overdue import overdue
from blade_pipeline_tests.automation.world import World, row, write_lines

NOON = datetime(2020, 3, 1, 12, tzinfo=UTC)


class Kept:
    name = "kept"

    def __init__(self) -> None:
        self.told: list[Notice] = []

    def send(self, notice: Notice) -> None:
        self.told.append(notice)


def written(world: World, benchmark: str, run: str, at: datetime) -> Path:
    path = world.run(run, benchmark) / "rollouts.jsonl"
    write_lines(path, [row(0, 0, 1.0, 0, run)])
    os.utime(path, (at.timestamp(), at.timestamp()))
    return path


@pytest.fixture
def two_benchmarks(empty: World, monkeypatch: pytest.MonkeyPatch) -> Live:
    """aime every day by its profile, gpqa as the environment says; each had its newest run on Sunday at noon."""
    monkeypatch.delenv("BLADE_FRESH_HOURS", raising=False)
    for benchmark in ("aime", "gpqa"):
        written(empty, benchmark, "old", NOON - timedelta(days=30))
        written(empty, benchmark, "new", NOON)
    empty.write("profiles", "aime", "fresh_hours: 26")
    empty.use(Graph([GRAPH["benchmark_profile"]]))
    return empty.analyse().live


def test_a_benchmark_is_late_by_its_profile_else_by_the_environment(
    two_benchmarks: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = two_benchmarks

    def late(hours: float) -> list[str]:
        return [found.benchmark for found in overdue(live, NOON + timedelta(hours=hours))]

    assert [late(hours) for hours in (0, 25.9, 26, 1000)] == [[], [], ["aime"], ["aime"]]
    monkeypatch.setenv("BLADE_FRESH_HOURS", "12")
    assert [late(hours) for hours in (11.9, 12, 26)] == [[], ["gpqa"], ["aime", "gpqa"]]
    (found, _) = overdue(live, NOON + timedelta(hours=26))
    assert found.what == "aime: no run was added or changed for 26 hours or more"
    assert found.latest == "the newest file is one of new, written 2020-03-01T12:00:00+00:00"


def test_it_is_told_once_and_again_after_the_next_run_stays_away(empty: World, two_benchmarks: Live) -> None:
    kept, live = Kept(), two_benchmarks
    for hours in (25, 26, 30):
        tell(live, [kept], None, NOON + timedelta(hours=hours), {})
    (notice,) = kept.told
    assert (notice.kind, notice.benchmark, notice.run) == ("benchmark_overdue", "aime", None)
    assert Path(notice.look) == empty.runs / "aime"
    written(empty, "aime", "newer", NOON + timedelta(hours=30))
    live = empty.analyse().live
    for hours in (30, 55.9, 56, 60):
        tell(live, [kept], None, NOON + timedelta(hours=hours), {})
    assert [notice.key for notice in kept.told] == ["2020-03-01T12:00:00+00:00", "2020-03-02T18:00:00+00:00"]


def test_the_examination_and_the_night_name_it(empty: World, two_benchmarks: Live) -> None:
    """Long after the runs of both were written, which have only the one profile to say how often they come."""
    (finding,) = [found for found in examine(empty.settings).findings if found.area == "expected runs"]
    assert (finding.level, finding.what.split(";")[0]) == (
        "act",
        "aime: no run was added or changed for 26 hours or more",
    )
    jobs.reanalyze_everything.execute_in_process(instance=empty.instance, resources={"workspace": empty.workspace})
    event = empty.instance.get_latest_materialization_event(dg.AssetKey("nightly_report"))
    assert event is not None and event.asset_materialization is not None
    assert event.asset_materialization.metadata["benchmarks without a new run"].value == "aime"
    assert str(event.asset_materialization.description).endswith("no new run for too long in aime")
