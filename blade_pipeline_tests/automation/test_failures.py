"""The sentence of a failed run whose step could not write one itself."""

import os
import signal
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.events import EngineEventData, JobFailureData, RunFailureReason
from dagster._utils.error import SerializableErrorInfo

from blade_pipeline.automation.failures import failure_of
from blade_pipeline.automation.home import shipped_config


@dg.job
def nothing() -> None:
    """A job without steps."""


def test_a_step_that_was_told_to_end_is_no_fault_of_the_program(tmp_path: Path) -> None:
    """As ``systemctl stop`` ends a run: its process gets a signal to end while the step works."""

    @dg.op
    def work() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1_000_000):
            pass

    @dg.job
    def told_to_end() -> None:
        work()

    (tmp_path / "dagster.yaml").write_text(shipped_config())
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        told_to_end.execute_in_process(instance=instance, raise_on_error=False)
        (run,) = instance.get_runs()
        assert run.status == dg.DagsterRunStatus.FAILURE
        said = failure_of(instance, run.run_id)
        instance.report_run_canceling(run, "Canceling due to exceeding maximum runtime of 3600 seconds.")
        stopped = failure_of(instance, run.run_id)
    assert said == "its process was told to end before it was done; what it had made is kept"
    assert stopped == f"{said}. Dagster says: Canceling due to exceeding maximum runtime of 3600 seconds."


@pytest.mark.parametrize(
    ("message", "reason", "sentence"),
    [
        (
            "Run timed out due to taking longer than 300 seconds to start.\nlog of a pod",
            JobFailureData(error=None, failure_reason=RunFailureReason.START_TIMEOUT),
            "no step says why. Dagster says: Run timed out due to taking longer than 300 seconds to start.",
        ),
        (None, None, "no step says why; its process may have been ended from outside"),
        ("Steps failed: work", JobFailureData(error=None, failure_reason=RunFailureReason.STEP_FAILURE), None),
    ],
)
def test_a_run_without_a_failed_step_is_told_with_what_dagster_says(
    message: str | None, reason: JobFailureData | None, sentence: str | None
) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        run = instance.create_run_for_job(nothing)
        instance.report_run_failed(run, message, reason)
        said = failure_of(instance, run.run_id)
    assert said == (sentence or "no step says why; its process may have been ended from outside")


def test_a_run_that_could_not_be_launched_is_told_with_what_dagster_says() -> None:
    """As the daemon records it when a code server does not answer."""
    with dg.DagsterInstance.ephemeral() as instance:
        run = instance.create_run_for_job(nothing)
        error = SerializableErrorInfo("a text of the server", [], "DagsterUserCodeUnreachableError")
        instance.report_engine_event(
            "Run dequeue failed to reach the user code server", run, EngineEventData(error=error)
        )
        instance.report_engine_event("Started process for run", run)
        instance.report_run_failed(run)
        instance.report_engine_event("Failed to retry run", run, EngineEventData(error=error))
        said = failure_of(instance, run.run_id)
    assert said == "no step says why. Dagster says: Run dequeue failed to reach the user code server"
