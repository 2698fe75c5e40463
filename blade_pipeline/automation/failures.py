"""Why a run of Dagster failed, in our own sentence where there is one."""

import dagster as dg
from dagster._core.events import JobFailureData, RunFailureReason

from blade_pipeline.gym.public import without_secrets

_LONGEST = 500
_FROM_OUTSIDE = {dg.DagsterEventType.ENGINE_EVENT, dg.DagsterEventType.RUN_CANCELING, dg.DagsterEventType.RUN_FAILURE}
_NO_REASON = "This run has been marked as failed from outside the execution context."


def failure_of(instance: dg.DagsterInstance, run_id: str) -> str:
    """What a person must act on, on one line; of a fault that carries no sentence of ours only its kind."""
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
        event = entry.dagster_event
        if event is None:
            continue
        data = event.step_failure_data
        if data.user_failure_data is not None and data.user_failure_data.description:
            return _short(data.user_failure_data.description)
        error = data.error
        if error is not None and error.cls_name == dg.DagsterExecutionInterruptedError.__name__:
            return f"its process was told to end before it was done; what it had made is kept{_why(instance, run_id)}"
        name = error.cause.cls_name if error is not None and error.cause is not None else None
        return f"a fault of the program ({name or 'unknown'}) in {event.step_key}"
    return f"no step says why{_why(instance, run_id) or '; its process may have been ended from outside'}"


def _why(instance: dg.DagsterInstance, run_id: str) -> str:
    """The last reason that Dagster gives, in its words: the run was not launched, not started in time, or stopped."""
    said, failed = "", False
    for entry in instance.all_logs(run_id, of_type=_FROM_OUTSIDE):
        event = entry.dagster_event
        if event is None or (failed and event.event_type == dg.DagsterEventType.ENGINE_EVENT):
            continue  # what was tried after a failure, such as another run, is no reason of it
        failed = failed or event.event_type == dg.DagsterEventType.RUN_FAILURE
        said = event.message if event.message and _is_reason(event) else said
    return f". Dagster says: {_short(without_secrets(said.splitlines()[0]))}" if said else ""


def _is_reason(event: dg.DagsterEvent) -> bool:
    if event.event_type == dg.DagsterEventType.ENGINE_EVENT:
        return event.engine_event_data.error is not None
    if event.event_type == dg.DagsterEventType.RUN_CANCELING:
        return True
    data = event.event_specific_data  # the run's own process leaves more of itself there
    timed_out = isinstance(data, JobFailureData) and data.failure_reason == RunFailureReason.START_TIMEOUT
    return event.message != _NO_REASON and (data is None or timed_out)


def _short(sentence: str) -> str:
    line = " ".join(sentence.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
