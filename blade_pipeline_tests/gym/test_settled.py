import os
from pathlib import Path

import pytest

from blade_pipeline.gym import RunDirectory, settled
from blade_pipeline.models import BladeError
from blade_pipeline_tests.gym.run_folder import jsonl, only_run, rollout, write_run

NOW = 2_000_000_000.0
QUIET = 300.0


def aged(run: RunDirectory, **ages: float) -> None:
    """Sets file times to so many seconds before ``NOW``; ``rest`` is for files not named."""
    for file in run.files:
        role = next((role for role in ages if role in file.path.name), "rest")
        moment = NOW - ages.get(role, 4000.0)
        os.utime(file.path, (moment, moment))


def inputs(*keys: tuple[int, int]) -> bytes:
    return jsonl(*[{"_ng_task_index": task, "_ng_rollout_index": repeat} for task, repeat in keys])


def test_a_fresh_torn_line_is_named_with_its_age(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)) + b'{"_ng')
    aged(run, rollouts=12)
    found = settled(run, NOW, QUIET)
    assert found == (False, "the last line of rollouts.jsonl has no newline and was written 12 s ago")


def test_a_fresh_whole_file_is_waited_for_too(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)))
    aged(run, rollouts=150)
    assert settled(run, NOW, QUIET) == (False, "rollouts.jsonl was written 2 min ago")


def test_an_aggregate_newer_than_quiet_rows_settles(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)), others={"rollouts_aggregate_metrics.json": "[]"})
    aged(run, rollouts_aggregate=390, rest=400)
    assert settled(run, NOW, QUIET) == (
        True,
        "rollouts_aggregate_metrics.json is newer than the rows and nothing was written for 7 min",
    )


@pytest.mark.parametrize(("text", "age"), [("[{", 390.0), ("[]", 410.0)])
def test_a_half_written_or_older_aggregate_settles_nothing(tmp_path: Path, text: str, age: float) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)), others={"rollouts_aggregate_metrics.json": text})
    aged(run, rollouts_aggregate=age, rest=400)
    found = settled(run, NOW, QUIET)
    assert not found.ok
    assert found.reason == (
        "there is no finished aggregate and no list of expected rollouts; nothing was written for 7 min, "
        "and 50 min without a write count as stopped"
    )


def test_rows_and_final_failures_for_every_expected_rollout_settle(tmp_path: Path) -> None:
    failures = jsonl(
        {"_ng_task_index": 0, "_ng_rollout_index": 1, "_ng_failure_terminal": True},
        *[{"_ng_task_index": 1, "_ng_rollout_index": 0, "_ng_failure_class": "x"}] * 3,
    )
    planned = inputs((0, 0), (0, 1), (1, 0))
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)), failures=failures, materialized_inputs=planned)
    aged(run, rest=400)
    assert settled(run, NOW, QUIET) == (
        True,
        "all 3 expected rollouts have a row or a final failure and nothing was written for 7 min",
    )


def test_a_failure_that_may_be_retried_leaves_the_rollout_open(tmp_path: Path) -> None:
    failures = jsonl(*[{"_ng_task_index": 0, "_ng_rollout_index": 1, "_ng_failure_class": "x"}] * 2)
    planned = inputs((0, 0), (0, 1))
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)), failures=failures, materialized_inputs=planned)
    aged(run, rest=400)
    found = settled(run, NOW, QUIET)
    assert not found.ok
    assert found.reason.startswith("1 of 2 expected rollouts have neither a row nor a final failure; ")


def test_a_crashed_run_settles_after_ten_quiet_periods(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)) + b'{"_ng', materialized_inputs=inputs((0, 0), (0, 1)))
    aged(run, rest=2999)
    assert not settled(run, NOW, QUIET).ok
    aged(run, rest=3000)
    assert settled(run, NOW, QUIET) == (
        True,
        "the last line of rollouts.jsonl has no newline, but nothing was written for 50 min: taken as stopped",
    )


def test_a_run_with_inputs_alone_is_waited_for(tmp_path: Path) -> None:
    run = write_run(tmp_path, materialized_inputs=inputs((0, 0)))
    aged(run, rest=400)
    assert not settled(run, NOW, QUIET).ok
    aged(run, rest=40_000)
    assert settled(run, NOW, QUIET).ok


def test_a_file_time_in_the_far_future_does_not_block_for_ever(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)))
    aged(run, rest=-4000)
    assert settled(run, NOW, QUIET).ok


def test_a_vanished_file_is_a_sentence(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)))
    run.rollouts[0].unlink()
    with pytest.raises(BladeError, match=r"rollouts\.jsonl cannot be read"):
        settled(run, NOW, QUIET)


def test_the_run_that_is_still_being_written(shared: Path) -> None:
    run = only_run(shared / "cases" / "run_dirs" / "writing")
    written = max(file.path.stat().st_mtime for file in run.files)
    assert settled(run, written + 1, QUIET).reason.startswith("the last line of rollouts.jsonl has no newline")
    assert not settled(run, written + 400, QUIET).ok
    assert settled(run, written + 100_000, QUIET).ok
