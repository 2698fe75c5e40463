"""What failing rollouts leave out across the tasks that pass sometimes, and the cause that it proposes."""

from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.patterns import patterns
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.method.verification import Evidence, Verifier
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


def test_what_passing_rollouts_of_each_task_do_more_often_is_no_pattern_of_failing_ones() -> None:
    # Of four tasks 1 of 1 passing and 9 of 10 failing ones call it, of four others 1 of 10 and 0 of 1: in each task the
    # passing ones do so more often (p = 2 of 2^8), and of all together 8 of 44 passing and 36 of 44 failing ones.
    rows = [
        _row(task, repeat, repeat < passing, *(["search", "guess"] if uses(repeat) else ["search"]))
        for first, passing, uses in ((0, 1, lambda repeat: repeat < 10), (4, 10, lambda repeat: repeat == 0))
        for task in range(first, first + 4)
        for repeat in range(11)
    ]
    assert _found(rows) == []


def test_five_tasks_cannot_tell() -> None:
    assert _found(_pairs(5, ("search",))) == []


def test_rollouts_that_were_cut_short_leave_nothing_out() -> None:
    assert _found(_pairs(8, ("search",), incomplete_reason="max_output_tokens")) == []


def test_a_tool_left_out_by_both_is_no_pattern() -> None:
    rows = [_row(task, repeat, repeat == 0, "search") for task in range(8) for repeat in range(2)]
    assert _found(rows) == []


def _tried(task: int, repeat: int, passed: bool, *tools: str, **extra: Any) -> dict[str, Any]:
    """A rollout whose first search gives an error, and that then calls some tools."""
    return _row(task, repeat, passed, "search!", *tools, **extra)


def _named(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["pattern"]: row for row in _found(rows)}


def test_giving_up_after_an_error_is_a_pattern() -> None:
    # Both have the error in each of eight tasks; the passing rollout searches again, the failing one checks.
    rows = [_tried(task, 0, True, "search", "check") for task in range(8)]
    found = _named(rows + [_tried(task, 1, False, "check", "check") for task in range(8)])
    row = found["gives up after an error"]
    assert (row["tool"], row["stop"], row["p"]) == (None, None, pytest.approx(2 / 2**8))
    assert row["sentence"] == (
        "Of the failing rollouts without another symptom in which a tool gave an error 8 of 8 do not call it again, of "
        "such passing ones of the same 8 tasks 0 of 8."
    )


def test_rollouts_without_an_error_are_not_asked_whether_they_call_again() -> None:
    # Only in six of the ten tasks both rollouts have an error; there all of them give up.
    rows = [_tried(task, 0, True, "check") if task < 6 else _row(task, 0, True, "check") for task in range(10)]
    assert "gives up after an error" not in _named(rows + [_tried(task, 1, False, "check") for task in range(10)])


def test_calling_again_in_vain_is_a_pattern() -> None:
    rows = [_tried(task, 0, True, "search", "check") for task in range(8)]
    found = _named(rows + [_tried(task, 1, False, "search!", "check") for task in range(8)])
    assert set(found) == {"retries in vain"}
    assert [found["retries in vain"][name] for name in ("failing_with", "passing_with", "tasks")] == [8, 0, 8]


def test_an_answer_that_was_already_on_its_way_is_no_success_of_a_retry() -> None:
    # Two calls at once, of which the first fails and the second answers; then one more, in vain.
    twice = [["tool_call", "search", 5, None, 0]] * 2
    answers = [["tool_output", "search", 9, None, 1], ["tool_output", "search", 9, None, 0]]
    steps = [*twice, *answers, ["tool_call", "search", 5, None, 0], ["tool_output", "search", 9, None, 1], ANSWER]
    rows = [_tried(task, 0, True, "search", "check") for task in range(8)]
    found = _named(rows + [_row(task, 1, False, "check", "check") | {"steps": steps} for task in range(8)])
    assert found["retries in vain"]["failing_with"] == 8


def test_ending_without_a_check_of_the_last_change_is_a_pattern() -> None:
    rows = [_row(task, 0, True, "edit", "shell", checked=True) for task in range(8)]
    rows += [_row(task, 1, False, "edit", "shell", checked=task == 0) for task in range(8)]
    [found] = _found([*rows, _row(8, 0, True, "edit"), _row(8, 1, False, "edit")])
    # seven of eight tasks differ, all in one direction: p = 2 of 2^7
    assert (found["pattern"], found["p"]) == ("ends unchecked", pytest.approx(2 / 2**7))
    assert found["sentence"] == (
        "Of the failing rollouts without another symptom that change files 7 of 8 run no test or other check after the "
        "last change, of such passing ones of the same 8 tasks 0 of 8."
    )


def test_stop_reasons_are_asked_of_all_rollouts_and_ordinary_ones_are_none() -> None:
    stops = {"incomplete_reason": "max_output_tokens", "response_status": "incomplete"}
    rows = [_row(task, 0, True, "search", response_status="completed") for task in range(8)]
    [found] = _found(rows + [_row(task, 1, False, "search", **stops) for task in range(8)])
    assert (found["pattern"], found["tool"], found["stop"]) == ("ends with", None, "max_output_tokens")
    assert found["sentence"] == (
        "Of the failing rollouts 8 of 8 end with `max_output_tokens`, of the passing ones of the same 8 tasks 0 of 8."
    )


@pytest.mark.parametrize(
    ("failing", "extra"),
    [
        (("search",), {}),
        (("search", "check!"), {}),
        (("search!", "check"), {}),
        (("search!", "search!", "check"), {}),
        (("search", "check"), {"checked": False}),
        (("search", "check"), {"incomplete_reason": "max_output_tokens"}),
    ],
)
def test_every_pattern_is_recounted_from_the_rows(failing: tuple[str, ...], extra: dict[str, Any]) -> None:
    told = {"checked": True, "response_status": "completed"}
    rows = [_row(task, 0, True, "search!", "search", "check", **told) for task in range(8)]
    samples, buckets, modes = _tables(rows + [_row(task, 1, False, *failing, **extra) for task in range(8)])
    document = patterns(samples, buckets, modes)
    assert document["patterns"]
    verifier = Verifier(Evidence("b", "r", samples, None, modes, buckets, {"trajectory_contrasts": document}))
    for row in document["patterns"]:
        text = f"## Sometimes-Pass Deep Dives\n\n- {row['sentence']}\n"
        assert verifier.report(text)["ok"]
        for name, right in (("failing_with", 8), ("passing_with", 0)):
            assert row[name] == right
            wrong = verifier.report(text.replace(f" {right} of 8", f" {right + 1} of 9"))
            assert {(str(right + 1), str(right)), ("9", "8")} <= {(f["text"], f["right"]) for f in wrong["figures"]}


def test_what_is_left_out_proposes_behaviour_and_not_knowledge() -> None:
    samples, buckets, modes = _tables(_pairs(8, ("search",)))
    found = patterns(samples, buckets, modes)["patterns"]
    without = root_causes(samples, buckets, modes, {}, Profile())
    with_patterns = root_causes(samples, buckets, modes, {}, Profile(), found)
    assert {entry["label"] for entry in without["labels"]} == {"UK"}
    assert {entry["label"] for entry in with_patterns["labels"]} == {"BI"}
    assert with_patterns["labels"][0]["note"] == "1 of 1 lost rollouts, reason: leaves out `check`."
    assert with_patterns["labels"][0]["confidence"] == "low"
