"""Assets materialized one at a time, as from Dagster's pages, agree with what a walk makes and records."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecord

from blade_pipeline.assets.factory import assets_of
from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.keys import BASELINE, GONE, PREVIOUS, RUNS, SOURCE
from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.assets.stage import Graph
from blade_pipeline.storage import Cell
from blade_pipeline_tests.automation.small_graph import SMALL
from blade_pipeline_tests.automation.world import World, row, write_lines

pytestmark = pytest.mark.long

RUN = Cell("aime", "m1")


def materialize(world: World, graph: Graph, name: str, cell: Cell, *, fails: bool = False) -> dg.ExecuteInProcessResult:
    result = dg.materialize(
        assets_of(graph),
        selection=[name],
        partition_key=partition_key(cell),
        instance=world.instance,
        resources={"workspace": world.workspace},
        raise_on_error=False,
    )
    assert result.success is not fails
    return result


def failure_of(result: dg.ExecuteInProcessResult) -> str:
    (event,) = [event for event in result.all_node_events if event.is_step_failure]
    assert event.step_failure_data.user_failure_data is not None
    return str(event.step_failure_data.user_failure_data.description)


def stale(world: World, graph: Graph) -> dict[str, Any]:
    """Dagster's own view of what is unsynced, of every materialized partition of m1 and its benchmark."""
    repository = dg.Definitions(assets_of(graph), resources={"workspace": world.workspace}).get_repository_def()
    resolver = CachingStaleStatusResolver(world.instance, repository.asset_graph, LoadingContextForTest(world.instance))
    cells = {stage.name: RUN if stage.level == "run" else RUN.of_benchmark for stage in graph}
    return {
        name: [cause.reason for cause in resolver.get_stale_causes(dg.AssetKey(name), partition_key(cell))]
        for name, cell in cells.items()
        if resolver.get_status(dg.AssetKey(name), partition_key(cell)) != StaleStatus.FRESH
    }


def test_one_asset_from_the_page_is_what_the_walk_would_have_made(small: World) -> None:
    small.analyse()
    version = small.store.read("mean", RUN).version
    small.recomputed()
    (event,) = materialize(small, SMALL, "mean", RUN).asset_materializations_for_node("mean")
    assert event.tags is not None
    assert event.tags["dagster/data_version"] == version == small.store.read("mean", RUN).version
    assert sum(len(pass_.update.made) for pass_ in [small.analyse()]) == 0


def test_assets_one_after_the_other_leave_nothing_for_the_walk(small: World) -> None:
    small.tick()
    for stage in SMALL:
        cells = [RUN, Cell("aime", "m2")] if stage.level == "run" else [RUN.of_benchmark]
        for cell in cells:
            materialize(small, SMALL, stage.name, cell)
    assert small.analyse().update.made == []


def test_dagsters_own_pages_call_everything_synced_after_a_walk(small: World) -> None:
    small.analyse()
    assert stale(small, SMALL) == {}


def test_dagsters_own_pages_see_a_change(small: World) -> None:
    small.analyse()
    write_lines(small.run("m1") / "rollouts.jsonl", [row(0, 1, 0.0, 1, "m1")], "a")
    materialize(small, SMALL, "rows", RUN)
    assert stale(small, SMALL) == {"mean": ["has a new dependency data version"]}
    small.analyse()
    assert stale(small, SMALL) == {}


def test_a_cell_without_a_directory_fails_with_one_sentence(small: World) -> None:
    small.analyse()
    small.instance.add_dynamic_partitions("model_runs", ["m9"])
    result = materialize(small, SMALL, "rows", Cell("aime", "m9"), fails=True)
    assert failure_of(result) == "There is no run directory for aime/m9; this cell of the grid has no data."
    result = materialize(small, SMALL, "mean", Cell("aime", "m9"), fails=True)
    assert failure_of(result) == "There is no run directory for aime/m9; this cell of the grid has no data."


def test_a_cell_whose_directory_vanished_says_where_it_was(small: World, tmp_path: Path) -> None:
    small.analyse()
    small.run("m1").rename(tmp_path / "elsewhere")
    small.analyse()
    result = materialize(small, SMALL, "mean", RUN, fails=True)
    assert (
        failure_of(result) == f"The directory of aime/m1 is gone (it was {small.run('m1')}); put it back to analyse it."
    )


def test_an_asset_before_its_inputs_says_which_is_missing(small: World) -> None:
    small.tick()
    result = materialize(small, SMALL, "mean", RUN, fails=True)
    assert failure_of(result) == "rows of aime/m1 is not there yet; run blade analyze first."


def test_checks_are_recorded_alike_from_the_page_and_from_a_walk(world: World) -> None:
    """Each partition has its own verdict; a later run's does not cover it."""
    world.analyse()
    world.write("profiles", "aime", "min_coverage: 0.5")
    world.analyse()
    key = dg.AssetCheckKey(dg.AssetKey("coverage"), "coverage_is_complete")
    storage = world.instance.event_log_storage
    history = storage.get_asset_check_execution_history(key, limit=20)
    assert Counter(str(record.partition) for record in history) == {"aime|m1": 2, "aime|m2": 2, "aime|m3": 2}
    first = [
        record.event.dagster_event.asset_check_evaluation_data for record in history if record.partition == "aime|m2"
    ]
    assert [(data.passed, data.severity) for data in first] == [
        (True, dg.AssetCheckSeverity.WARN),
        (False, dg.AssetCheckSeverity.WARN),
    ]
    assert first[1].description == "83.3% of the expected rollouts are measured, 5 of 6"
    result = materialize(world, GRAPH, "coverage", Cell("aime", "m2"))
    assert {evaluation.check_name for evaluation in result.get_asset_check_evaluations()} == {
        "accounting_sums",
        "coverage_is_complete",
        "peer_aggregate_agrees",
    }
    assert storage.get_asset_check_execution_history(key, limit=1)[0].partition == "aime|m2"


def test_pages_show_the_verdicts_of_a_walk_as_those_of_the_latest_materialization(world: World) -> None:
    world.analyse()
    world.write("profiles", "aime", "min_coverage: 0.5")
    world.analyse()
    for check in GRAPH.checks:
        key = dg.AssetCheckKey(dg.AssetKey(check.asset), check.name)
        record = world.instance.event_log_storage.get_latest_asset_check_execution_by_key([key])[key]
        assert asyncio.run(record.targets_latest_materialization(LoadingContextForTest(world.instance))), key


def test_metadata_holds_numbers_and_no_text_of_a_rollout(world: World) -> None:
    """Prompts and answers stay out; the report's path, row counts and input versions are there."""
    world.analyse()
    for stage in GRAPH:
        wanted = dg.AssetRecordsFilter(dg.AssetKey(stage.name))
        for record in world.instance.fetch_materializations(wanted, limit=100).records:
            event = record.asset_materialization
            assert event is not None
            assert _assets_in(event.metadata["blade/inputs"].value) <= set(stage.deps)
            shown = str({name: value.value for name, value in event.metadata.items()})
            assert "What is" not in shown
            table = world.store.read(stage.name, _cell(record)).artifact.table
            assert ("dagster/row_count" in event.metadata) == (table is not None)
            assert list(stage.columns) == ([] if table is None else table.schema.names)
            if stage.name == "blade_report":
                assert str(event.metadata["report"].value).endswith("report.html")


def test_pages_show_small_tables(world: World) -> None:
    """Three tasks with two repeats each: repeat 0 passes, repeat 1 fails on the middle task."""
    world.write("references", "aime", [{"name": "paper", "score": 0.7}])
    world.analyse()
    expected = {
        "expected_rollouts": ("rollouts by agent", "| agent | count |\n| --- | --- |\n| solver | 6 |"),
        "measured_samples": ("rollouts by agent", "| agent | count |\n| --- | --- |\n| solver | 6 |"),
        "pass_at_k": ("by k", "| 1 | 0.8333 | 0.8333 | 3 of 3 |\n| 2 | 1 | 0.6667 | 3 of 3 |"),
        "anchor_facts": ("kinds", "| F1 |"),
        "reference_scores": ("scores", "| paper | pass@1 | 0.7 | fraction |"),
        "benchmark_report": ("leaderboard", "| m1 | 83.3% |"),
    }
    for asset, (name, text) in expected.items():
        partition = "aime" if asset in ("reference_scores", "benchmark_report") else "aime|m1"
        wanted = dg.AssetRecordsFilter(dg.AssetKey(asset), asset_partitions=[partition])
        (record,) = world.instance.fetch_materializations(wanted, limit=1).records
        assert record.asset_materialization is not None
        assert text in str(record.asset_materialization.metadata[name].value), asset


def test_trends_are_numbers_of_every_run(world: World) -> None:
    """m2 lacks its last of six rollouts and m3's first one is masked, so that five of its six rows are measured."""
    rows = [json.loads(line) for line in (world.run("m3") / "rollouts.jsonl").read_text().splitlines()]
    write_lines(world.run("m3") / "rollouts.jsonl", [rows[0] | {"mask_sample": True}, *rows[1:]])
    world.analyse()
    found = {}
    for run in ("m1", "m2", "m3"):
        wanted = dg.AssetRecordsFilter(dg.AssetKey("blade_report"), asset_partitions=[f"aime|{run}"])
        (record,) = world.instance.fetch_materializations(wanted, limit=1).records
        assert record.asset_materialization is not None
        found[run] = [record.asset_materialization.metadata[name] for name in ("pass@1", "coverage", "mask rate")]
    assert all(isinstance(value, dg.FloatMetadataValue) for values in found.values() for value in values)
    assert {run: [value.value for value in values] for run, values in found.items()} == {
        "m1": [pytest.approx(5 / 6), 1.0, 0.0],
        "m2": [pytest.approx(5 / 6), pytest.approx(5 / 6), 0.0],
        "m3": [pytest.approx(5 / 6), 1.0, pytest.approx(1 / 6)],
    }


def _assets_in(inputs: object) -> set[str]:
    assert isinstance(inputs, dict)
    return {key.split("/")[0] for key in inputs} - {SOURCE, RUNS, GONE, BASELINE, PREVIOUS}


def _evaluation(record: AssetCheckExecutionRecord) -> dg.AssetCheckEvaluation:
    assert record.event is not None
    assert record.event.dagster_event is not None
    return record.event.dagster_event.asset_check_evaluation_data


def _cell(record: dg.EventLogRecord) -> Cell:
    return Cell(*str(record.partition_key).split("|"))
