"""Pruning takes what nobody's latest artifact came from, and nothing else."""

import os
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.events import DagsterEvent

from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.automation.home import shipped_config
from blade_pipeline.automation.housekeeping import MOST_AT_ONCE, prunable, prune
from blade_pipeline.automation.records import DATA_VERSION
from blade_pipeline.environment import KEEP_DAYS
from blade_pipeline.models import UsageProblem
from blade_pipeline.storage import Cell

KEY = dg.AssetKey("coverage")


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    (tmp_path / "dagster.yaml").write_text(shipped_config())
    with dg.DagsterInstance.from_config(str(tmp_path)) as found:
        yield found


def run_that_makes(instance: dg.DagsterInstance, *runs: str) -> str:
    @dg.op
    def make(context: dg.OpExecutionContext) -> None:
        for run in runs:
            context.log_event(dg.AssetMaterialization(KEY, partition=partition_key(Cell("aime", run))))

    @dg.job
    def made() -> None:
        make()

    return made.execute_in_process(instance=instance).run_id


def kept(instance: dg.DagsterInstance) -> set[str]:
    return {run.run_id for run in instance.get_runs()}


def test_a_run_stays_while_one_partition_has_its_latest_artifact_from_it(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    """The first made m1 and m2, the second made m1 again, the third m2; then the first is nobody's latest."""
    first = run_that_makes(instance, "m1", "m2")
    second = run_that_makes(instance, "m1")
    empty = run_that_makes(instance)
    assert prune(instance, 1).runs == 0
    assert prune(instance, 0).runs == 1
    assert kept(instance) == {first, second}
    third = run_that_makes(instance, "m2")
    before = instance.get_materialized_partitions(KEY)
    found = prune(instance, 0)
    assert found.runs == 1
    assert kept(instance) == {second, third}
    assert instance.get_materialized_partitions(KEY) == before == {"aime|m1", "aime|m2"}
    shards = {path.stem for path in (tmp_path / "history/runs").glob("*.db")}
    assert not {first, empty} & shards
    assert {second, third} <= shards


def test_an_unpartitioned_asset_keeps_its_latest_run(instance: dg.DagsterInstance) -> None:
    @dg.op
    def tell(context: dg.OpExecutionContext) -> None:
        context.log_event(dg.AssetMaterialization("nightly_report"))

    @dg.job
    def night() -> None:
        tell()

    night.execute_in_process(instance=instance)
    latest = night.execute_in_process(instance=instance).run_id
    assert prune(instance, 0).runs == 1
    assert kept(instance) == {latest}


def test_files_of_the_event_log_without_a_run_go_when_they_are_old(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    """Those that hold runs stay however old they are, and so do the index and what was recorded outside any run."""
    made = run_that_makes(instance, "m1")
    instance.report_runless_asset_event(dg.AssetMaterialization(KEY, partition="aime|m3"))
    folder = tmp_path / "history/runs"
    for name in ("unowned-old", "unowned-new"):
        (folder / f"{name}.db").write_bytes((folder / f"{made}.db").read_bytes())
    for path in folder.glob("*.db"):
        if path.stem != "unowned-new":
            os.utime(path, (1e9, 1e9))
    assert prune(instance, 30).files == 1
    assert {path.name for path in folder.glob("*.db")} == {f"{made}.db", "index.db", ".db", "unowned-new.db"}


def told(instance: dg.DagsterInstance, run: str, run_id: str, passed: bool) -> None:
    """What ``blade analyze`` records of an artifact: a materialization outside any run, and a verdict on it."""
    key = partition_key(Cell("aime", run))
    instance.report_runless_asset_event(dg.AssetMaterialization(KEY, partition=key, tags={DATA_VERSION: run_id}))
    evaluation = dg.AssetCheckEvaluation(KEY, "whole", passed, partition=key)
    event = DagsterEvent(dg.DagsterEventType.ASSET_CHECK_EVALUATION.value, "blade", event_specific_data=evaluation)
    instance.report_dagster_event(event, run_id=run_id)


def test_what_was_recorded_outside_runs_goes_when_it_is_superseded(instance: dg.DagsterInstance) -> None:
    """m1 was made three times and m2 once: two materializations and two verdicts of m1 are nobody's latest."""
    for number in range(3):
        told(instance, "m1", f"pass-{number}", passed=number == 2)
    told(instance, "m2", "pass-2", passed=False)
    with_tags = instance.event_log_storage.get_latest_tags_by_partition(
        KEY, dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION]
    )
    assert prune(instance, 1).records == 0
    assert prune(instance, 0).records == 4
    assert prune(instance, 0).records == 0
    wanted = dg.AssetRecordsFilter(KEY)
    left = instance.fetch_materializations(wanted, limit=10).records
    assert [record.partition_key for record in left] == ["aime|m2", "aime|m1"]
    assert with_tags == instance.event_log_storage.get_latest_tags_by_partition(
        KEY, dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION]
    )
    check = dg.AssetCheckKey(KEY, "whole")
    verdicts = instance.event_log_storage.get_asset_check_execution_history(check, limit=10)
    assert {(found.partition, found.status.value) for found in verdicts} == {
        ("aime|m1", "SUCCEEDED"),
        ("aime|m2", "FAILED"),
    }


def test_so_many_at_once_the_oldest_first() -> None:
    runs = [str(number) for number in range(MOST_AT_ONCE + 10)]
    assert prunable(runs, {"1", "3"}) == ["0", "2", *runs[4 : MOST_AT_ONCE + 2]]


def test_the_days_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLADE_KEEP_DAYS", raising=False)
    assert KEEP_DAYS.amount() == 30
    monkeypatch.setenv("BLADE_KEEP_DAYS", "7")
    assert KEEP_DAYS.amount() == 7
    for nonsense in ("a week", "-1", "nan", "inf"):
        monkeypatch.setenv("BLADE_KEEP_DAYS", nonsense)
        with pytest.raises(UsageProblem, match=f"BLADE_KEEP_DAYS is '{nonsense}'; give a number of days"):
            KEEP_DAYS.amount()
