"""What the sensor asks for, and what it leaves alone and why."""

import json
import os
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.settings import Settings
from blade_pipeline.automation import analysis, jobs, registering, sensor
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Artifact, Cell
from blade_pipeline_tests.automation.small_graph import SMALL, with_compute
from blade_pipeline_tests.automation.world import World, row, write_lines


@pytest.fixture
def small(empty: World) -> World:
    """One run each of two benchmarks under the small graph."""
    for benchmark in ("aime", "gpqa"):
        write_lines(empty.run("m1", benchmark) / "rollouts.jsonl", [row(0, 0, 1.0, 0, "m1")])
    empty.use(SMALL)
    return empty


def asked(found: dg.SensorResult | dg.SkipReason) -> list[str]:
    assert isinstance(found, dg.SensorResult), found
    return [str(request.partition_key) for request in found.run_requests or ()]


def skipped(found: dg.SensorResult | dg.SkipReason) -> str:
    assert isinstance(found, dg.SkipReason), found
    return str(found.skip_message)


def test_one_run_per_benchmark_with_something_due(small: World) -> None:
    assert asked(small.tick()) == ["aime", "gpqa"]
    assert sorted(small.instance.get_dynamic_partitions("benchmarks")) == ["aime", "gpqa"]
    assert small.instance.get_dynamic_partitions("model_runs") == ["m1"]
    small.reanalyse("aime")
    assert asked(small.tick()) == ["gpqa"]
    small.reanalyse("gpqa")
    assert skipped(small.tick()) == "nothing changed in 2 runs"


def test_the_cursor_says_what_its_tick_did(small: World) -> None:
    """Dagster's page shows it beside the tick; a tick that asked must not say that nothing changed."""
    small.sense()
    assert said(small) == "nothing changed in 2 runs"
    write_lines(small.run("m1", "gpqa") / "rollouts.jsonl", [row(0, 1, 0.0, 0, "m1")])
    assert asked(small.tick()) == ["gpqa"]
    assert said(small) == "asked for gpqa"


def said(world: World) -> str:
    assert world.cursor is not None
    return str(json.loads(world.cursor)[1])


def test_a_run_that_is_still_being_written_waits(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its benchmark is not even registered; the reason is on the tick's page."""
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "3600")
    long_ago = time.time() - 48 * 3600
    os.utime(small.run("m1", "aime") / "rollouts.jsonl", (long_ago, long_ago))
    assert asked(small.tick()) == ["aime"]
    assert small.instance.get_dynamic_partitions("benchmarks") == ["aime"]
    small.reanalyse("aime")
    assert skipped(small.tick()).startswith("still being written: gpqa/m1: rollouts.jsonl was written")
    os.utime(small.run("m1", "gpqa") / "rollouts.jsonl", (long_ago, long_ago))
    assert asked(small.tick()) == ["gpqa"]


def test_a_run_that_goes_on_keeps_its_results_until_it_is_quiet(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its old rows still follow a changed profile."""
    small.sense()
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "3600")
    write_lines(small.run("m1", "aime") / "rollouts.jsonl", [row(0, 1, 0.0, 1, "m1")], "a")
    assert skipped(small.tick()).startswith("still being written: aime/m1")
    small.write("profiles", "aime", "equivalence_margin: 0.1")
    assert asked(small.tick()) == ["aime"]
    small.recomputed()
    small.reanalyse("aime")
    assert small.store.read("mean", Cell("aime", "m1")).artifact.document == {
        "mean": 1.0,
        "margin": "equivalence_margin: 0.1",
    }
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "0")
    small.sense()
    assert small.store.read("rows", Cell("aime", "m1")).artifact.document == {"rewards": [1.0, 0.0]}


def test_the_same_failure_is_asked_for_once_and_a_mended_input_again(small: World) -> None:
    """The daemon runs a run key once; the key stays the same while nothing changes, and changes with the inputs."""

    def broken(_: Inputs) -> Artifact:
        raise BladeError("no")

    small.use(with_compute("mean", broken))
    keys = []
    for _ in range(3):
        found = small.tick()
        assert isinstance(found, dg.SensorResult)
        keys.append([request.run_key for request in found.run_requests or () if request.partition_key == "aime"])
        small.reanalyse("aime", fails=True)
    assert keys[1] == keys[2] != keys[0]
    write_lines(small.run("m1", "aime") / "rollouts.jsonl", [row(0, 1, 0.0, 1, "m1")], "a")
    found = small.tick()
    assert isinstance(found, dg.SensorResult)
    assert [request.run_key for request in found.run_requests or ()][:1] != keys[2]


def test_what_could_not_be_launched_is_asked_for_again_after_a_while(
    small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs (one is Dagster's own retry) fail before they begin; a third begins, so that what fails is ours."""

    def request() -> dg.RunRequest:
        found = small.tick()
        assert isinstance(found, dg.SensorResult)
        return next(one for one in found.run_requests or () if one.partition_key == "aime")

    def fail(*, begun: bool) -> None:
        run = small.instance.create_run_for_job(sensor.reanalysis, tags={**first.tags, "dagster/partition": "aime"})
        if begun:
            started = dg.DagsterEvent(dg.DagsterEventType.RUN_START.value, job_name=run.job_name)
            small.instance.report_dagster_event(started, run.run_id)
        small.instance.report_run_failed(run)

    request()  # registers the partitions, which is news to the next
    first = request()
    for _ in range(2):
        fail(begun=False)
    assert asked(small.tick()) == ["gpqa"]
    monkeypatch.setattr(sensor, "AGAIN_SECONDS", 0.0)
    assert request().run_key == f"{first.run_key}#2"
    fail(begun=True)
    assert asked(small.tick()) == ["gpqa"]


def test_a_benchmark_that_failed_hides_no_run_that_is_still_being_written(
    small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for is no answer of later ticks: they say what waits, and name no more than fits."""
    long_ago = time.time() - 48 * 3600
    for benchmark in ("aime", "gpqa"):
        os.utime(small.run("m1", benchmark) / "rollouts.jsonl", (long_ago, long_ago))
    small.tick()
    found = small.tick()
    assert isinstance(found, dg.SensorResult)
    for request in found.run_requests or ():
        tags = {**request.tags, "dagster/partition": str(request.partition_key)}
        run = small.instance.create_run_for_job(jobs.reanalysis, tags=tags)
        small.instance.report_run_canceled(run)
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "3600")
    for name in ("m2", "m3", "m4"):
        write_lines(small.run(name) / "rollouts.jsonl", [row(0, 0, 1.0, 0, name)])
    monkeypatch.setattr(sensor, "NAMED", 2)
    reasons = skipped(small.tick()).split("; ")
    assert [reason.split(" was ")[0] for reason in reasons[:2]] == [
        "still being written: aime/m2: rollouts.jsonl",
        "aime/m3: rollouts.jsonl",
    ]
    assert reasons[2] == "and 1 more"
    assert reasons[-1].endswith("of aime, gpqa: see the latest run of each")


def test_a_benchmark_whose_run_is_under_way_is_not_asked_for(small: World) -> None:
    run = small.instance.create_run_for_job(
        sensor.reanalysis, tags={"dagster/partition": "aime"}, status=dg.DagsterRunStatus.STARTED
    )
    assert asked(small.tick()) == ["gpqa"]
    small.instance.delete_run(run.run_id)
    assert asked(small.tick()) == ["aime", "gpqa"]


def test_a_failed_pass_names_what_failed(small: World) -> None:
    small.use(with_compute("mean", lambda _: Artifact(document={"mean": float("nan")})))
    small.tick()
    small.reanalyse("aime", fails=True)
    (run,) = small.instance.get_runs(dg.RunsFilter(job_name="reanalysis"))
    failures = small.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE)
    (event,) = failures
    assert event.dagster_event is not None
    data = event.dagster_event.step_failure_data
    assert data.user_failure_data is not None
    description = str(data.user_failure_data.description)
    assert description.startswith("mean of aime/m1 failed: a fault of the program, ValueError in artifact.py line ")
    small.recomputed()


def test_a_missing_runs_folder_is_a_reason_to_skip(small: World) -> None:
    small.settings = type(small.settings)(**{**vars(small.settings), "runs": str(small.root / "nowhere")})
    assert "nowhere is no folder" in skipped(small.tick())


def test_no_more_time_is_spent_than_a_tick_has(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensor, "BUDGET_SECONDS", -1.0)
    assert skipped(small.tick()) == "still being written: aime/m1: not looked at yet; gpqa/m1: not looked at yet"


def test_an_idle_tick_reads_no_records(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it saw last time is the same; a lost cursor costs time and nothing else."""
    small.sense()
    assert small.cursor is not None

    def refuse(*_: object) -> None:
        raise AssertionError("records were read")

    with monkeypatch.context() as patch:
        patch.setattr(sensor, "outdated", refuse)
        assert skipped(small.tick()) == "nothing changed in 2 runs"
    small.cursor = None
    assert skipped(small.tick()) == "nothing changed in 2 runs"
    small.instance.wipe_assets([dg.AssetKey("mean")])
    assert asked(small.tick()) == ["aime", "gpqa"]


def test_an_idle_tick_opens_no_file_of_a_run(small: World) -> None:
    """Not even one whose name does not say what it is, which discovery has to look into."""
    write_lines(small.run("m1") / "more.jsonl", [{"note": "no rollout"}])
    small.sense()
    opened: list[str] = []
    listening = True

    def hear(event: str, found: tuple[object, ...]) -> None:
        if listening and event == "open":
            opened.append(str(found[0]))

    sys.addaudithook(hear)
    assert skipped(small.tick()) == "nothing changed in 2 runs"
    listening = False
    assert opened
    assert not [path for path in opened if path.startswith(str(small.runs))]


@pytest.mark.parametrize("lost", ["artifacts/mean/aime/m1.json", "artifacts/ranking/aime.json", "sources.json"])
def test_what_is_lost_after_an_idle_tick_is_noticed(small: World, lost: str) -> None:
    small.sense()
    assert small.cursor is not None
    Path(small.store.path(lost)).unlink()
    found = small.tick()
    assert asked(found) == (["aime", "gpqa"] if lost == "sources.json" else ["aime"])


def test_a_shard_in_a_folder_that_is_not_searched_is_watched(small: World) -> None:
    """A run.yaml may name rollouts in a folder of logs."""
    folder = small.run("m2")
    write_lines(folder / "logs" / "part.jsonl", [row(0, 0, 1.0, 0, "m2")])
    (folder / "run.yaml").write_text("rollouts: logs/part.jsonl\n")
    small.sense()
    write_lines(folder / "logs" / "part.jsonl", [row(1, 0, 0.0, 0, "m2")], "a")
    assert asked(small.tick()) == ["aime"]


def test_a_deleted_run_is_noticed_although_it_leaves_no_event(small: World) -> None:
    small.sense()
    (newest, *_) = small.instance.get_runs(limit=1)
    small.instance.delete_run(newest.run_id)
    assert len(asked(small.tick())) == 1


def test_folders_written_another_way_are_the_same_files(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line takes relative folders, and ``blade ui`` hands full ones to the sensor."""
    small.write("profiles", "aime", "equivalence_margin: 0.1")
    monkeypatch.chdir(small.root)
    relative = {name: Path(place).name for name, place in vars(small.settings).items()}
    assert analysis.analyse(Settings(**relative)).errors == []
    assert skipped(small.tick()) == "nothing changed in 2 runs"


def test_a_grid_that_outgrows_what_is_supported_is_refused_in_a_sentence(
    small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two benchmarks with one run name each are 2 cells; a second name makes 4. What is there goes on."""
    monkeypatch.setattr(registering, "MOST_CELLS", 3)
    small.sense()
    assert skipped(small.tick()) == "nothing changed in 2 runs"
    write_lines(small.run("m2", "aime") / "rollouts.jsonl", [row(0, 0, 1.0, 0, "m2")])
    sentence = "2 benchmarks x 2 run names are more than the 3 cells that one store's grid may have; analyse some"
    assert skipped(small.tick()).startswith(sentence)
    with pytest.raises(BladeError, match=sentence):
        small.analyse()
    result = jobs.reanalyze_everything.execute_in_process(
        instance=small.instance, resources={"workspace": small.workspace}, raise_on_error=False
    )
    assert not result.success


def test_a_tick_reads_no_rollouts(small: World) -> None:
    """A file whose stamp is known is trusted; one whose stamp is new is due unread."""
    small.sense()
    path = small.run("m1", "aime") / "rollouts.jsonl"
    os.utime(path)
    assert asked(small.tick()) == ["aime"]
    small.recomputed()
    small.reanalyse("aime")
    assert sum(small.recomputed().values()) == 0
    assert skipped(small.tick()) == "nothing changed in 2 runs"
    assert json.loads(path.read_text())["reward"] == 1.0
