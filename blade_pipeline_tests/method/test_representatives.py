"""Which rollouts stand for those that never pass, and what is told of them."""

from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.key_events import FIRST, LAST, key_events
from blade_pipeline.method.representatives import COMPARED, MOST_GROUPS, in_turn, representatives
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

ASK, ANSWERED = ["tool_call", "ask", 10, None, 0], ["tool_output", "ask", 50, None, 0]
LOOK, BROKEN = ["tool_call", "look", 9, None, 0], ["tool_output", "look", 30, None, 1]
USER = ["message", "user", 5, None, 0]
THINK, SAY = ["reasoning", None, 80, None, 0], ["message", "assistant", 20, "completed", 0]

LONG = [ASK, ANSWERED, SAY]


def _found(rows: list[dict[str, Any]]) -> dict[str, Any]:
    table = aligned([{"score": 0.0, "output_items": 1, "answer_length": 9, **row} for row in rows])
    return representatives(table, buckets_of(table), failure_modes(table, Profile())[0])


def _task(task: int, *steps: list[list[Any]], **extra: Any) -> list[dict[str, Any]]:
    return [{"task": task, "repeat": number, "steps": found, **extra} for number, found in enumerate(steps)]


def _roles(group: dict[str, Any]) -> dict[str, list[str]]:
    return {shown["rollout"]: shown["roles"] for shown in group["shown"]}


def test_the_medoid_is_most_like_the_others_and_both_ends_stand_beside_it() -> None:
    # As kinds in order: 0-0 asks and says, 0-1 and 0-2 ask, look in vain and say, 0-3 only looks, four times.
    # 2 x matching / all: (0-0, 0-1) = 2 x 3 / 8; (0-0, 0-3) = 0; (0-1, 0-3) = 2 x 2 / 13; 0-1 and 0-2 are the same.
    asked, both = [ASK, ANSWERED, SAY], [ASK, ANSWERED, LOOK, BROKEN, SAY]
    group = _found(_task(0, asked, both, both, [LOOK, BROKEN] * 4))["groups"][0]
    assert _roles(group) == {"0-1": ["typical"], "0-0": ["shortest"], "0-3": ["longest"]}
    assert group["likeness"] == pytest.approx((2 * 3 / 8 + 1 + 2 * 2 / 13) / 3)
    assert (group["task"], group["mode"], group["rollouts"], group["compared"]) == ("0", None, 4, 4)


def test_of_rollouts_alike_the_one_of_median_length_is_typical() -> None:
    rows = [row | {"output_tokens": size} for row, size in zip(_task(0, LONG, LONG, LONG), (9, 100, 50), strict=True)]
    assert _roles(_found(rows)["groups"][0]) == {"0-2": ["typical"], "0-0": ["shortest"], "0-1": ["longest"]}


def test_thinking_and_repetition_make_no_difference_of_kind() -> None:
    group = _found(_task(0, [ASK, ANSWERED, SAY], [THINK, ASK, ASK, THINK, ANSWERED, SAY]))["groups"][0]
    assert group["likeness"] == 1.0


def test_tasks_that_pass_once_or_hold_no_steps_have_no_representative() -> None:
    rows = [*_task(0, LONG, LONG), {"task": 1, "steps": [], "repeat": 0}, {"task": 1, "steps": [], "repeat": 1}]
    rows[1]["score"] = 1.0
    assert _found(rows)["groups"] == []


def test_a_task_whose_repeats_are_not_all_measured_comes_after_those_that_never_pass() -> None:
    rows = [*_task(0, LONG), {"task": 0, "repeat": 1, "outcome": "missing", "score": None}, *_task(1, LONG, LONG)]
    assert [group["task"] for group in _found(rows)["groups"]] == ["1", "0"]


def test_where_each_task_ran_once_the_groups_are_failure_modes() -> None:
    cut = {"incomplete_reason": "max_output_tokens"}
    rows = [*_task(0, LONG), *_task(1, LONG, **cut), *_task(2, [ASK, ANSWERED], **cut)]
    found = _found(rows)["groups"]
    assert [(group["mode"], group["rollouts"], group["task"]) for group in found] == [
        ("output_limit", 2, None),
        ("wrong_answer", 1, None),
    ]
    assert found[1]["shown"][0]["roles"] == ["typical", "shortest", "longest"]


def test_what_is_compared_and_told_is_capped() -> None:
    rows = [row for task in range(MOST_GROUPS + 1) for row in _task(task, *[LONG] * (COMPARED + 1))]
    found = _found(rows)
    assert len(found["groups"]) == MOST_GROUPS
    assert {(group["rollouts"], group["compared"]) for group in found["groups"]} == {(COMPARED + 1, COMPARED)}


def test_modes_come_in_turn_the_most_frequent_first() -> None:
    assert in_turn(["a", "b", "b", "a", "b"]) == [1, 0, 2, 3, 4]


def test_rollouts_of_one_step_have_nothing_to_tell() -> None:
    assert _found(_task(0, [SAY], [THINK, SAY], [USER, SAY]))["groups"] == []


@pytest.mark.parametrize(
    ("steps", "stop", "events"),
    [
        (
            [THINK, ASK, ANSWERED, SAY],
            "completed",
            ["step 2 calls `ask`", "step 4, the last, is a message of 20 characters"],
        ),
        (
            [LOOK, BROKEN, LOOK, BROKEN, ASK, ANSWERED],
            None,
            [
                "step 1 calls `look`",
                "step 2, the output of `look`, looks like an error and is followed by a call of `look` again",
                "step 4, the output of `look`, looks like an error and is followed by a call of `ask`",
                "step 5 calls `ask`",
                "step 6, the last, is the output of `ask`, with no answer after it",
            ],
        ),
        (
            [LOOK, BROKEN],
            "incomplete",
            [
                "step 1 calls `look`",
                "step 2, the last, the output of `look`, looks like an error",
                "the response ends as `incomplete`",
            ],
        ),
        (
            [ASK, ANSWERED] * 3 + [LOOK],
            None,
            [
                "step 1 calls `ask` 3 times with no other tool in between",
                "step 7, the last, calls `look` and has no output on record",
            ],
        ),
        (
            [USER, SAY, USER, SAY, USER, ASK, ANSWERED, USER, ["message", "assistant", 0, None, 0]],
            None,
            [
                "step 3 is a user message and 1 more up to step 5",
                "step 6 calls `ask`",
                "step 8 is a user message",
                "step 9, the last, is a message without text",
            ],
        ),
        (
            [SAY, ["omitted", None, 120, None, 0], SAY],
            None,
            ["120 steps are not on record", "step 3, the last, is a message of 20 characters"],
        ),
        ([THINK], None, []),
    ],
)  # fmt: skip
def test_key_events_are_told_in_time_order(steps: list[Any], stop: str | None, events: list[str]) -> None:
    assert key_events(steps, stop) == events


def test_of_many_events_the_middle_is_counted() -> None:
    steps = [["tool_call", f"tool {number}", 1, None, 0] for number in range(20)]
    events = key_events(steps, None)
    assert len(events) == FIRST + 1 + LAST
    assert events[FIRST] == "9 further events"  # twenty calls, of which 7 and 4 are told
    assert events[-2:] == ["step 19 calls `tool 18`", "step 20, the last, calls `tool 19` and has no output on record"]
