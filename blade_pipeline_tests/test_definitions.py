"""Dagster loads the definitions, and they are the ones that were agreed on."""

import warnings
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.storage.tags import MAX_RUNTIME_SECONDS_TAG
from syrupy.assertion import SnapshotAssertion

from blade_pipeline.assets.graph import GRAPH, SHARING_GRAPH
from blade_pipeline.assets.stage import Stage
from blade_pipeline.automation.home import shipped_config
from blade_pipeline.automation.jobs import reanalysis, reanalyze_everything
from blade_pipeline.definitions import defs

PROJECT = Path(__file__).resolve().parent.parent


def test_everything_loads_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Parameter `owners` of initializer `SensorDefinition", dg.BetaWarning)
        dg.Definitions.validate_loadable(defs)


def test_the_assets_are_these(snapshot: SnapshotAssertion) -> None:
    specs = sorted(defs.resolve_all_asset_specs(), key=lambda spec: spec.key.to_user_string())
    assert [
        {
            "asset": spec.key.to_user_string(),
            "group": spec.group_name,
            "partitions": type(spec.partitions_def).__name__,
            "made from": sorted(dep.asset_key.to_user_string() for dep in spec.deps),
            "kinds": sorted(spec.kinds),
            "owners": list(spec.owners),
        }
        for spec in specs
    ] == snapshot


def test_jobs_sensor_schedule_and_checks_are_these(snapshot: SnapshotAssertion) -> None:
    repository = defs.get_repository_def()
    sensor = repository.get_sensor_def("run_directory_sensor")
    schedule = repository.get_schedule_def("nightly_reanalysis")
    assert {
        "jobs": sorted(job.name for job in repository.get_all_jobs() if not job.name.startswith("__")),
        "sensor": (sensor.job_name, sensor.minimum_interval_seconds, sensor.default_status.value),
        "schedule": (schedule.job_name, schedule.cron_schedule, schedule.default_status.value),
        "checks": sorted(f"{check.asset}: {check.name} ({check.severity})" for check in SHARING_GRAPH.checks),
    } == snapshot


def test_runs_of_the_jobs_are_stopped_after_an_hour_and_a_night_after_twelve() -> None:
    """The schedule and the sensor launch them with the tags of the job."""
    repository, day, night = defs.get_repository_def(), reanalysis.name, reanalyze_everything.name
    limits = {name: repository.get_job(name).run_tags[MAX_RUNTIME_SECONDS_TAG] for name in (day, night)}
    assert limits == {day: "3600", night: "43200"}


def test_the_workspace_has_one_location_with_a_fixed_name() -> None:
    workspace = yaml.safe_load((PROJECT / "workspace.yaml").read_text())
    (location,) = workspace["load_from"]
    assert location["python_module"] == {
        "module_name": "blade_pipeline.definitions",
        "location_name": "blade_pipeline.definitions",
    }


def test_the_shipped_instance_settings_are_those_of_the_checkout_and_load(tmp_path: Path) -> None:
    assert (PROJECT / "dagster.yaml").read_text() == shipped_config()
    (tmp_path / "dagster.yaml").write_text(shipped_config())
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        assert instance.telemetry_enabled is False
        assert instance.run_retries_enabled
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_runtime_seconds == 3600
        queue = instance.get_concurrency_config().run_queue_config
        assert queue is not None
        assert (queue.max_concurrent_runs, queue.max_user_code_failure_retries) == (2, 5)


@pytest.mark.parametrize("stage", GRAPH.stages, ids=lambda stage: stage.name)
def test_every_stage_says_what_it_is(stage: Stage) -> None:
    assert stage.description.endswith(".")
    assert stage.group
    assert bool(stage.reads or stage.folder or stage.deps)
