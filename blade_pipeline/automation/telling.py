"""The sensors that tell a team what matters."""

import dagster as dg

from blade_pipeline.assets.faults import told_in_a_sentence
from blade_pipeline.assets.graph import GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.workspace import Workspace
from blade_pipeline.automation.failures import failure_of
from blade_pipeline.automation.notify import notify
from blade_pipeline.automation.notify.notice import Notice
from blade_pipeline.automation.settling import still_written
from blade_pipeline.gym.public import without_secrets
from blade_pipeline.models import BladeError
from blade_pipeline.storage import SourceMemo, Store

INTERVAL_SECONDS = 60
BUDGET_SECONDS = 20.0


@dg.sensor(
    name="notification_sensor",
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Tells the log and the channels of the environment, once, what changed: a verdict, a regression beyond "
    "noise, coverage below the profile's floor, a run that never settles, a benchmark without a new run. What a "
    "channel did not take is tried again.",
)
@told_in_a_sentence()
def notification_sensor(context: dg.SensorEvaluationContext, workspace: Workspace) -> dg.SkipReason:
    """One tick; the jobs tell what they find themselves, so that this one finds what they could not deliver."""
    lines: list[str] = []
    try:
        live = workspace.see(stat_only=True)
        live.waiting = still_written(live, GRAPH, BUDGET_SECONDS)
        problems = notify(live, lines.append)
    except BladeError as error:
        return dg.SkipReason(without_secrets(str(error)))
    for line in [*lines, *problems]:
        context.log.warning(line)
    return dg.SkipReason("; ".join([*lines, *problems]) or f"nothing new in {len(live.runs)} runs")


@dg.run_failure_sensor(
    name="run_failure_notifications",
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Tells the log and the channels of the environment of every failed run, with the sentence that says "
    "why.",
)
@told_in_a_sentence()
def run_failure_notifications(context: dg.RunFailureSensorContext, workspace: Workspace) -> None:
    """One failed run."""
    run = context.dagster_run
    notice = failed_run(run, failure_of(context.instance, run.run_id))
    for problem in notify(_world(workspace), context.log.warning, {run.run_id: notice}, settling=False):
        context.log.warning(problem)


def _world(workspace: Workspace) -> Live:
    """What is there; only the store where what ails the run ails this look too."""
    try:
        return workspace.see(stat_only=True)
    except BladeError:
        store = Store(workspace.store)
        return Live(store=store, folders=workspace.settings.folders, memo=SourceMemo(store))


def failed_run(run: dg.DagsterRun, why: str) -> Notice:
    """The notice of a failed run; of an asset job's partition the benchmark and the run are named."""
    benchmark, _, model_run = run.tags.get("dagster/partition", "").partition("|")
    of = f" of {benchmark}{f'/{model_run}' if model_run else ''}" if benchmark else ""
    what, look = f"{run.job_name}{of} failed: {why.removesuffix('.')}", f"the run {run.run_id} in Dagster"
    return Notice("run_failed", benchmark or None, model_run or None, what, "certain", look, run.run_id)
