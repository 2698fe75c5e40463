"""Examines an installation without changing it: versions, store, runs, partitions, Dagster's records and daemon."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import yaml
from sqlalchemy.exc import SQLAlchemyError

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.partitions import benchmarks, model_runs
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.world import glance
from blade_pipeline.automation.doctor.daemons import (
    automation_findings,
    failed_runs,
    instigators_of,
    night_findings,
    nights_of,
)
from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.automation.doctor.partitions import outdated_findings, stray_findings
from blade_pipeline.automation.doctor.runs import (
    overdue_findings,
    root_findings,
    unsettled_findings,
    vanished_findings,
)
from blade_pipeline.automation.doctor.storing import (
    leftover_findings,
    measured,
    store_findings,
    unfinished_findings,
)
from blade_pipeline.automation.doctor.variables import variable_findings
from blade_pipeline.automation.doctor.versions import versions
from blade_pipeline.automation.forgetting import unfinished
from blade_pipeline.automation.home import existing_home, opened
from blade_pipeline.automation.notify.memory import Memory
from blade_pipeline.automation.outdated import Plan, plan
from blade_pipeline.automation.overdue import overdue
from blade_pipeline.automation.records import load_records
from blade_pipeline.automation.settling import still_written
from blade_pipeline.automation.state import State
from blade_pipeline.environment import UNSETTLED_HOURS
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Registry, Store, leftovers_of


@dataclass
class Examination:
    """Versions and the store as facts, and everything that was found, in the order in which it was looked at."""

    versions: dict[str, str]
    store: dict[str, Any]
    findings: list[Finding] = field(default_factory=list)

    @property
    def needs_a_hand(self) -> bool:
        """Whether anything is left for a person to do."""
        return any(finding.level == "act" for finding in self.findings)


def examine(settings: Settings) -> Examination:
    """Looks at everything and writes nothing.

    Raises:
        BladeError: ``DAGSTER_HOME`` names no folder.
    """
    store = Store(settings.store)
    facts = measured(store)
    found = Examination(versions(), facts, [*store_findings(facts), *leftover_findings(leftovers_of(store))])
    found.findings += unfinished_findings(unfinished(store))
    if wrong := variable_findings():
        found.findings += wrong
        return found
    registry = _registry(store, found)
    if registry is None:
        return found
    found.findings += root_findings(settings.runs, registry.entries, lambda root: Path(root).is_dir())
    if not Path(settings.runs).is_dir():
        return found
    live = glance(settings)
    live.waiting = still_written(live, GRAPH)
    now = datetime.now(UTC)
    long_ago = now - timedelta(hours=UNSETTLED_HOURS.amount())
    found.findings += unsettled_findings(live.waiting, Memory.load(store).waiting, long_ago)
    found.findings += overdue_findings(overdue(live, now))
    found.findings += vanished_findings(registry.entries, live.vanished, lambda root: Path(root).is_dir())
    found.findings += [Finding("run roots", "act", problem) for problem in live.problems]
    found.findings += _examine_records(settings.store, live)
    return found


def _registry(store: Store, found: Examination) -> Registry | None:
    try:
        return Registry.load(store)
    except BladeError as error:
        found.findings.append(Finding("store", "act", str(error)))
        return None


def _examine_records(store: str, live: Live) -> list[Finding]:
    """What Dagster's records say; records that cannot be opened are themselves a finding."""
    try:
        home = existing_home(store)
        if home is None:
            return [_nothing_recorded(live)]
        with opened(home) as instance:
            return _findings_of_records(instance, live)
    except BladeError as error:
        return [Finding("automation", "act", str(error))]
    except (dg.DagsterError, SQLAlchemyError, yaml.YAMLError, OSError) as error:
        what = f"Dagster's settings or records cannot be read ({type(error).__name__})"
        return [Finding("automation", "act", what, "mend dagster.yaml and its storage, or name another DAGSTER_HOME")]


def _nothing_recorded(live: Live) -> Finding:
    if not live.runs:
        return Finding("outdated", "note", "there are no run directories yet")
    return Finding("outdated", "act", f"none of {len(live.runs)} runs was analysed yet", "run blade analyze")


def _findings_of_records(instance: dg.DagsterInstance, live: Live) -> list[Finding]:
    current = _plan(instance, live)
    names = [set(instance.get_dynamic_partitions(str(kind.name))) for kind in (benchmarks, model_runs)]
    known, beats, now = instigators_of(instance), _heartbeats(instance), time.time()
    nightly = any(instigator.on and instigator.daemon in beats for instigator in known if instigator.kind == "schedule")
    return [
        *outdated_findings(current, len(live.runs)),
        *stray_findings(names[0], names[1], live.known(), {cell for _, cell in live.store.artifacts()}),
        *failed_runs(instance, current),
        *automation_findings(known, beats, now),
        *(night_findings(*nights_of(instance), now) if nightly else []),
    ]


def _plan(instance: dg.DagsterInstance, live: Live) -> Plan:
    records = load_records(instance, GRAPH, live.known(), live.store, remember=False)
    return plan(State(live, GRAPH, records))


def _heartbeats(instance: dg.DagsterInstance) -> dict[str, float]:
    return {kind: beat.timestamp for kind, beat in instance.get_daemon_heartbeats().items()}
