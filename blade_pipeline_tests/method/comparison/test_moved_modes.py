"""Failure modes of two runs: counts and changes planted, p by hand from the sign vectors."""

from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.comparison import Failures, Side, compare
from blade_pipeline.method.comparison.moved_modes import moved_modes
from blade_pipeline.method.comparison.shares import on_common_tasks
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, planned, rollout, write_run

LATE = {"verdict_reason": "the service did not answer in time"}
SHAPE = {"verdict_reason": "the shapes of both arrays do not fit"}
Fails = dict[tuple[int, int], dict[str, Any]]


def failing_runs(
    folder: Path, *runs: Fails, tasks: int = 12, noted: Fails | None = None
) -> list[tuple[Side, Failures]]:
    """Runs of two repeats a task that pass but for these; ``noted`` says what passing rollouts of the first carry."""
    inputs = [planned(task, repeat) for task in range(tasks) for repeat in range(2)]
    for name, fails in zip("abc", runs, strict=False):
        passing = noted or {} if name == "a" else {}
        rows = [
            rollout(task, repeat, float((task, repeat) not in fails), **(passing | fails).get((task, repeat), {}))
            for task in range(tasks)
            for repeat in range(2)
        ]
        write_run(folder / "bench" / name, rows, inputs)
    found = analyzed_folder(folder)
    return [
        (run.side(name.partition("/")[2]), Failures(*failure_modes(run.aligned, Profile())))
        for name, run in sorted(found.items())
    ]


def modes_of(folder: Path, a: Fails, b: Fails, **options: Any) -> dict[str, Any]:
    (first, failed_first), (second, failed_second) = failing_runs(folder, a, b, **options)
    pair = compare(first, second, Profile())
    found = moved_modes(on_common_tasks(first, second), failed_first, failed_second)
    shares = found["b"]["share"] - found["a"]["share"]
    assert found["change"] == pytest.approx(-pair["difference"]["value"]) == pytest.approx(shares)
    assert sum(row["change"] for row in found["rows"]) == pytest.approx(found["change"])
    return found


def row_of(found: dict[str, Any], start: str) -> dict[str, Any]:
    rows = {row["code"]: row for row in found["rows"]}
    return dict(rows[next((code for code in rows if code.startswith(start)), start)])


def test_the_mode_that_grew_is_named_with_its_counts(tmp_path: Path) -> None:
    # LATE: 2 of 24 before, 17 of 24 now: 5 tasks rise by 1 and 5 by .5, none falls: p = 2 of 1024, mid-p = 2^-10
    before = {(10, 0): LATE, (10, 1): LATE, (11, 0): SHAPE, (11, 1): SHAPE}
    now = {(task, 0): LATE for task in range(11)} | {(task, 1): LATE for task in range(5)} | {(11, 0): SHAPE}
    now |= {(10, 1): LATE, (11, 1): SHAPE}
    found = modes_of(tmp_path, before, now)
    late, shape = row_of(found, "verdict_reason:the_service"), row_of(found, "verdict_reason:the_shapes")
    assert [late[side]["count"] for side in "ab"] == [2, 17] and late["a"]["measured"] == 24
    assert late["change"] == pytest.approx(15 / 24)
    assert late["p"] == pytest.approx(2**-10) and late["holm_p"] == pytest.approx(2 * 2**-10)
    assert (shape["change"], shape["holm_p"]) == (0.0, 1.0)
    assert found["sentence"] == (
        "Beyond chance in a failure mode: "
        "verdict reason: the service did not answer in time from 2 of 24 rollouts before to 17 of 24, "
        "+62.5 points, p = 0.002 (p after Holm's correction over 2 modes); all failures together: +62.5 points."
    )


def test_a_message_that_one_run_carries_without_telling_has_no_p(tmp_path: Path) -> None:
    quiet = {(task, 1): LATE for task in range(12)}
    before = {(task, 0): LATE for task in range(2)} | {(task, 0): SHAPE for task in range(2, 6)}
    now = {(task, repeat): LATE for task in range(10) for repeat in range(2)}
    found = modes_of(tmp_path, before, now, noted=quiet)
    late = row_of(found, "verdict_reason:the_service")
    assert (late["a"]["count"], late["b"]["count"], late["p"], late["holm_p"]) == (0, 20, None, None)
    assert "show it as well" in late["reason"] and "did not answer" not in found["sentence"]


def test_a_mode_that_only_gave_way_did_not_move(tmp_path: Path) -> None:
    """The cut comes first, so the message of the same rollouts is no primary mode any more, and they still carry it."""
    cut = {"response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}}
    before = {(task, 0): SHAPE for task in range(10)}
    now = {(task, 0): SHAPE | cut for task in range(10)}
    found = modes_of(tmp_path, before, now)
    shape = row_of(found, "verdict_reason:the_shapes")
    assert (shape["a"]["count"], shape["b"]["count"]) == (10, 0)
    assert shape["p"] == 1.0 and found["change"] == 0.0
    assert "verdict reason" not in found["sentence"]


def test_nearly_equal_messages_are_one_mode(tmp_path: Path) -> None:
    other = {"verdict_reason": "the shapes of both matrices do not fit"}
    before = {(task, 0): SHAPE for task in range(10)}
    now = {(task, 0): other for task in range(10)}
    [row] = modes_of(tmp_path, before, now)["rows"]
    assert ([row[side]["count"] for side in "ab"], row["change"], row["p"]) == ([10, 10], 0.0, 1.0)


def test_runs_without_failures_have_no_modes(tmp_path: Path) -> None:
    found = modes_of(tmp_path, {}, {})
    assert (found["rows"], found["sentence"], found["change"]) == ([], "", 0.0)


def test_runs_without_a_common_task_have_no_change(tmp_path: Path) -> None:
    (first, failed_first), _ = failing_runs(tmp_path, {(0, 0): LATE}, {})
    other = first.__class__(**{**vars(first), "per_task": first.per_task.slice(0, 0)})
    found = moved_modes(on_common_tasks(other, first), failed_first, failed_first)
    assert (found["tasks"], found["change"], found["rows"], found["sentence"]) == (0, None, [], "")
