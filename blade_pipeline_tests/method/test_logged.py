"""Failure modes of long logs, and examples that set the expected answer against the extracted one."""

import json
from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned

ANSWERED = {"output_items": 1, "answer_length": 20, "tool_calls": 0, "tool_errors": 0, "total_tokens": 50}
Row = dict[str, Any]


def _row(task: int, score: float, *lines: list[str], **extra: Any) -> Row:
    logged = {"error_lines": json.dumps(lines)} if lines else {}
    return {"task": task, "score": score, **ANSWERED, **logged, **extra}


def _counts(rows: list[Row]) -> dict[str, int]:
    _, document = failure_modes(aligned(rows), Profile())
    return {mode["code"]: mode["count"] for mode in document["modes"]}


def _evidence(rows: list[Row]) -> dict[str, list[str]]:
    _, document = failure_modes(aligned(rows), Profile())
    return {mode["code"]: [shown["evidence"] for shown in mode["examples"]] for mode in document["modes"]}


def test_equal_lines_of_logs_are_ranked_modes() -> None:
    rows = [_row(n, 1.0) for n in range(6)]
    rows += [_row(10 + n, 0.0, ["sim_log", f"error: port {n} not found in 'adder{n}'"]) for n in range(4)]
    rows += [_row(20 + n, 0.0, ["sim_log", f"AssertionError: carry {n} is lost"], ["sim_log", "x"]) for n in range(3)]
    rows += [_row(30, 0.0, ["sim_log", "KeyError: 'bus'"]), _row(31, 0.0)]

    assert _counts(rows) == {
        "sim_log:error_port_n_not_found_in_text": 4,
        "sim_log:assertionerror_carry_n_is_lost": 3,
        "wrong_answer": 2,
    }


def test_a_line_that_passed_rollouts_log_as_often_is_no_mode() -> None:
    noise = ["sim_log", "error: licence server answered late"]
    rows = [_row(n, float(n < 10), noise) for n in range(20)]

    assert _counts(rows) == {"wrong_answer": 10}


def test_a_line_of_a_few_passed_rollouts_is_a_mode_only_beyond_luck() -> None:
    """3 of 10 against 1 of 20 is within luck (p = 0.095), 9 of 10 against 1 of 20 beyond it (p < 0.0001)."""
    line = ["sim_log", "error: latch inferred for output"]
    passed = [_row(n, 1.0, *([line] if n == 0 else [])) for n in range(20)]

    few = [_row(30 + n, 0.0, *([line] if n < 3 else [])) for n in range(10)]
    many = [_row(30 + n, 0.0, *([line] if n < 9 else [])) for n in range(10)]

    assert _counts(passed + few) == {"wrong_answer": 10}
    assert _counts(passed + many) == {"sim_log:error_latch_inferred_for_output": 9, "wrong_answer": 1}


def test_errors_of_one_class_whose_words_all_differ_are_one_mode() -> None:
    words = ("carry lost", "reset ignored", "clock skipped")
    rows = [_row(n, 0.0, ["sim_log", f"AssertionError: {said}"]) for n, said in enumerate(words)]

    assert _evidence([*rows, _row(9, 1.0)]) == {
        "sim_log:assertionerror_each_time_in_other_words": [f"sim_log: AssertionError: {said}" for said in words]
    }


@pytest.mark.parametrize("line", ["AssertionError: assert 4 == 5", "AssertionError", "ERROR: 3 failed, 1 passed"])
def test_a_line_that_says_no_more_than_the_verdict_is_no_mode(line: str) -> None:
    rows = [_row(n, 0.0, ["sim_log", line]) for n in range(3)]

    assert _counts([*rows, _row(9, 1.0)]) == {"wrong_answer": 3}


def test_a_message_that_the_verifier_says_itself_comes_before_its_log() -> None:
    rows = [_row(n, 0.0, ["sim_log", "error: no port"], verifier={"reason": "does not elaborate"}) for n in range(2)]

    assert _counts([*rows, _row(9, 1.0)]) == {"reason:does_not_elaborate": 2}


def test_an_example_shows_what_was_expected_and_what_was_extracted() -> None:
    answers = {"expected_answer": "\\frac{1}{2}", "extracted_answer": "a" * 100, "answer": "B"}
    rows = [_row(0, 1.0), _row(1, 0.0, verifier=answers), _row(2, 0.0, ["eval_log", "KeyError: bus"]), _row(3, 0.0)]

    assert _evidence(rows)["wrong_answer"] == [
        "score=0.0, expected_answer=\\frac{1}{2}, extracted_answer=" + "a" * 60 + "…",
        "score=0.0, eval_log: KeyError: bus",
        "score=0.0",
    ]


def test_without_an_expected_answer_an_example_shows_what_the_verifier_said_or_found() -> None:
    said = {"status": "error", "details": {"reason": "syntax_error", "message": "invalid character in line 1"}}
    rows = [_row(0, 1.0), _row(1, 0.0, verifier=said), _row(2, 0.0, verifier={"parsed_option": "\\text{B"})]

    assert _evidence(rows)["wrong_answer"] == [
        "score=0.0, details_reason=syntax_error, details_message=invalid character in line 1",
        "score=0.0, parsed_option=\\text{B",
    ]


def test_no_answer_and_no_line_of_a_log_gives_a_secret_away() -> None:
    secret = "nvapi-Zx81kQwErTyUiOp00112233"
    told = ["eval_log", f"ConnectError: {secret} refused by 10.0.0.7 for /home/eve/run"]
    rows = [_row(n, 0.0, told, verifier={"expected_answer": secret, "extracted_answer": "10.0.0.7"}) for n in range(2)]
    rows += [_row(n, 0.0, told) for n in range(2, 4)]

    _, document = failure_modes(aligned(rows), Profile())

    assert not [private for private in (secret, "10.0.0", "/home/eve") if private in str(document)]


def test_an_error_of_a_tool_is_a_mode_only_beyond_chance() -> None:
    """6 of 12 failed against 0 of 12 passed rollouts has p = 0.007, 9 of 12 has p = 0.0002."""
    full = ["tool_error", "OSError: [Errno 28] No space left on device: '/out/part-7'"]
    passed = [_row(n, 1.0) for n in range(12)]

    few = [_row(20 + n, 0.0, *([full] if n < 6 else [])) for n in range(12)]
    many = [_row(20 + n, 0.0, *([full] if n < 9 else [])) for n in range(12)]

    assert _counts(passed + few) == {"wrong_answer": 12}
    assert _counts(passed + many) == {
        "tool_error:oserror_errno_n_no_space_left_on_device_text": 9,
        "wrong_answer": 3,
    }
    _, document = failure_modes(aligned(passed + many), Profile())
    assert {example["excerpt_kind"] for example in document["modes"][0]["examples"]} == {"tool output"}


def test_an_error_that_was_got_over_is_a_mode_where_having_met_it_goes_with_failing_inside_tasks() -> None:
    """12 of 24 failed against 0 of 24 passed rollouts met it.

    Spread over 12 tasks of two passed and two failed rollouts, one of these with the error, that is chance in 1 of 2^12
    cases. Where the failed ones are whole tasks, the error may be one of hard tasks and says nothing.
    """
    lacks = ["met_error", "ModuleNotFoundError: No module named 'scipy'"]
    within = [_row(n, float(k < 2), *([lacks] if k == 3 else []), repeat=k) for n in range(12) for k in range(4)]
    whole = [
        _row(n, float(n < 6), *([lacks] if n >= 6 and k > 1 else []), repeat=k) for n in range(12) for k in range(4)
    ]

    assert _counts(within) == {"met_error:modulenotfounderror_no_module_named_text": 12, "wrong_answer": 12}
    assert _counts(whole) == {"wrong_answer": 24}
    table, document = failure_modes(aligned(within), Profile())
    assert set(table["root_cause"].to_pylist()) == {None}, "what goes with failing is no cause yet"
    assert {example["excerpt_kind"] for example in document["modes"][0]["examples"]} == {"tool output"}


def test_a_text_that_describes_tasks_is_no_message() -> None:
    """`kind` is the same in passed and failed rollouts of task 0; `reason` differs there, so it speaks of rollouts."""
    told = [{"kind": "gas", "reason": "far off"}, {"kind": "gas", "reason": "near enough"}]
    rows = [_row(0, float(k), repeat=k, verifier=told[k]) for k in range(2)]
    lost = {"kind": "titration curve", "reason": "far off"}
    rows += [_row(n, 0.0, repeat=k, verifier=lost) for n in range(1, 6) for k in range(2)]

    assert _counts(rows) == {"reason:far_off": 11}


def test_an_answer_in_the_text_that_was_not_extracted_is_no_missing_answer() -> None:
    filled = {"verifier": {"parsed_option": "A"}}
    empty = {"verifier": {"parsed_option": None}}
    rows = [_row(n, 1.0, states_expected=False, **filled) for n in range(6)]
    rows += [_row(10, 0.0, states_expected=False, **empty), _row(11, 0.0, **empty)]

    assert _counts(rows) == {"unread_answer": 1, "no_answer": 1}


def test_a_right_answer_that_was_not_extracted_is_rejected_where_the_text_tells_right_from_wrong() -> None:
    filled = {"verifier": {"parsed_option": "A"}}
    empty = {"verifier": {"parsed_option": None}}
    passed = [_row(n, 1.0, states_expected=True, **filled) for n in range(6)]
    wrong = [_row(20 + n, 0.0, states_expected=False, **filled) for n in range(3)]
    lost = [_row(10, 0.0, states_expected=True, **empty)]

    assert _counts([*passed, *wrong, *lost]) == {"wrong_answer": 3, "right_answer_rejected": 1}
    assert _evidence([*passed, *wrong, *lost])["right_answer_rejected"] == ["the final text states the expected answer"]


def test_a_stated_answer_proves_nothing_where_failing_rollouts_state_it_as_often() -> None:
    rows = [_row(n, float(n < 6), states_expected=True) for n in range(12)]

    assert _counts(rows) == {"wrong_answer": 6}


def test_a_verdict_that_a_judge_always_leaves_is_missed() -> None:
    judged = [_row(n, 1.0, verifier={"judge_rating": 2}) for n in range(6)]
    wrong = [_row(20 + n, 0.0, verifier={"judge_rating": 0}) for n in range(2)]
    lost = [_row(30 + n, 0.0, verifier={"judge_rating": None}) for n in range(3)]

    assert _evidence([*judged, *wrong, *lost])["verifier_failed"] == ["judge_rating is empty"] * 3
    assert _counts([*judged, _row(9, 1.0, verifier={"judge_rating": None}), *wrong, *lost]) == {"wrong_answer": 5}
