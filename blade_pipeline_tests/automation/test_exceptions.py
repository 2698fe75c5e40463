"""What an unexpected exception quotes, of a row or a secret, reaches no page, record or log of Dagster."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import dagster as dg
import duckdb
import orjson
import pyarrow as pa
import pytest
import yaml
from dagster._utils.error import serializable_error_info_from_exc_info

from blade_pipeline.assets.factory import assets_of
from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation import jobs, sensor, telling
from blade_pipeline.errors import fault_of
from blade_pipeline.models import BladeError, Profile
from blade_pipeline.storage import Cell
from blade_pipeline_tests.automation.small_graph import SMALL, with_compute
from blade_pipeline_tests.automation.world import World, row, write_lines

CANARY = "quartz falcon 91"
TOKEN = "sk-proj-abc123DEF456ghi789"


def quotes(of: Callable[[], object]) -> Exception:
    """The exception that a library raises at what it reads."""
    with pytest.raises(Exception, match=CANARY) as caught:
        of()
    return caught.value


LIBRARIES: dict[str, Callable[[], object]] = {
    "yaml": lambda: yaml.safe_load(f"a: [{CANARY}\nb: *{CANARY}"),
    "duckdb": lambda: duckdb.sql(f"select '{CANARY}'::int").fetchall(),
    "pyarrow": lambda: pa.array([CANARY]).cast(pa.int64()),
    "pydantic": lambda: Profile.model_validate({"score": 1, CANARY: {TOKEN: CANARY}}),
    "key": lambda: {}[CANARY],
    "int": lambda: int(CANARY),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_fault_is_told_without_what_a_library_quotes(library: str) -> None:
    found = quotes(LIBRARIES[library])
    assert fault_of(found).startswith(f"a fault of the program, {type(found).__name__} in ")
    assert CANARY not in fault_of(found)


def test_orjson_keeps_what_it_read_in_its_exception() -> None:
    with pytest.raises(orjson.JSONDecodeError) as caught:
        orjson.loads(f'{{"a": "{CANARY}')
    assert CANARY in caught.value.doc
    assert CANARY not in fault_of(caught.value)


def breaks(*_: Any, **__: Any) -> NoReturn:
    """An exception with the canary in its message, its cause and the variables of its frames."""
    local = {"password": CANARY, "key": TOKEN}
    try:
        json.loads(f"{{{CANARY} {local}")
    except ValueError as cause:
        raise RuntimeError(f"row {local}") from cause


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """One run under the small graph, and records of Dagster on disk."""
    (tmp_path / "records").mkdir()
    with dg.DagsterInstance.local_temp(str(tmp_path / "records")) as instance:
        world = World(tmp_path, instance, monkeypatch)
        write_lines(world.run("m1") / "rollouts.jsonl", [row(0, 0, 1.0, 0, CANARY)])
        world.use(SMALL)
        yield world


def untold(world: World, said: str) -> None:
    """Neither Dagster's files nor what was said hold the canary or the key."""
    files = [path for path in (world.root / "records").rglob("*") if path.is_file()]
    assert any(path.name == "index.db" for path in files)
    for content in [*(path.read_bytes() for path in files), said.encode()]:
        assert CANARY.encode() not in content
        assert TOKEN.encode() not in content


@pytest.mark.parametrize("place", ["a stage", "the job around it", "registering"])
def test_a_job_tells_a_fault_by_its_place(
    kept: World, place: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kept.tick()
    if place == "a stage":
        kept.use(with_compute("rows", breaks))
    else:
        monkeypatch.setattr(jobs, "still_written" if place == "the job around it" else "notify", breaks)
    kept.reanalyse("aime", fails=True)
    (run,) = kept.instance.get_runs()
    (entry,) = kept.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE)
    assert entry.dagster_event is not None
    told = entry.dagster_event.step_failure_data.user_failure_data
    assert told is not None
    assert "a fault of the program, RuntimeError in " in str(told.description)
    untold(kept, "".join(capfd.readouterr()) + str(entry))


def test_the_page_of_an_asset_tells_a_fault_by_its_place(
    kept: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kept.tick()
    monkeypatch.setattr(Workspace, "see", breaks)
    result = dg.materialize(
        assets_of(SMALL),
        selection=["rows"],
        partition_key=partition_key(Cell("aime", "m1")),
        instance=kept.instance,
        resources={"workspace": kept.workspace},
        raise_on_error=False,
    )
    assert not result.success
    untold(kept, "".join(capfd.readouterr()) + str([event.message for event in result.all_events]))


@pytest.mark.parametrize("name", ["run_directory_sensor", "notification_sensor", "run_failure_notifications"])
def test_a_tick_tells_a_fault_by_its_place(kept: World, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workspace, "see", breaks)
    resources = {"workspace": kept.workspace}
    with pytest.raises(dg.Failure) as caught:
        if name == "run_failure_notifications":
            monkeypatch.setattr(telling, "failure_of", breaks)
            run = dg.DagsterRun("reanalysis", run_id="r")
            event = dg.DagsterEvent("PIPELINE_FAILURE", "reanalysis")
            context = dg.build_run_status_sensor_context(name, event, kept.instance, run, resources=resources)
            telling.run_failure_notifications(context.for_run_failure())
        else:
            of = sensor if name == "run_directory_sensor" else telling
            with dg.build_sensor_context(kept.instance, resources=resources) as tick:
                getattr(of, name)(tick)
    stored = serializable_error_info_from_exc_info((type(caught.value), caught.value, caught.tb))
    assert "a fault of the program, RuntimeError in " in stored.to_string()
    untold(kept, stored.to_string() + str(stored))


def test_a_sentence_of_ours_loses_its_secrets(kept: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> NoReturn:
        raise BladeError(f"token={TOKEN} is wrong; mend it.")

    monkeypatch.setattr(Workspace, "see", refuses)
    found = kept.tick()
    assert isinstance(found, dg.SkipReason)
    assert str(found.skip_message).endswith("is wrong; mend it.")
    kept.instance.add_dynamic_partitions("benchmarks", ["aime"])
    kept.reanalyse("aime", fails=True)
    logging.shutdown()
    untold(kept, str(found))
