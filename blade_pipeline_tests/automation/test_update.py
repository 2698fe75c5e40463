"""How a walk copes with failures, files in motion, lost records and lost directories."""

import json
import os
import shutil
import threading
from pathlib import Path

import dagster as dg

from blade_pipeline.assets.check import Check, Finding
from blade_pipeline.assets.inputs import Inputs
from blade_pipeline.assets.stage import Graph
from blade_pipeline.assets.world import see
from blade_pipeline.automation import jobs
from blade_pipeline.automation.outdated import outdated
from blade_pipeline.automation.update import Update
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Artifact, Cell, Registry, Store
from blade_pipeline_tests.automation.small_graph import SMALL, mean, read_rows, with_compute
from blade_pipeline_tests.automation.world import World, row, write_lines
from blade_pipeline_tests.processes import LONGEST_WAIT_SECONDS


def names(update: Update) -> list[str]:
    return [f"{renewed.stage.name} of {renewed.cell}" for renewed in update.made]


def change(world: World, run: str = "m1") -> None:
    write_lines(world.run(run) / "rollouts.jsonl", [row(0, 1, 0.5, 1, run)], "a")


def test_a_stage_that_raises_stops_what_stands_on_it_and_nothing_else(small: World) -> None:
    def broken(inputs: Inputs) -> Artifact:
        if inputs.cell.run == "m1":
            raise BladeError("The third row is upside down; turn it.")
        return mean(inputs)

    small.use(with_compute("mean", broken))
    update = small.analyse().update
    assert update.errors == ["mean of aime/m1 failed: The third row is upside down; turn it."]
    assert "mean of aime/m2" in names(update)
    assert small.store.read("ranking", Cell("aime")).artifact.document == {"m2": 0.0}

    small.use(with_compute("rows", lambda inputs: [][0] if inputs.cell.run == "m2" else read_rows(inputs)))
    change(small, "m2")
    update = small.analyse().update
    [told] = update.errors
    assert told.startswith("rows of aime/m2 failed: a fault of the program, IndexError in perform.py line ")
    assert told.endswith(". Skipped below it: mean.")
    assert names(update) == ["mean of aime/m1", "ranking of aime", "page of aime"]
    assert small.store.read("ranking", Cell("aime")).artifact.document == {"m1": 1.0, "m2": 0.0}

    small.use(SMALL)
    assert names(small.analyse().update) == ["rows of aime/m2", "mean of aime/m2", "ranking of aime", "page of aime"]


def test_a_failed_benchmark_stage_stops_its_runs(small: World) -> None:
    def broken(_: Inputs) -> Artifact:
        raise BladeError("aime.yaml, line 1: unknown field.")

    small.use(with_compute("margin", broken))
    update = small.analyse().update
    assert update.errors == ["margin of aime failed: aime.yaml, line 1: unknown field. Skipped below it: mean."]
    assert names(update) == ["rows of aime/m1", "rows of aime/m2"]


def test_a_file_that_changes_while_it_is_read_fails_its_cell_until_next_time(small: World) -> None:
    def slow(inputs: Inputs) -> Artifact:
        artifact = read_rows(inputs)
        if inputs.cell.run == "m1":
            change(small)
        return artifact

    small.use(with_compute("rows", slow))
    update = small.analyse().update
    assert update.errors == [
        "rows of aime/m1 failed: The directory of aime/m1 changed while it was read; "
        "it is read again next time. Skipped below it: mean."
    ]
    small.use(SMALL)
    assert names(small.analyse().update) == ["rows of aime/m1", "mean of aime/m1", "ranking of aime", "page of aime"]
    assert small.store.read("rows", Cell("aime", "m1")).artifact.document == {"rewards": [1.0, 0.5]}


def test_the_plan_names_what_is_due_and_what_may_follow(small: World) -> None:
    live = see(small.settings)
    plan = outdated(small.instance, live, SMALL)
    assert [(due.stage.name, str(due.cell)) for due in plan.due] == [
        ("margin", "aime"),
        ("rows", "aime/m1"),
        ("rows", "aime/m2"),
    ]
    assert [(stage.name, str(cell)) for stage, cell in plan.pending] == [
        ("mean", "aime/m1"),
        ("mean", "aime/m2"),
        ("ranking", "aime"),
        ("page", "aime"),
    ]
    small.analyse()
    change(small)
    plan = outdated(small.instance, see(small.settings), SMALL)
    assert [(due.stage.name, str(due.cell), due.reason) for due in plan.due] == [("rows", "aime/m1", "changed: source")]
    assert [(stage.name, str(cell)) for stage, cell in plan.pending] == [
        ("mean", "aime/m1"),
        ("ranking", "aime"),
        ("page", "aime"),
    ]


def test_recorded_inputs_are_the_versions_of_the_files_that_were_read(small: World) -> None:
    small.analyse()
    latest = small.instance.get_latest_materialization_event(dg.AssetKey("ranking"))
    assert latest is not None
    assert latest.asset_materialization is not None
    recorded = latest.asset_materialization.metadata["blade/inputs"].value
    stored = {f"mean/aime/{run}": small.store.read("mean", Cell("aime", run)).version for run in ("m1", "m2")}
    assert isinstance(recorded, dict)
    assert {key: version for key, version in recorded.items() if key != "runs"} == stored


def test_a_stage_cannot_read_what_it_does_not_declare(small: World) -> None:
    small.use(with_compute("page", lambda inputs: Artifact(document=inputs.document("margin"))))
    [told] = small.analyse().update.errors
    assert told.startswith("page of aime failed: a fault of the program, LookupError in inputs.py line ")


def test_lost_records_are_made_again(small: World) -> None:
    first = names(small.analyse().update)
    small.instance.wipe_assets([dg.AssetKey("mean")])
    assert names(small.analyse().update) == ["mean of aime/m1", "mean of aime/m2"]
    assert len(first) == len(set(first))


def test_only_a_pass_that_trusts_nothing_sees_a_file_behind_its_record(small: World) -> None:
    """A write that was killed before its record, followed by a change back, leaves such a file."""
    small.analyse()
    small.store.write("mean", Cell("aime", "m1"), Artifact(document={"mean": 7}))
    assert names(small.analyse().update) == []
    result = _nightly(small)
    assert result.success
    assert small.store.read("mean", Cell("aime", "m1")).artifact.document == {"mean": 1.0, "margin": ""}


def _nightly(world: World) -> dg.ExecuteInProcessResult:
    return jobs.reanalyze_everything.execute_in_process(
        instance=world.instance, resources={"workspace": world.workspace}
    )


def test_the_nightly_job_sees_an_edit_that_kept_size_and_times(small: World) -> None:
    """Only a filesystem that restores all four stamps can hide an edit; a rewritten memo plays its part here."""
    small.analyse()
    path = small.run("m1") / "rollouts.jsonl"
    memo = Path(small.store.path("sources.json"))
    before = json.loads(memo.read_text())
    path.write_text(path.read_text().replace('"reward": 1.0', '"reward": 0.5'))
    small.sense()
    small.recomputed()
    digest = before["rows/aime/m1"][1]
    after = json.loads(memo.read_text())
    memo.write_text(json.dumps(after | {"rows/aime/m1": [after["rows/aime/m1"][0], digest]}))
    path.write_text(path.read_text().replace('"reward": 0.5', '"reward": 0.7'))
    result = _nightly(small)
    assert result.success
    assert small.store.read("rows", Cell("aime", "m1")).artifact.document == {"rewards": [0.7]}


def test_the_nightly_job_registers_tombstones_and_sums_up(small: World) -> None:
    small.analyse()
    write_lines(small.run("m3") / "rollouts.jsonl", [row(0, 0, 1.0, 2, "m3")])
    shutil.rmtree(small.run("m1"))
    result = _nightly(small)
    assert "m3" in small.instance.get_dynamic_partitions("model_runs")
    assert small.store.read("ranking", Cell("aime")).artifact.document == {"m2": 0.0, "m3": 1.0}
    outputs = [event for event in result.all_node_events if event.event_type_value == "STEP_OUTPUT"]
    metadata = outputs[0].step_output_data.metadata
    assert (metadata["recomputed"].value, metadata["vanished runs"].value) == (4, 1)
    assert metadata["summary"].value == "made 4 artifacts again (reports: 0); 3 were current"
    assert metadata["made again"].value.splitlines()[2:] == ["| aime/m3 | 2 |", "| aime | 2 |"]
    assert "still being written" not in metadata


def test_a_run_that_comes_back_is_alive_again(small: World, tmp_path: Path) -> None:
    small.analyse()
    small.run("m1").rename(tmp_path / "elsewhere")
    assert names(small.analyse().update) == ["ranking of aime", "page of aime"]
    assert Registry.load(small.store).entries[Cell("aime", "m1")].vanished is not None
    (tmp_path / "elsewhere").rename(small.run("m1"))
    assert names(small.analyse().update) == ["ranking of aime", "page of aime"]
    assert Registry.load(small.store).entries[Cell("aime", "m1")].vanished is None


def test_the_same_names_in_two_directories_are_an_error_that_names_both(small: World) -> None:
    """The directory that was known first goes on; a new pair of equals is not touched."""
    small.analyse()
    twin = small.runs / "copy" / "aime" / "m1"
    write_lines(twin / "rollouts.jsonl", [row(0, 0, 0.2, 5, "m1")])
    for name in ("a", "b"):
        write_lines(small.runs / name / "gpqa" / "m9" / "rollouts.jsonl", [row(0, 0, 0.2, 5, "m9")])
    analysis = small.analyse()
    (aime,) = [sentence for sentence in analysis.errors if "m1" in sentence]
    assert str(twin) in aime
    assert str(small.run("m1")) in aime
    (gpqa,) = [sentence for sentence in analysis.errors if "m9" in sentence]
    assert str(small.runs / "a" / "gpqa" / "m9") in gpqa
    assert names(analysis.update) == []
    assert Cell("aime", "m1") in analysis.live.runs
    assert Cell("gpqa", "m9") not in analysis.live.runs


def test_runs_of_an_earlier_folder_stay_in_their_benchmark(small: World) -> None:
    small.analyse()
    other = small.root / "more"
    write_lines(other / "aime" / "m3" / "rollouts.jsonl", [row(0, 0, 0.5, 5, "m3")])
    small.settings = type(small.settings)(**{**vars(small.settings), "runs": str(other)})
    analysis = small.analyse()
    assert [str(cell) for cell in analysis.cells] == ["aime/m3"]
    assert names(analysis.update) == ["rows of aime/m3", "mean of aime/m3", "ranking of aime", "page of aime"]
    assert small.store.read("ranking", Cell("aime")).artifact.document == {"m1": 1.0, "m2": 0.0, "m3": 0.5}


def test_one_run_can_be_asked_for(small: World) -> None:
    update = small.analyse(run="m2").update
    assert names(update) == ["margin of aime", "rows of aime/m2", "mean of aime/m2", "ranking of aime", "page of aime"]
    assert small.store.read("ranking", Cell("aime")).artifact.document == {"m2": 0.0}
    assert names(small.analyse().update) == ["rows of aime/m1", "mean of aime/m1", "ranking of aime", "page of aime"]


def test_two_passes_at_once_do_the_work_once(small: World) -> None:
    """The second waits for the lock, then finds everything current."""
    started, release = threading.Event(), threading.Event()

    def slow(inputs: Inputs) -> Artifact:
        started.set()
        assert release.wait(LONGEST_WAIT_SECONDS)
        return read_rows(inputs)

    small.use(with_compute("rows", slow))
    made: list[list[str]] = []
    passes = [threading.Thread(target=lambda: made.append(names(small.analyse().update))) for _ in range(2)]
    passes[0].start()
    assert started.wait(LONGEST_WAIT_SECONDS)
    passes[1].start()
    release.set()
    for one in passes:
        one.join()
    assert sorted(map(len, made)) == [0, 7]


def test_a_store_elsewhere_has_no_locks_and_works(small: World) -> None:
    small.settings = type(small.settings)(**{**vars(small.settings), "store": "memory://walk"})
    assert len(small.analyse().update.made) == 7
    assert names(small.analyse().update) == []
    assert ("ranking", Cell("aime")) in Store("memory://walk").artifacts()


def test_what_a_check_of_severity_error_refuses_stays_out_of_the_record(small: World) -> None:
    refusing = Check("sums", "mean", "ERROR", "sums", lambda *_: Finding(False, "1 is not 2"))
    small.use(Graph(SMALL.stages, [refusing]))
    assert small.analyse().update.errors == [f"mean of aime/{run} failed: sums: 1 is not 2." for run in ("m1", "m2")]
    assert len(small.analyse().update.errors) == 2
    assert small.instance.get_latest_materialization_event(dg.AssetKey("mean")) is None
    warning = Check("sums", "mean", "WARN", "sums", lambda *_: Finding(False, "1 is not 2"))
    small.use(Graph(SMALL.stages, [warning]))
    assert small.analyse().update.errors == []
    assert names(small.analyse().update) == []


def test_the_time_of_a_file_is_no_content(small: World) -> None:
    small.analyse()
    os.utime(small.run("m1") / "rollouts.jsonl")
    assert names(small.analyse().update) == []
