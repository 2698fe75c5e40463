"""The sentence of a failed run whose step could not write one itself."""

import os
import signal
from pathlib import Path

import dagster as dg

from blade_pipeline.automation.failures import failure_of
from blade_pipeline.automation.home import shipped_config


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
    assert said == "its process was told to end before it was done; what it had made is kept"
