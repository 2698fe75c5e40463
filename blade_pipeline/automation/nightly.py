"""The nightly re-analysis as an asset that says what it did."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from blade_pipeline.assets.factory import OWNER
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.metadata import markdown_table
from blade_pipeline.assets.stage import Graph
from blade_pipeline.automation.housekeeping import prune
from blade_pipeline.automation.night import Night, counts_of, repairs_of, sentence_of
from blade_pipeline.automation.update import Renewed, Update
from blade_pipeline.environment import KEEP_DAYS
from blade_pipeline.models import UsageProblem
from blade_pipeline.storage import SourceMemo

NIGHTLY_REPORT = dg.AssetKey("nightly_report")

_NEWEST = 100

nightly_report = dg.AssetSpec(
    NIGHTLY_REPORT,
    description="What the nightly re-analysis read, found and mended; the job reanalyze_everything records it. It is "
    "overdue when no night ended since 01:00 UTC.",
    group_name="operation",
    owners=[OWNER],
    kinds={"python"},
    freshness_policy=dg.FreshnessPolicy.cron(deadline_cron="0 6 * * *", lower_bound_delta=timedelta(hours=5)),
)


def failed_benchmarks(instance: dg.DagsterInstance, job: str) -> list[str | None]:
    """The benchmark of each failed run of a job since the night before, the newest first."""
    last = instance.get_latest_materialization_event(NIGHTLY_REPORT)
    since = last.timestamp if last is not None else 0.0
    failed = dg.RunsFilter(job_name=job, statuses=[dg.DagsterRunStatus.FAILURE])
    records = instance.get_run_records(failed, limit=_NEWEST)
    return [record.dagster_run.tags.get("dagster/partition") for record in records if (record.end_time or 0.0) > since]


def mended_of(failed: list[str | None], update: Update) -> list[str]:
    """The benchmarks of failed runs in which nothing fails any more."""
    still = {cell.benchmark for _, cell in (*update.failed, *update.skipped)}
    return sorted({benchmark for benchmark in failed if benchmark is not None} - still)


def files_read(live: Live, graph: Graph) -> tuple[int, int]:
    """How many files the reading stages read of every run that does not wait, and their bytes."""
    roles = [role for stage in graph for role in stage.reads]
    paths = {file.path for cell, run in live.runs.items() if cell not in live.waiting for file in run.having(*roles)}
    sizes = [path.stat().st_size for path in paths if path.is_file()]
    return len(sizes), sum(sizes)


def traceless(live: Live, before: SourceMemo) -> Callable[[Renewed], bool]:
    """Tells whether the files that a stage read are, by size and times, those whose digest was another one before."""

    def is_traceless(renewed: Renewed) -> bool:
        name = f"{renewed.stage.name}/{renewed.cell}"
        known = before.get(name, live.stamp(renewed.stage, renewed.cell))
        return known is not None and known != live.source_version(renewed.stage, renewed.cell)

    return is_traceless


def pruned(night: Night, instance: dg.DagsterInstance, warn: Callable[[str], None]) -> Night:
    """Prunes Dagster's records; what keeps that from being done is a warning and no failure of the night."""
    try:
        found = prune(instance, KEEP_DAYS.amount())
    except (dg.DagsterError, SQLAlchemyError, UsageProblem, OSError) as error:
        told = str(error) if isinstance(error, UsageProblem) else type(error).__name__
        warn(f"Old runs of Dagster were not pruned: {told}")
        return night
    return replace(night, pruned=found.runs + found.files, superseded=found.records)


def event_of(
    night: Night, update: Update, is_traceless: Callable[[Renewed], bool], errors: list[str]
) -> dg.AssetMaterialization:
    """The night as a materialization; also a night that failed is told."""
    return dg.AssetMaterialization(
        NIGHTLY_REPORT,
        description=sentence_of(night, len(update.made), errors),
        metadata={
            "summary": sentence_of(night, len(update.made), errors),
            "files read again": night.files,
            "MB read again": round(night.bytes / 1e6, 1),
            "artifacts made again": len(update.made),
            "artifacts current": update.current,
            "failures left": len(errors),
            "failed jobs since the night before": night.failed_before,
            "mended": ", ".join(night.mended) or "none",
            "directories vanished": len(night.vanished),
            "directories back": len(night.returned),
            "removals completed": len(night.forgotten),
            "temporary files deleted": night.swept,
            "old runs and files pruned": night.pruned,
            "superseded records deleted": night.superseded,
            "benchmarks without a new run": ", ".join(late.benchmark for late in night.overdue) or "none",
            "by reason": dg.MetadataValue.json(counts_of(update.made, is_traceless)),
            "repairs": dg.MetadataValue.md(markdown_table(repairs_of(update.made, is_traceless))),
        },
    )
