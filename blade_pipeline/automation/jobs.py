"""The jobs behind the sensor and the nightly schedule."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from blade_pipeline.assets.faults import told_in_a_sentence
from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.metadata import markdown_table
from blade_pipeline.assets.partitions import benchmarks
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.events import within
from blade_pipeline.automation.forgetting import finish_forgetting
from blade_pipeline.automation.night import Night, moved
from blade_pipeline.automation.nightly import event_of, failed_benchmarks, files_read, mended_of, pruned, traceless
from blade_pipeline.automation.notify import notify
from blade_pipeline.automation.overdue import overdue
from blade_pipeline.automation.registering import register
from blade_pipeline.automation.settling import still_written
from blade_pipeline.automation.update import Update, bring_up_to_date
from blade_pipeline.storage import Registry, SourceMemo, Store

_MAX_RUNTIME = "dagster/max_runtime"
"""Seconds after which Dagster's run monitoring stops a run; the records stay true, and the next pass does the rest."""
BENCHMARK_SECONDS = 3600
NIGHT_SECONDS = 12 * 3600


@dg.op
@told_in_a_sentence()
def bring_benchmark_up_to_date(context: dg.OpExecutionContext, workspace: Workspace) -> None:
    """Recomputes what is outdated in one benchmark; directories that are still being written wait.

    What is wrong beside the runs, in whichever benchmark, is a warning here: the sensor and the night tell it.
    """
    live = workspace.see()
    update = _walk(context, live, only=context.partition_key)
    for problem in live.problems:
        context.log.warning(problem)
    _end(context, live, update, update.errors)


@dg.op
@told_in_a_sentence()
def bring_everything_up_to_date(context: dg.OpExecutionContext, workspace: Workspace) -> None:
    """Reads every file again, registers and tombstones runs, recomputes what is outdated anywhere, and says so."""
    night = Night(forgotten=finish_forgetting(context.instance, workspace.settings))
    store = Store(workspace.store)
    before, registered = SourceMemo(store), Registry.load(store).entries
    live = workspace.see(trusted=False)
    live.verifying = True
    night.vanished, night.returned = moved(registered, Registry.load(store).entries)
    night.swept = store.sweep()
    failed = failed_benchmarks(context.instance, reanalysis.name)
    night.failed_before = len(failed)
    register(context.instance, live)
    update = _walk(context, live)
    night.files, night.bytes = files_read(live, GRAPH)
    night.mended = mended_of(failed, update)
    night = pruned(night, context.instance, context.log.warning)
    night.overdue = overdue(live, datetime.now(UTC))
    errors = [*update.errors, *live.problems]
    context.log_event(event_of(night, update, traceless(live, before), errors))
    _end(context, live, update, errors)


@dg.job(partitions_def=benchmarks, tags={_MAX_RUNTIME: BENCHMARK_SECONDS})
def reanalysis() -> None:
    """Brings one benchmark up to date: what changed is read, what follows from it recomputed, its reports published."""
    bring_benchmark_up_to_date()


@dg.job(executor_def=dg.in_process_executor, tags={_MAX_RUNTIME: NIGHT_SECONDS})
def reanalyze_everything() -> None:
    """Reads every file of every run again and brings everything up to date; finds what the sensor cannot see."""
    bring_everything_up_to_date()


def _walk(context: dg.OpExecutionContext, live: Live, only: str | None = None) -> Update:
    """Brings one benchmark or all up to date; directories that are still being written wait."""
    live.waiting = still_written(live, GRAPH)
    record = within(context)
    return bring_up_to_date(context.instance, live, GRAPH, record, select=lambda cell: only in (None, cell.benchmark))


def _end(context: dg.OpExecutionContext, live: Live, update: Update, errors: list[str]) -> None:
    """Shows and tells what was done, and fails the run when something is left to mend."""
    context.add_output_metadata(_summary(update, live))
    for problem in notify(live, context.log.warning):
        context.log.warning(problem)
    if errors:
        raise dg.Failure("\n".join(errors), allow_retries=False)


def _summary(update: Update, live: Live) -> dict[str, dg.MetadataValue]:
    made = Counter(str(due.cell) for due in update.made)
    waiting = [{"run": str(cell), "because": why} for cell, why in live.waiting.items()]
    tables: dict[str, list[dict[str, Any]]] = {
        "made again": [{"run or benchmark": name, "artifacts": count} for name, count in made.items()],
        "still being written": waiting,
    }
    shown = {name: dg.MetadataValue.md(markdown_table(rows)) for name, rows in tables.items() if rows}
    return {
        "summary": dg.MetadataValue.text(_sentence(update, live)),
        **shown,
        "recomputed": dg.MetadataValue.int(len(update.made)),
        "current": dg.MetadataValue.int(update.current),
        "failed": dg.MetadataValue.int(len(update.failed)),
        "skipped": dg.MetadataValue.int(len(update.skipped)),
        "vanished runs": dg.MetadataValue.int(len(live.vanished)),
    }


def _sentence(update: Update, live: Live) -> str:
    """What a run did, in a line."""
    reports = sum(due.stage.name == "blade_report" for due in update.made)
    parts = [f"made {len(update.made)} artifacts again (reports: {reports}); {update.current} were current"]
    parts += [f"{len(update.failed)} failed"] if update.failed else []
    parts += [f"{len(live.waiting)} runs are still being written"] if live.waiting else []
    return "; ".join(parts)
