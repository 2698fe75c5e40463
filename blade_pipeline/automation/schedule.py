"""The nightly re-analysis."""

import dagster as dg

from blade_pipeline.automation.jobs import reanalyze_everything

nightly_reanalysis = dg.ScheduleDefinition(
    name="nightly_reanalysis",
    job=reanalyze_everything,
    cron_schedule="0 2 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Reads every file again at 02:00 and repairs what the sensor cannot see.",
)
