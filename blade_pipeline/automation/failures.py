"""Why a run of Dagster failed, in our own sentence where there is one."""

import dagster as dg

_LONGEST = 500


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
            return "its process was told to end before it was done; what it had made is kept"
        name = error.cause.cls_name if error is not None and error.cause is not None else None
        return f"a fault of the program ({name or 'unknown'}) in {event.step_key}"
    return "no step says why; the run's process may have been ended from outside"


def _short(sentence: str) -> str:
    line = " ".join(sentence.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
