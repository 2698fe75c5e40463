"""Failed attempts of one rollout: their number, the class of the last, whether any was final."""

from pathlib import Path

import pytest

from blade_pipeline_tests.method.chain import analyzed_folder, failure, planned, rollout, write_run


@pytest.mark.parametrize("row", [True, False])
def test_the_last_attempt_names_the_failure_and_any_of_them_may_be_final(tmp_path: Path, row: bool) -> None:
    """With a row the rollout is measured and its failure recovered; without one it is failed."""
    failures = [failure(0, 0, "transport"), failure(0, 0, "verifier_error", _ng_failure_terminal=True), failure(0, 0)]
    rows = [rollout(0, 0, 1.0)] if row else []
    write_run(tmp_path / "bench" / "run", rows, [planned(0, 0), planned(0, 1)], [*failures, failure(0, 1)])
    run = analyzed_folder(tmp_path)["bench/run"]
    columns = ("outcome", "attempts", "failure_class", "failure_terminal", "recovered")
    assert [tuple(sample[name] for name in columns) for sample in run.aligned.to_pylist()] == [
        ("measured" if row else "failed", 3, "agent_request_failed", True, row),
        ("failed", 1, "agent_request_failed", False, False),
    ]
    told = {entry.pop("class"): tuple(entry.values()) for entry in run.coverage["failures"]}
    kept = int(
        row
    )  # attempts, terminal ones, rollouts that left a row, rollouts lost: by the class of the last attempt
    assert told == {
        "agent_request_failed": (2, 0, kept, 2 - kept),
        "transport": (1, 0, kept, 0),
        "verifier_error": (1, 1, kept, 0),
    }
    assert run.coverage["accounting"]["failed"] == 2 - kept
