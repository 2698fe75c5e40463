import json
from typing import Any

import pytest

from blade_pipeline.gym.toolerrors import looks_like_error
from blade_pipeline.gym.trajectory import Trajectory, trajectory


def steps_of(output: Any, **row: Any) -> tuple[Trajectory, list[Any]]:
    found = trajectory(row, {"output": output})
    return found, json.loads(found.steps) if found.steps else []


def text(role: str, content: str) -> dict[str, Any]:
    return {
        "type": "message",
        "role": role,
        "status": "completed",
        "content": [{"type": "output_text", "text": content}],
    }


CALL = {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"cmd":"ls"}', "status": "completed"}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "Error: no such file", "status": None}
REASONING = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hmm"}], "content": None}


def test_items_become_steps_in_order() -> None:
    found, steps = steps_of([REASONING, CALL, RESULT, text("assistant", "done")])
    assert steps == [
        ["reasoning", None, 3, None, 0],
        ["tool_call", "bash", 12, "completed", 0],
        ["tool_output", "bash", 19, None, 1],
        ["message", "assistant", 4, "completed", 0],
    ]
    assert (found.items, found.tool_calls, found.tool_errors, found.answer_length) == (4, 1, 1, 4)


def test_chat_messages_with_tool_calls_read_the_same() -> None:
    call = {"id": "c1", "function": {"name": "bash", "arguments": '{"cmd":"ls"}'}}
    chat = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "fine"},
        {"role": "assistant", "content": "done"},
    ]
    found, steps = steps_of(chat)
    assert [step[:2] for step in steps] == [["tool_call", "bash"], ["tool_output", "bash"], ["message", "assistant"]]
    assert (found.tool_calls, found.tool_errors, found.answer_length) == (1, 0, 4)


def test_of_cumulative_lists_the_last_is_the_whole_trajectory() -> None:
    first, second = [text("user", "q"), CALL], [text("user", "q"), CALL, RESULT, text("assistant", "a")]
    assert steps_of([first, second])[0].items == 4
    assert steps_of([first, [text("assistant", "a")]])[0].items == 3


def test_the_answer_is_the_last_assistant_message() -> None:
    found, _ = steps_of([text("assistant", "first"), text("assistant", "last one"), text("user", "thanks")])
    assert found.answer_length == 8
    assert found.answer_digest == steps_of([text("assistant", "last one")])[0].answer_digest


def test_ids_and_times_do_not_tell_two_trajectories_apart_but_texts_do() -> None:
    same = steps_of([{**CALL, "id": "x"}, RESULT])[0].response_digest
    assert steps_of([{**CALL, "id": "y", "call_id": "c1"}, RESULT])[0].response_digest == same
    assert steps_of([{**CALL, "arguments": "{}"}, RESULT])[0].response_digest != same


@pytest.mark.parametrize("output", [None, 7])
def test_without_an_output_counts_are_unknown(output: Any) -> None:
    found, steps = steps_of(output)
    assert steps == []
    assert set(found[:-1]) == {None}
    assert found.open_errors == []


def test_an_empty_output_is_no_activity_and_an_empty_answer() -> None:
    found, steps = steps_of([])
    assert steps == []
    assert found == Trajectory(0, 0, 0, 0, 0, 0, 0, 0, None, False, None, None, 0, None, "[]", [])


def test_a_plain_string_is_an_answer() -> None:
    assert steps_of("yes")[1] == [["message", "assistant", 3, None, 0]]


def test_a_recorded_trajectory_stands_in_for_a_missing_output() -> None:
    recorded = {
        "turns": [{"content": "hello"}, {"content": None}],
        "tool_calls": [{"name": "bash", "status": "failed"}, {"name": "bash", "status": "completed"}],
    }
    found, steps = steps_of(None, ng_trajectory=recorded)
    assert [step[0] for step in steps] == ["message", "message", "tool_call", "tool_call"]
    assert (found.items, found.tool_calls, found.tool_errors, found.answer_length) == (4, 2, 1, None)


def test_what_tools_said_in_a_recorded_trajectory_is_searched_like_any_output() -> None:
    """The disk is full at the end; a missing file was got over; a final error of a service stands for an answer."""
    calls = [
        {"name": "bash", "arguments": "cat in.csv", "error": "cat: in.csv: No such file or directory"},
        {"name": "bash", "arguments": "cat in2.csv", "output": "a,b"},
        {"tool_name": "bash", "arguments": "python fit.py", "status": "failed", "output": "No space left on device"},
    ]
    turns = [{"role": "user", "content": "Fit it."}, {"role": "assistant", "content": "Error: 429 Too Many Requests"}]
    found, _ = steps_of(None, ng_trajectory={"turns": turns, "tool_calls": calls})
    assert (found.tool_calls, found.tool_errors) == (3, 2)
    assert found.open_errors == [
        ["environment_error", "No space left on device"],
        ["met_error", "cat: in.csv: No such file or directory"],
        ["environment_answer", "Error: 429 Too Many Requests"],
    ]


def test_long_trajectories_keep_their_beginning_and_end() -> None:
    # 1000 steps: 300 first, 1 mark for the 601 left out, 99 last; 300 + 601 + 99 = 1000
    found, steps = steps_of([text("assistant", "x" * n) for n in range(1000)])
    assert len(steps) == 400
    assert steps[299][2] == 299
    assert steps[300] == ["omitted", None, 601, None, 0]
    assert steps[301][2] == 901
    assert found.items == 1000


@pytest.mark.parametrize(
    "output",
    [
        "Error: no such file",
        "  error executing tool",
        "ValueError: bad",
        "Traceback (most recent call last):\n  File",
        "Proof.lean:12:3: error: unsolved goals",
        "src/main.c:4: fatal error: gmp.h: No such file or directory",
        "ran\nTraceback (most recent call last):\n",
        "bash: foo: command not found",
        "x" * 1000 + "\nexit code: 1",
        '{"returncode": 2, "stdout": ""}',
        '{"returncode": 1, "stdout": "2 tests failed"}',
        "<returncode>1</returncode>\n<output>\nno such table\n</output>",
        "exit code: 127",
        '{"error": "nope"}',
        '{"detail":"Not Found"}',
        '{"success": false, "result": null}',
        '{"result": "x", "is_error": true}',
        "Timed out after 30 s",
        "failed to open",
    ],
)
def test_outputs_that_are_errors(output: str) -> None:
    assert looks_like_error(output)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "no errors found",
        "The error bars are small.",
        '{"error": null, "result": 4}',
        '{"error": "", "result": 4}',
        '{"success": true}',
        "exit code: 0",
        "exit code: 1",
        "<returncode>1</returncode>\n<output>\n0</output>",
        '{"returncode": 1, "stdout": ""}',
        "returns 10 rows",
        "Errors.md\nREADME.md",
        "timely result",
        '{"is_error": false}',
    ],
)
def test_outputs_that_are_not(output: str) -> None:
    assert not looks_like_error(output)


@pytest.mark.parametrize(
    "text",
    [
        "Invalid argument: fare must be str",
        "missing required parameter 'day'",
        "Permission denied",
        "HTTP 404 Not Found",
        '{"status": "error", "detail": "x"}',
        '{"code": 422, "errors": []}',
        "Unknown tool search_all",
        "Request was rejected: too many fields",
    ],
)
def test_an_output_that_refuses_the_call_is_an_error(text: str) -> None:
    assert looks_like_error(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "ok", "errors": []}',
        '{"code": 200}',
        "Unknown species were found in 1912",
        "404 crowns",
        "400 ms later it ended",
        "Missing persons: none",
        "Access to the park is free",
    ],
)
def test_an_output_about_something_else_is_none(text: str) -> None:
    assert not looks_like_error(text)
