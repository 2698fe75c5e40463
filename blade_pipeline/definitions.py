"""Everything that Dagster loads."""

import warnings

import dagster as dg

from blade_pipeline.assets.factory import assets_of
from blade_pipeline.assets.graph import SHARING_GRAPH
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.executor import executor
from blade_pipeline.automation.jobs import reanalysis, reanalyze_everything
from blade_pipeline.automation.nightly import nightly_report
from blade_pipeline.automation.schedule import nightly_reanalysis
from blade_pipeline.automation.sensor import run_directory_sensor
from blade_pipeline.automation.telling import notification_sensor, run_failure_notifications

# Dagster warns of a parameter that it passes to every sensor itself.
warnings.filterwarnings("ignore", "Parameter `owners` of initializer `SensorDefinition", dg.BetaWarning)

defs = dg.Definitions(
    assets=[*assets_of(SHARING_GRAPH), nightly_report],
    jobs=[reanalysis, reanalyze_everything],
    sensors=[run_directory_sensor, notification_sensor, run_failure_notifications],
    schedules=[nightly_reanalysis],
    resources={"workspace": Workspace(**vars(Settings.from_environment()))},
    executor=executor(),
)
