"""Dagster's records in Postgres: the same results, and the records read back by another process of Dagster's."""

from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest

from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.home import shipped_config
from blade_pipeline.automation.housekeeping import prune
from blade_pipeline.automation.jobs import reanalyze_everything
from blade_pipeline.automation.nightly import NIGHTLY_REPORT
from blade_pipeline.automation.sensor import run_directory_sensor
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.processes import free_port
from blade_pipeline_tests.services.alone import STORAGE, Alone, by_partition, recorded_in, versions_in

pytestmark = pytest.mark.services


@pytest.fixture
def home(tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shipped settings with the records in Postgres."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "dagster.yaml").write_text(shipped_config() + STORAGE)
    monkeypatch.setenv("BLADE_POSTGRES", postgres_url)
    return folder


def test_the_records_of_an_analysis_lie_in_postgres(
    blade: Blade, alone: Alone, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    monkeypatch.setenv("BLADE_QUIET_SECONDS", "0")
    store = str(blade.folder / "store")
    folders = [f"--{name}={alone.folder / name}" for name in ("profiles", "references", "labels")]
    analyze = ["analyze", alone.settings.runs, *folders, "--store", store]
    said = blade(*analyze)
    assert said.code == 0, said.err
    made = versions_in(store)
    assert made == versions_in(alone.settings.store)
    assert [path.name for path in home.iterdir()] == ["dagster.yaml"]
    with dg.DagsterInstance.from_config(str(home)) as instance:
        assert recorded_in(instance) == by_partition(made)
    assert blade(*analyze).err.startswith("nothing changed: 4 reports are current\n")

    with dg.DagsterInstance.from_config(str(home)) as instance:
        settings = alone.with_store(store)
        _looks_and_finds_nothing(instance, settings)
        _reads_everything_again(instance, settings)
        _prunes_what_is_superseded(instance)
    assert blade("doctor", alone.settings.runs, *folders, "--store", store).code == 0
    assert blade("forget", "gpqa", "m2", "--yes", *folders, "--store", store).code == 0
    left = {asset for asset, cell in versions_in(store) if (cell.benchmark, cell.run) == ("gpqa", "m2")}
    assert left == set()


def test_a_server_that_is_not_there_is_told_in_a_sentence(
    blade: Blade, alone: Alone, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dagster asks six times within 11 seconds; here it does so at once."""
    monkeypatch.setattr("dagster_postgres.utils.time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    monkeypatch.setenv("BLADE_POSTGRES", f"postgresql+psycopg2://blade:hidden-word@127.0.0.1:{free_port()}/blade")
    for command in ("analyze", "doctor"):
        said = blade(command, alone.settings.runs)
        assert said.code == 1
        assert f"cannot be opened as {home}/dagster.yaml says (connection to server at" in said.out + said.err
        assert "hidden-word" not in said.out + said.err


def _looks_and_finds_nothing(instance: dg.DagsterInstance, settings: Settings) -> None:
    resources = {"workspace": Workspace(**vars(settings))}
    with dg.build_sensor_context(instance, resources=resources) as context:
        found = run_directory_sensor(context)
    assert isinstance(found, dg.SkipReason)
    assert found.skip_message == "nothing changed in 4 runs"


def _prunes_what_is_superseded(instance: dg.DagsterInstance) -> None:
    """Everything was made once; of what is recorded here three times the latest stays."""
    assert prune(instance, 0).records == 0
    for _ in range(3):
        instance.report_runless_asset_event(dg.AssetMaterialization("nobodys", partition="aime|m1"))
    assert prune(instance, 0).records == 2
    assert prune(instance, 0).records == 0


def _reads_everything_again(instance: dg.DagsterInstance, settings: Settings) -> None:
    night = reanalyze_everything.execute_in_process(
        instance=instance, resources={"workspace": Workspace(**vars(settings))}
    )
    assert night.success
    event = instance.get_latest_materialization_event(NIGHTLY_REPORT)
    assert event is not None and event.asset_materialization is not None
    told = event.asset_materialization.metadata
    assert (told["artifacts made again"].value, told["failures left"].value) == (0, 0)
    assert event.run_id == night.run_id
