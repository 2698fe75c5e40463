"""Dagster's side: whether sensors and schedules are on and alive, and runs of the jobs that failed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import dagster as dg
from dagster._core.scheduler.instigation import InstigatorStatus

from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.automation.failures import failure_of
from blade_pipeline.automation.jobs import NIGHT_SECONDS, reanalysis, reanalyze_everything
from blade_pipeline.automation.nightly import NIGHTLY_REPORT
from blade_pipeline.automation.outdated import Plan
from blade_pipeline.automation.schedule import nightly_reanalysis
from blade_pipeline.automation.sensor import run_directory_sensor
from blade_pipeline.automation.telling import notification_sensor, run_failure_notifications

ALIVE_SECONDS = 300
LATE_SECONDS = 24 * 3600 + NIGHT_SECONDS
"""A day, and the time that a night may take."""
_NIGHT = reanalyze_everything
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
    found, idle = [], []
    for instigator in instigators:
        what = f"{instigator.kind} {instigator.name}"
        beat = heartbeats.get(instigator.daemon)
        if not instigator.on:
            found.append(Finding("automation", "note", f"{what} is off", "switch it on in blade ui, under Automation"))
        elif instigator.error:
            do = "its page in blade ui, under Automation, has the whole error"
            found.append(Finding("automation", "act", f"the latest tick of {what} failed ({instigator.error})", do))
        elif beat is None or now - beat > ALIVE_SECONDS:
            idle.append(instigator)
        else:
            found.append(Finding("automation", "ok", f"{what} is on, and its daemon is alive"))
    return [*found, *_idle(idle, heartbeats)]


def _idle(instigators: list[Instigator], heartbeats: Mapping[str, float]) -> list[Finding]:
    """Those that no daemon runs; where one ran before, it died or was stopped, and nothing is noticed any more."""
    if not instigators:
        return []
    names = ", ".join(f"{instigator.kind} {instigator.name}" for instigator in instigators)
    beats = [heartbeats[instigator.daemon] for instigator in instigators if instigator.daemon in heartbeats]
    if not beats:
        do = "start the daemon (docs/how-to/nightly.md), or use cron"
        return [Finding("automation", "note", f"no daemon ran yet for {names}", do)]
    do = "start it again (systemctl start blade-daemon, or blade ui); where cron does the work, switch these off there"
    return [Finding("automation", "act", f"no daemon ran since {_time(max(beats))} for {names}", do)]


def night_findings(began: float | None, ended: float | None, now: float) -> list[Finding]:
    """Whether the nights that the schedule starts come to their end; times in seconds since 1970.

    Args:
        began: when the latest run of the nightly job was made, None where none ever was.
        ended: when the latest report of a night was recorded, None where none ever was.
        now: the time.
    """
    if ended is not None and now - ended <= LATE_SECONDS:
        return [Finding("automation", "ok", f"the latest night ended {_time(ended)}")]
    if ended is None and (began is None or now - began <= LATE_SECONDS):
        return [Finding("automation", "note", "no night ended yet", "the schedule starts one at 02:00 UTC")]
    what = f"no night ended since {_time(ended)}" if ended is not None else "no night ever ended"
    what += f"; the latest began {_time(began)}" if began is not None else ""
    do = f"read its run in blade ui, then dagster job execute -m blade_pipeline.definitions -j {_NIGHT.name}"
    return [Finding("automation", "act", what, do)]


def nights_of(instance: dg.DagsterInstance) -> tuple[float | None, float | None]:
    """When the latest night began, and when the latest one that came to its end did; in seconds since 1970."""
    runs = instance.get_run_records(dg.RunsFilter(job_name=_NIGHT.name), limit=1)
    report = instance.get_latest_materialization_event(NIGHTLY_REPORT)
    return (runs[0].create_timestamp.timestamp() if runs else None, report.timestamp if report else None)


def failed_runs(instance: dg.DagsterInstance, plan: Plan) -> list[Finding]:
    """The latest run of each job and benchmark, where it failed and something is outdated still."""
    found = []
    outdated = {due.cell.benchmark for due in plan.due}
    for job in (reanalysis.name, _NIGHT.name):
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
