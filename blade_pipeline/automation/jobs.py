"""The jobs behind the sensor and the nightly schedule."""

from collections import Counter

import dagster as dg

from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.partitions import benchmarks
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.events import within
from blade_pipeline.automation.forgetting import finish_forgetting
from blade_pipeline.automation.notify import notify
from blade_pipeline.automation.registering import register
from blade_pipeline.automation.settling import still_written
from blade_pipeline.automation.update import Update, bring_up_to_date
from blade_pipeline.models import BladeError


@dg.op
def bring_benchmark_up_to_date(context: dg.OpExecutionContext, workspace: Workspace) -> None:
    """Recomputes what is outdated in one benchmark; directories that are still being written wait."""
    _bring(context, workspace.see(), only=context.partition_key)


@dg.op
def bring_everything_up_to_date(context: dg.OpExecutionContext, workspace: Workspace) -> None:
    """Reads every file again, registers and tombstones runs, and recomputes what is outdated anywhere."""
    finish_forgetting(context.instance, workspace.settings)
    live = workspace.see(trusted=False)
    live.verifying = True
    live.store.sweep()
    try:
        register(context.instance, live)
    except BladeError as error:
        raise dg.Failure(str(error), allow_retries=False) from None
    _bring(context, live)


@dg.job(partitions_def=benchmarks, executor_def=dg.in_process_executor)
def reanalysis() -> None:
    """Brings one benchmark up to date: what changed is read, what follows from it recomputed, its reports published."""
    bring_benchmark_up_to_date()


@dg.job(executor_def=dg.in_process_executor)
def reanalyze_everything() -> None:
    """Reads every file of every run again and brings everything up to date; finds what the sensor cannot see."""
    bring_everything_up_to_date()


def _bring(context: dg.OpExecutionContext, live: Live, only: str | None = None) -> None:
    try:
        live.waiting = still_written(live, GRAPH)
        record = within(context)
        update = bring_up_to_date(
            context.instance, live, GRAPH, record, select=lambda cell: only in (None, cell.benchmark)
        )
    except BladeError as error:
        raise dg.Failure(str(error), allow_retries=False) from None
    context.add_output_metadata(_summary(update, live))
    for problem in notify(live, context.log.warning):
        context.log.warning(problem)
    if errors := [*update.errors, *live.problems]:
        raise dg.Failure("\n".join(errors), allow_retries=False)


def _summary(update: Update, live: Live) -> dict[str, dg.MetadataValue]:
    made = Counter(due.stage.name for due in update.made)
    waiting = [{"run": str(cell), "because": why} for cell, why in live.waiting.items()]
    return {
        "recomputed": dg.MetadataValue.int(len(update.made)),
        "current": dg.MetadataValue.int(update.current),
        "failed": dg.MetadataValue.int(len(update.failed)),
        "skipped": dg.MetadataValue.int(len(update.skipped)),
        "vanished runs": dg.MetadataValue.int(len(live.vanished)),
        "by asset": dg.MetadataValue.json(dict(made)),
        "still being written": dg.MetadataValue.json(waiting),
    }
