"""Passing against failing rollouts of the same task."""

from typing import Any

import pytest

from blade_pipeline.method.contrasts import MOST_SHOWN, contrasts
from blade_pipeline.method.side_by_side import side_by_side
from blade_pipeline_tests.builders import NO_MODES, aligned, buckets_of

CALL = ["tool_call", "search", 10, None, 0]
OUTPUT = ["tool_output", "search", 50, None, 0]
BROKEN = ["tool_output", "search", 50, None, 1]
ANSWER = ["message", "assistant", 20, "completed", 0]
THOUGHT = ["reasoning", None, 30, None, 0]
CHECK, CHECKED = ["tool_call", "check", 10, None, 0], ["tool_output", "check", 50, None, 0]
GUESS, GUESSED = ["tool_call", "guess", 10, None, 0], ["tool_output", "guess", 50, None, 0]


def _row(task: Any, repeat: int, passed: bool, steps: list[list[Any]], **extra: Any) -> dict[str, Any]:
    counts = {
        "output_items": len(steps),
        "tool_calls": sum(step[0] == "tool_call" for step in steps),
        "tool_errors": sum(step[4] for step in steps),
        "answer_length": 20,
        "response_digest": f"{task}-{repeat}",
        "answer_digest": f"a{task}-{repeat}",
    }
    return {"task": task, "repeat": repeat, "score": float(passed), "steps": steps, **counts, **extra}


def _contrasts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    samples = aligned(rows)
    return contrasts(samples, buckets_of(samples), NO_MODES)


@pytest.mark.parametrize(
    ("passing", "failing", "sentence", "step"),
    [
        (
            [CALL, OUTPUT, ANSWER],
            [ANSWER],
            "At step 1 the passing rollout calls the tool `search`, the first of 2 steps that the failing one leaves "
            "out; then both write a message.",
            1,
        ),
        (
            # aligned, the failing one only thinks once more; step by step, every later step would be another
            [CALL, OUTPUT, CALL, OUTPUT, ANSWER],
            [CALL, OUTPUT, THOUGHT, CALL, OUTPUT, ANSWER],
            "At step 3 the failing rollout reasons, a step that the passing one leaves out; then both call the tool "
            "`search`.",
            3,
        ),
        (
            [CALL, OUTPUT, CHECK, CHECKED, ANSWER],
            [CALL, OUTPUT, GUESS, GUESSED, ANSWER],
            "At step 3 the passing rollout calls the tool `check`, the failing one calls the tool `guess`.",
            3,
        ),
        (
            [CHECK, CHECKED],
            [GUESS, GUESSED, GUESS],
            "At step 1 the passing rollout calls the tool `check`, the failing one calls the tool `guess`.",
            1,
        ),
        (
            # what comes first is told: the missing check, not the error that only one of them meets later
            [CALL, OUTPUT, CHECK, CHECKED, CALL, OUTPUT, ANSWER],
            [CALL, OUTPUT, CALL, BROKEN, ANSWER],
            "At step 3 the passing rollout calls the tool `check`, the first of 2 steps that the failing one leaves "
            "out; then both call the tool `search`.",
            3,
        ),
        (
            [CALL, OUTPUT, ANSWER],
            [CALL, BROKEN, ANSWER],
            "At step 2 both get the output of the tool `search`; only in the failing rollout does it look like an "
            "error.",
            2,
        ),
        (
            [CALL, OUTPUT, CALL, OUTPUT, ANSWER],
            [CALL, OUTPUT],
            "Both take the same first 2 steps; then the failing rollout ends and the passing one calls the tool "
            "`search` (3 more steps).",
            3,
        ),
        (
            [CALL, OUTPUT, ANSWER],
            [CALL, OUTPUT, ["message", "assistant", 33, "completed", 0]],
            "Both take the same 3 steps (kinds and tools); step 3 holds 20 characters when passing and 33 when "
            "failing.",
            3,
        ),
        ([ANSWER], [ANSWER], "Both take the same single step of the same sizes; only their text differs.", None),
    ],
)
def test_the_first_difference(
    passing: list[list[Any]], failing: list[list[Any]], sentence: str, step: int | None
) -> None:
    found = _contrasts([_row(0, 0, True, passing), _row(0, 1, False, failing)])["contrasts"][0]
    assert (found["first_difference"], found["step"]) == (sentence, step)


def test_one_output_scored_both_ways_is_named() -> None:
    same = {"response_digest": "d", "answer_length": 200}
    document = _contrasts([_row(0, 0, True, [ANSWER], **same), _row(0, 1, False, [ANSWER], **same)])
    assert document["same_output"] == [{"agent": "agent", "stage": 0, "task": "0", "passing": "0-0", "failing": "0-1"}]
    assert "identical" in document["contrasts"][0]["first_difference"]


def test_a_short_equal_answer_may_hide_different_work() -> None:
    same = {"response_digest": "d", "answer_length": 2}
    assert _contrasts([_row(0, 0, True, [ANSWER], **same), _row(0, 1, False, [ANSWER], **same)])["same_output"] == []


def test_the_pair_closest_in_length_is_shown() -> None:
    rows = [
        _row(0, 0, True, [ANSWER]),
        _row(0, 1, False, [CALL, OUTPUT] * 4),
        _row(0, 2, True, [CALL, OUTPUT] * 3),
        _row(0, 3, False, [CALL, OUTPUT] * 9),
    ]
    found = _contrasts(rows)["contrasts"][0]
    assert (found["passing"]["repeat"], found["failing"]["repeat"]) == ("2", "1")
    assert found["passing"] == {"rollout": "0-2", "repeat": "2", "file": "rollouts.jsonl", "line": 3}
    features = {feature["name"]: (feature["passing"], feature["failing"]) for feature in found["features"]}
    assert features["steps"] == (6, 8)
    assert features["tool calls"] == (3, 4)
    assert features["stop reason"] == ("not recorded", "not recorded")


def test_of_very_many_repeats_the_first_two_hundred_of_each_kind_are_paired() -> None:
    # all pairs of ten thousand repeats took 6 GB; here the 201st passing rollout would be the closest
    rows = [_row(0, 0, False, [CALL, OUTPUT, ANSWER])]
    rows += [_row(0, repeat, True, [ANSWER]) for repeat in range(1, 201)]
    rows += [_row(0, 201, True, [CALL, OUTPUT, ANSWER])]
    samples = aligned(rows)
    [shown] = contrasts(samples, buckets_of(samples), NO_MODES)["contrasts"]
    [opened] = side_by_side(samples, buckets_of(samples))
    assert [pair["passing"]["repeat"] for pair in (shown, opened)] == ["1", "1"]


def test_every_task_weighs_the_same_in_the_averages() -> None:
    # Task 0: passing mean 10, failing mean (20 + 40) / 2 = 30: difference -20. Task 1: 50 - 10 = 40.
    # Mean (-20 + 40) / 2 = 10; sd over tasks = 60 / sqrt(2), standard error 30. Signs: both |sums| 20 or 60 of 4.
    def tokens(task: int, repeat: int, passed: bool, count: int) -> dict[str, Any]:
        return _row(task, repeat, passed, [ANSWER], output_tokens=count)

    rows = [tokens(0, 0, True, 10), tokens(0, 1, False, 20), tokens(0, 2, False, 40)]
    rows += [tokens(1, 0, True, 50), tokens(1, 1, False, 10)]
    found = next(row for row in _contrasts(rows)["stratified"] if row["feature"] == "output tokens")
    assert (found["passing"], found["failing"], found["difference"], found["tasks"]) == (30, 20, 10, 2)
    assert found["standard_error"] == pytest.approx(30)
    assert found["p"] == pytest.approx(1.0)


def test_every_feature_of_six_tasks_is_corrected_for_all_of_them() -> None:
    # Six tasks. Tokens: +1 in each, p = 2 of 2^6 = 1/32. Answers: +1, -1, 0, 0, 0, 0, so every sign vector reaches the
    # sum 0: p = 1. Benjamini-Hochberg over these two: 2/32 and 1. Two tasks have turns, too few to correct for.
    def row(task: int, repeat: int) -> dict[str, Any]:
        answer = 20 + (repeat == 0) * {0: 1, 1: -1}.get(task, 0)
        turns = {"numbers": {"num_turns": 3 + repeat}} if task < 2 else {}
        return _row(task, repeat, repeat == 0, [ANSWER], output_tokens=10 - repeat) | {"answer_length": answer} | turns

    found = _contrasts([row(task, repeat) for task in range(6) for repeat in range(2)])["stratified"]
    assert {entry["feature"]: entry["q"] for entry in found} == {
        "output tokens": pytest.approx(2 / 32),
        "answer characters": 1.0,
        "num turns": None,
    }


def test_tools_are_counted_by_name_and_null_features_left_out() -> None:
    rows = [_row(0, 0, True, [CALL, OUTPUT, CALL, OUTPUT, ANSWER]), _row(0, 1, False, [ANSWER])]
    found = {row["feature"]: row["difference"] for row in _contrasts(rows)["stratified"]}
    assert found["calls of search"] == 2
    assert found["tool calls"] == 2
    assert "output tokens" not in found
    assert "answer characters" not in found  # equal everywhere


def test_process_numbers_of_the_verifier_are_features_and_its_scores_are_not() -> None:
    rows = [
        _row(0, 0, True, [ANSWER], numbers={"num_turns": 3, "judge_score": 1}),
        _row(0, 1, False, [ANSWER], numbers={"num_turns": 8, "judge_score": 0}),
    ]
    assert {row["feature"]: row["difference"] for row in _contrasts(rows)["stratified"]} == {"num turns": -5}


def test_only_the_first_pairs_are_shown_and_all_tasks_are_counted() -> None:
    rows = [_row(task, repeat, repeat == 0, [ANSWER]) for task in range(MOST_SHOWN + 5) for repeat in range(2)]
    document = _contrasts(rows)
    assert (document["tasks"], document["shown"], len(document["contrasts"])) == (25, 20, 20)
    assert document["contrasts"][0]["task"] == "0"


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([], "no task has two measured rollouts"),
        ([{"task": 0, "score": 1.0}], "no task has two measured rollouts"),
        ([{"task": 0, "outcome": "masked"}] * 1, "no task has two measured rollouts"),
        ([{"task": 0, "score": 1.0}, {"task": 0, "repeat": 1, "score": 1.0}], "No task passes sometimes"),
        ([{"task": 0, "score": 1.0}, {"task": 0, "repeat": 1, "score": 0.0}], "no rollout of a sometimes-pass task"),
    ],
)
def test_the_note_says_why_there_is_nothing_to_compare(rows: list[dict[str, Any]], note: str) -> None:
    document = _contrasts(rows)
    assert note in document["note"]


def test_rollouts_without_trajectories_are_still_paired() -> None:
    document = _contrasts([{"task": 0, "score": 1.0}, {"task": 0, "repeat": 1, "score": 0.0}])
    assert document["contrasts"][0]["first_difference"] == "No trajectory is recorded for either rollout."
