"""What failing rollouts leave out across the tasks that pass sometimes, and the cause that it proposes."""

from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.patterns import patterns
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

ANSWER = ["message", "assistant", 20, "completed", 0]


def _row(task: int, repeat: int, passed: bool, *tools: str, **extra: Any) -> dict[str, Any]:
    steps: list[list[Any]] = []
    for tool in tools:
        name, _, failed = tool.partition("!")
        steps += [["tool_call", name, 5, None, 0], ["tool_output", name, 9, None, int(failed == "")]]
        steps[-1][4] = int("!" in tool)
    counts = {"output_items": len(steps) + 1, "tool_calls": len(tools), "tool_errors": 0, "answer_length": 20}
    return {"task": task, "repeat": repeat, "score": float(passed), "steps": [*steps, ANSWER], **counts} | extra


def _tables(rows: list[dict[str, Any]]) -> tuple[pa.Table, pa.Table, pa.Table]:
    samples = aligned(rows)
    return samples, buckets_of(samples), failure_modes(samples, Profile())[0]


def _found(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = patterns(*_tables(rows))["patterns"]
    return found


def _pairs(tasks: int, failing: tuple[str, ...], **extra: Any) -> list[dict[str, Any]]:
    rows = [_row(task, 0, True, "search", "check") for task in range(tasks)]
    return rows + [_row(task, 1, False, *failing, **extra) for task in range(tasks)]


def test_a_tool_that_failing_rollouts_leave_out_is_a_pattern() -> None:
    # Eight tasks, each with one rollout that passes and checks and one that fails and does not: p = 2 of 2^8.
    [found] = _found(_pairs(8, ("search",)))
    assert (found["pattern"], found["tool"]) == ("leaves out", "check")
    assert [found[name] for name in ("failing_with", "failing", "passing_with", "passing", "tasks")] == [8, 8, 0, 8, 8]
    assert found["p"] == pytest.approx(2 / 2**8)
    assert found["sentence"] == (
        "Of the failing rollouts without another symptom 8 of 8 never call the tool `check`, of the passing ones of "
        "the same 8 tasks 0 of 8."
    )


def test_a_tool_that_only_failing_rollouts_call_is_a_pattern() -> None:
    [found] = _found(_pairs(8, ("search", "check", "guess")))
    assert (found["pattern"], found["tool"], found["failing_with"]) == ("calls", "guess", 8)


def test_stopping_after_an_error_is_a_pattern() -> None:
    found = _found(_pairs(8, ("search", "check!")))
    assert [(row["pattern"], row["tool"]) for row in found] == [("stops after an error of", "check")]


def test_what_comes_after_the_error_is_left_out_as_well() -> None:
    found = _found(_pairs(8, ("search!",)))
    assert [(row["pattern"], row["tool"]) for row in found] == [
        ("leaves out", "check"),
        ("stops after an error of", "search"),
    ]


def test_five_tasks_cannot_tell() -> None:
    assert _found(_pairs(5, ("search",))) == []


def test_rollouts_that_were_cut_short_leave_nothing_out() -> None:
    assert _found(_pairs(8, ("search",), incomplete_reason="max_output_tokens")) == []


def test_a_tool_left_out_by_both_is_no_pattern() -> None:
    rows = [_row(task, repeat, repeat == 0, "search") for task in range(8) for repeat in range(2)]
    assert _found(rows) == []


def test_what_is_left_out_proposes_behaviour_and_not_knowledge() -> None:
    samples, buckets, modes = _tables(_pairs(8, ("search",)))
    found = patterns(samples, buckets, modes)["patterns"]
    without = root_causes(samples, buckets, modes, {}, Profile())
    with_patterns = root_causes(samples, buckets, modes, {}, Profile(), found)
    assert {entry["label"] for entry in without["labels"]} == {"UK"}
    assert {entry["label"] for entry in with_patterns["labels"]} == {"BI"}
    assert with_patterns["labels"][0]["note"] == "1 of 1 lost rollouts, reason: leaves out `check`."
    assert with_patterns["labels"][0]["confidence"] == "low"
