"""The sensor that notices run directories, changed files and changed code."""

import json
import time

import dagster as dg

from blade_pipeline.assets.faults import told_in_a_sentence
from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.partitions import benchmarks, model_runs
from blade_pipeline.assets.signature import signature
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.jobs import reanalysis
from blade_pipeline.automation.outdated import Due, Plan, outdated
from blade_pipeline.automation.registering import missing_partitions
from blade_pipeline.automation.settling import still_written
from blade_pipeline.gym.public import without_secrets
from blade_pipeline.models import BladeError
from blade_pipeline.storage import digest_of

INTERVAL_SECONDS = 30
BUDGET_SECONDS = 20.0
AGAIN_SECONDS = 1800.0
"""How long after a run that failed before it began the same work is asked for again."""
NAMED = 20
"""How many runs or benchmarks the text of a tick names; it is kept with every tick."""
_DUE = "blade/due"

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]


@dg.sensor(
    job=reanalysis,
    name="run_directory_sensor",
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers run directories that are complete, and requests what is outdated, one run per benchmark. "
    "A tick that requests nothing says why: what is still being written, what was requested before, or that nothing "
    "changed.",
)
@told_in_a_sentence()
def run_directory_sensor(context: dg.SensorEvaluationContext, workspace: Workspace) -> dg.SensorResult | dg.SkipReason:
    """One tick; reads no rollouts, only names, sizes and times of what is known already."""
    try:
        seen = _seen(context.instance, workspace)
        if (said := _said_of(seen, context.cursor)) is not None:
            return dg.SkipReason(said)
        live = workspace.see(stat_only=True)
        live.waiting = still_written(live, GRAPH, BUDGET_SECONDS)
    except BladeError as error:
        return dg.SkipReason(without_secrets(str(error)))
    settled = live.without_newcomers()
    plan = outdated(context.instance, settled, GRAPH)
    requests = [request for name in settled.benchmarks() if (request := _request(context.instance, plan, name))]
    try:
        missing = missing_partitions(context.instance, settled)
    except BladeError as error:
        return dg.SkipReason(without_secrets(str(error)))
    if not requests and not any(missing.values()):
        said = _why_nothing(live, plan.due)
        context.update_cursor(json.dumps([None if plan.due or live.waiting else seen, said]))
        return dg.SkipReason(said)
    names = ", ".join(str(request.partition_key) for request in requests)
    news = [f"asked for {names}" if requests else "new names of partitions", *_still_written(live)]
    return dg.SensorResult(
        run_requests=requests,
        cursor=json.dumps([None, "; ".join(news)]),
        dynamic_partitions_requests=[
            definition.build_add_request(missing[str(definition.name)])
            for definition in (benchmarks, model_runs)
            if missing[str(definition.name)]
        ],
    )


def _request(instance: dg.DagsterInstance, plan: Plan, benchmark: str) -> dg.RunRequest | None:
    """A run for what is due in a benchmark, unless one is under way; a run that began is not asked for once more."""
    due = plan.of(benchmark)
    if not due:
        return None
    tags = {"dagster/partition": benchmark}
    if instance.get_runs(dg.RunsFilter(job_name=reanalysis.name, statuses=UNFINISHED, tags=tags), limit=1):
        return None
    key = digest_of([[entry.stage.name, str(entry.cell), entry.inputs] for entry in due])
    tried = _tried(instance, key)
    if tried is None:
        return None
    run_key = f"{benchmark}@{key}#{tried}" if tried else f"{benchmark}@{key}"
    return dg.RunRequest(run_key=run_key, partition_key=benchmark, tags={_DUE: key})


def _tried(instance: dg.DagsterInstance, key: str) -> int | None:
    """How many runs for this due list never began, so that a run key with it is new; ``None`` where one began.

    Those failed at nothing of ours: no code server answered, or the machine was too busy to start a process in time.
    The last of them must be some time ago, else it is ``None`` as well.
    """
    records = instance.get_run_records(dg.RunsFilter(job_name=reanalysis.name, tags={_DUE: key}))
    begun = [
        record for record in records if record.start_time or record.dagster_run.status != dg.DagsterRunStatus.FAILURE
    ]
    if begun or (records and time.time() - max(record.end_time or 0.0 for record in records) < AGAIN_SECONDS):
        return None
    return len(records)


def _seen(instance: dg.DagsterInstance, workspace: Workspace) -> str:
    """Digest of what a tick's answer follows from while no directory is being written.

    It saves time only: without it every tick comes to the same answer.
    """
    newest, runs = instance.event_log_storage.get_maximum_record_id(), instance.get_runs_count()
    return digest_of([newest, runs, signature(workspace.settings, GRAPH)])


def _said_of(seen: str, cursor: str | None) -> str | None:
    """What an earlier tick answered that saw the same and found nothing to do."""
    try:
        last, said = json.loads(cursor or "[null, null]")
    except (ValueError, TypeError):
        return None
    return str(said) if last == seen else None


def _why_nothing(live: Live, due: list[Due]) -> str:
    """What the tick saw, for the tick's page."""
    reasons = [*_still_written(live), *_asked_before(due)]
    return "; ".join([*reasons, *live.problems]) or f"nothing changed in {len(live.runs)} runs"


def _still_written(live: Live) -> list[str]:
    waiting = [f"{cell}: {reason}" for cell, reason in live.waiting.items()]
    if not waiting:
        return []
    more = f"; and {len(waiting) - NAMED} more" if len(waiting) > NAMED else ""
    return [f"still being written: {'; '.join(waiting[:NAMED])}{more}"]


def _asked_before(due: list[Due]) -> list[str]:
    if not due:
        return []
    names = sorted({entry.cell.benchmark for entry in due})
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    artifacts = "1 artifact is" if len(due) == 1 else f"{len(due)} artifacts are"
    return [f"{artifacts} due and requested already, of {', '.join(names[:NAMED])}{more}: see the latest run of each"]
