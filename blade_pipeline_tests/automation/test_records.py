"""Records are remembered by their event, and a memo can be lost, broken or wrong without harm."""

from pathlib import Path

import dagster as dg
import pytest

from blade_pipeline.assets.world import see
from blade_pipeline.automation import records
from blade_pipeline.automation.records import load_records
from blade_pipeline.storage import Cell
from blade_pipeline_tests.automation.small_graph import SMALL
from blade_pipeline_tests.automation.world import World, row, write_lines

RUN = Cell("aime", "m1")


@pytest.fixture
def small(empty: World) -> World:
    """One analysed run under the small graph."""
    write_lines(empty.run("m1") / "rollouts.jsonl", [row(0, 0, 1.0, 0, "m1")])
    empty.use(SMALL)
    empty.analyse()
    return empty


def load(world: World) -> records.Records:
    return load_records(world.instance, SMALL, see(world.settings).runs, world.store)


def memo_of(world: World) -> Path:
    (path,) = Path(world.store.root).glob("records-*.json")
    return path


def test_an_event_is_unpacked_once(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(small)
    assert {f"{name} of {cell}" for name, cell in first} == {
        "margin of aime",
        "rows of aime/m1",
        "mean of aime/m1",
        "ranking of aime",
        "page of aime",
    }
    assert first["mean", RUN].inputs == {
        "rows/aime/m1": first["rows", RUN].data_version,
        "margin/aime": first["margin", Cell("aime")].data_version,
    }

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an event was unpacked again")

    monkeypatch.setattr(dg.DagsterInstance, "fetch_materializations", refuse)
    assert load(small) == first


@pytest.mark.parametrize("content", ["", "{", "[]", '{"mean/aime/m1": [1]}'])
def test_a_broken_memo_is_an_empty_one(small: World, content: str) -> None:
    first = load(small)
    memo_of(small).write_text(content)
    assert load(small) == first


def test_a_new_event_replaces_what_was_remembered(small: World) -> None:
    before = load(small)
    write_lines(small.run("m1") / "rollouts.jsonl", [row(0, 1, 0.0, 1, "m1")], "a")
    small.analyse()
    after = load(small)
    assert after["rows", RUN] != before["rows", RUN]
    assert after["margin", Cell("aime")] == before["margin", Cell("aime")]
    small.instance.wipe_assets([dg.AssetKey("mean")])
    assert ("mean", RUN) not in load(small)


def test_a_materialization_that_names_no_inputs_counts_as_never_made(small: World) -> None:
    """Somebody reports one by hand."""
    small.instance.report_runless_asset_event(dg.AssetMaterialization("mean", partition="aime|m1"))
    assert load(small)["mean", RUN].inputs is None
    assert [renewed.reason for renewed in small.analyse().update.made] == ["never made"]


def test_other_partitions_are_not_loaded(small: World) -> None:
    small.instance.report_runless_asset_event(dg.AssetMaterialization("mean", partition="gpqa|m1"))
    assert {cell.benchmark for _, cell in load(small)} == {"aime"}
