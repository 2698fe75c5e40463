"""Dagster's side: whether sensors and schedules are on and alive, and runs of the jobs that failed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import dagster as dg
from dagster._core.scheduler.instigation import InstigatorStatus

from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.automation.failures import failure_of
from blade_pipeline.automation.jobs import reanalysis, reanalyze_everything
from blade_pipeline.automation.outdated import Plan
from blade_pipeline.automation.schedule import nightly_reanalysis
from blade_pipeline.automation.sensor import run_directory_sensor
from blade_pipeline.automation.telling import notification_sensor, run_failure_notifications

ALIVE_SECONDS = 300
_NEWEST = 200
_PARTITION = "dagster/partition"
_DAEMONS: dict[str, tuple[str, list[dg.SensorDefinition | dg.ScheduleDefinition]]] = {
    "SENSOR": ("sensor", [run_directory_sensor, notification_sensor, run_failure_notifications]),
    "SCHEDULER": ("schedule", [nightly_reanalysis]),
}
"""By the name of the daemon that runs them: what kind they are, and which."""


@dataclass(frozen=True)
class Instigator:
    """A sensor or schedule: which daemon runs it, whether it is on, and the error of its latest tick."""

    kind: str
    name: str
    daemon: str
    on: bool
    error: str | None = None


def instigators_of(instance: dg.DagsterInstance) -> list[Instigator]:
    """The product's sensors and schedules as the instance knows them; on by default."""
    states = {state.instigator_name: state for state in instance.all_instigator_state()}
    found = []
    for daemon, kind, definition in _instigators():
        state = states.get(definition.name)
        on = state is None or state.status != InstigatorStatus.STOPPED
        ticks = instance.get_ticks(state.instigator_origin_id, state.selector_id, limit=1) if state else []
        error = ticks[0].error if ticks else None
        found.append(Instigator(kind, definition.name, daemon, on, error.cls_name if error else None))
    return found


def _instigators() -> Iterator[tuple[str, str, dg.SensorDefinition | dg.ScheduleDefinition]]:
    for daemon, (kind, definitions) in _DAEMONS.items():
        yield from ((daemon, kind, definition) for definition in definitions)


def automation_findings(instigators: list[Instigator], heartbeats: Mapping[str, float], now: float) -> list[Finding]:
    """Whether each sensor and schedule is on, and the daemon behind it alive; ``heartbeats`` in seconds since 1970."""
    found = []
    for instigator in instigators:
        what = f"{instigator.kind} {instigator.name}"
        beat = heartbeats.get(instigator.daemon)
        if not instigator.on:
            found.append(Finding("automation", "note", f"{what} is off", "switch it on in blade ui, under Automation"))
        elif instigator.error:
            do = "its page in blade ui, under Automation, has the whole error"
            found.append(Finding("automation", "act", f"the latest tick of {what} failed ({instigator.error})", do))
        elif beat is None or now - beat > ALIVE_SECONDS:
            since = "no daemon ran yet" if beat is None else f"no daemon ran since {_time(beat)}"
            found.append(Finding("automation", "note", f"{what} is on, and {since}", "start blade ui, or use cron"))
        else:
            found.append(Finding("automation", "ok", f"{what} is on, and its daemon is alive"))
    return found


def failed_runs(instance: dg.DagsterInstance, plan: Plan) -> list[Finding]:
    """The latest run of each job and benchmark, where it failed and something is outdated still."""
    found = []
    outdated = {due.cell.benchmark for due in plan.due}
    for job in (reanalysis.name, reanalyze_everything.name):
        latest: dict[str | None, dg.DagsterRun] = {}
        for run in instance.get_runs(dg.RunsFilter(job_name=job), limit=_NEWEST):
            latest.setdefault(run.tags.get(_PARTITION), run)
        for benchmark, run in latest.items():
            unmended = benchmark in outdated if benchmark is not None else bool(outdated)
            if run.status == dg.DagsterRunStatus.FAILURE and unmended:
                what = f"{job}{f' of {benchmark}' if benchmark else ''} failed: {failure_of(instance, run.run_id)}"
                do = f"mend what it names, then run blade analyze; Dagster's run is {run.run_id}"
                found.append(Finding("failed", "act", what, do))
    return found


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
