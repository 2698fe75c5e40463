"""What a run's report says of the one before it."""

import json
from pathlib import Path

import dagster as dg
import pytest

from blade_pipeline_tests.automation.world import START, World, row, write_lines

pytestmark = pytest.mark.long

HEADING = "### What changed since the previous report"


def told(world: World, run: str) -> list[str]:
    """The lines of the report's section."""
    text = (published(world, run) / "report.md").read_text()
    return [line for line in text.partition(HEADING)[2].partition("\n### ")[0].splitlines() if line]


def published(world: World, run: str) -> Path:
    return world.root / "store/reports/aime" / run


def contents(world: World) -> dict[str, bytes]:
    reports = world.root / "store/reports"
    return {str(path.relative_to(reports)): path.read_bytes() for path in reports.rglob("*") if path.is_file()}


def complete_m2(world: World) -> None:
    """The rollout that m2 lacks: task 2, repeat 1, which passes."""
    write_lines(world.run("m2") / "rollouts.jsonl", [row(2, 1, 1.0, START + 3605, "model-m2")], mode="a")


def test_the_first_report_says_that_it_is_the_first(world: World) -> None:
    world.analyse()
    assert told(world, "m1") == ["This is the first report of this run in this store."]
    assert json.loads((published(world, "m1") / "previous_metrics.json").read_text()) == {"present": False}


def test_a_report_tells_the_numbers_that_moved_and_keeps_the_former_ones(world: World) -> None:
    world.analyse()
    before = contents(world)
    complete_m2(world)
    world.analyse()
    lines = told(world, "m2")
    assert lines[:5] == [
        "- Files of the run: changed: `rollouts.jsonl`.",
        "- Rollouts and their outcomes: changed.",
        "- Benchmark profile: the same.",
        "- Analyst labels: the same.",
        "- Code of the analysis: the same.",
    ]
    assert {
        "| coverage | 83.3% | 100.0% |",
        "| pass@1, over rollouts | 80.0% | 83.3% |",
        "| measured rollouts | 5 | 6 |",
        "| missing rollouts | 1 | 0 |",
    } <= set(lines)
    kept = json.loads((published(world, "m2") / "previous_metrics.json").read_text())
    assert kept == {"present": True} | json.loads(before["aime/m2/metrics.json"])
    assert (published(world, "m1") / "report.md").read_bytes() == before["aime/m1/report.md"]


def test_a_new_label_file_is_told_with_numbers_that_stay(world: World) -> None:
    world.analyse()
    world.write("labels", "aime/m1", {"schema_version": 1, "benchmark": "aime", "run": "m1", "labels": []})
    world.analyse()
    lines = told(world, "m1")
    assert "- Analyst labels: changed." in lines
    assert lines[-1].startswith("- Numbers: all ")


@pytest.mark.parametrize("after_a_change", [False, True])
def test_a_report_made_again_from_the_same_things_has_the_same_bytes(
    world: World, monkeypatch: pytest.MonkeyPatch, after_a_change: bool
) -> None:
    world.analyse()
    if after_a_change:
        complete_m2(world)
        world.analyse()
    before = contents(world)
    with dg.DagsterInstance.ephemeral() as without_records:
        again = World(world.root, without_records, monkeypatch).analyse()
    remade = [str(renewed.cell) for renewed in again.update.made if renewed.stage.name == "blade_report"]
    assert remade == ["aime/m1", "aime/m2", "aime/m3"]
    assert contents(world) == before


def test_what_a_report_follows_is_among_its_recorded_inputs_and_makes_nothing_outdated(world: World) -> None:
    world.analyse()
    complete_m2(world)
    world.analyse()
    key = dg.AssetKey("blade_report")
    events = world.instance.fetch_materializations(dg.AssetRecordsFilter(key, asset_partitions=["aime|m2"]), limit=2)
    followed = [event.asset_materialization.metadata["blade/inputs"].value["previous"] for event in events.records]
    assert len(set(followed)) == 2
    assert world.analyse().update.made == []
