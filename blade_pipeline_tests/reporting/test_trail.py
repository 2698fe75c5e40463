"""A rollout's steps as names and counts."""

import json

from blade_pipeline.reporting.markdown import inline
from blade_pipeline.reporting.view.trail import segments, trail


def words(steps: list[list[object]]) -> str:
    return inline(trail(json.dumps(steps)))


def test_neighbouring_calls_are_counted_and_errors_belong_to_their_call() -> None:
    steps = [
        ["reasoning", None, 100, None, 0],
        ["tool_call", "search", 20, "completed", 0],
        ["tool_output", "search", 900, None, 0],
        ["tool_call", "search", 22, "completed", 0],
        ["tool_output", "search", 30, None, 1],
        ["tool_call", "edit", 40, "completed", 0],
        ["tool_output", "edit", 10, None, 0],
        ["message", "assistant", 80, "completed", 0],
    ]
    assert words(steps) == "`search` ×2 (1 error) → `edit` → message"


def test_outputs_of_parallel_calls_find_theirs() -> None:
    steps = [
        ["tool_call", "a", 1, None, 0],
        ["tool_call", "b", 1, None, 0],
        ["tool_output", "a", 1, None, 1],
        ["tool_output", "b", 1, None, 0],
    ]
    assert words(steps) == "`a` (1 error) → `b`"


def test_messages_of_others_are_named() -> None:
    assert words([["message", "user", 5, None, 0], ["message", "assistant", 5, None, 0]]) == "user message → message"


def test_a_long_trail_keeps_both_ends() -> None:
    steps: list[list[object]] = [["tool_call", f"t{n}", 1, None, 0] for n in range(20)]
    # 20 segments: the first nine, the last four, and 20 - 13 = 7 between them
    assert "`t8` → 7 further steps → `t16`" in words(steps)


def test_two_kinds_of_steps_that_take_turns_are_told_once() -> None:
    # A question, then four turns of a call and a message, of which two calls fail, then the last message.
    turn = [["tool_call", "run", 1, None, 0], ["tool_output", "run", 1, None, 0], ["message", "assistant", 5, None, 0]]
    broken = [turn[0], ["tool_output", "run", 1, None, 1], turn[2]]
    steps = [["message", "user", 9, None, 0], *turn, *broken, *broken, *turn, ["tool_call", "finish", 1, None, 0]]
    assert words(steps) == "user message → (`run` → message) ×4 (2 errors) → `finish`"
    assert words(steps[:7]) == "user message → `run` → message → `run` (1 error) → message"


def test_steps_inside_turns_count_as_steps() -> None:
    turns = [["tool_call", "a", 1, None, 0], ["tool_call", "b", 1, None, 0]] * 5
    steps: list[list[object]] = [["tool_call", f"t{n}", 1, None, 0] for n in range(9)]
    # Nine calls, ten in turns, five more: the turns and the first of the five are between both ends.
    assert "`t8` → 11 further steps → `t10`" in words(
        [*steps, *turns, *[["tool_call", f"t{n}", 1, None, 0] for n in range(9, 14)]]
    )


def test_left_out_steps_count() -> None:
    assert segments('[["omitted",null,120,null,0]]')[0].times == 120


def test_no_steps_is_said() -> None:
    assert inline(trail(None)) == "no steps on record"
    assert inline(trail('[["reasoning", null, 900, null, 0]]')) == "reasoning only"
