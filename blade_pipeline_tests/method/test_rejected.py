"""Failed rollouts whose answer on record is right."""

from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.remedies import remedy
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned

Row = tuple[int, float, dict[str, Any]]


def _table(*rows: Row) -> pa.Table:
    """The failed rows with their modes; a row is its task, its score and its verifier fields."""
    filled = [
        {"task": task, "repeat": n, "score": score, "verifier": verifier, "output_items": 1, "answer_length": 9}
        for n, (task, score, verifier) in enumerate(rows)
    ]
    return failure_modes(aligned(filled), Profile())[0]


def _modes(*rows: Row) -> list[str]:
    modes: list[str] = _table(*rows)["mode"].to_pylist()
    return modes


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1,240", "1240"),
        ("1240.00", 1240),
        ("**1240**", "1240"),
        ("1240 crowns", "1240"),
        ("$-3.5$", "-3.50"),
        ("1,234,567", "1234567"),
        (" Paris. ", "paris"),
        ("(B)", "b"),
        ("March 3, 1898", "1898-03-03"),
        ("3rd March 1898.", "1898-03-03"),
        ("1898-03-03", "03.03.1898"),
    ],
)
def test_another_notation_of_the_expected_answer_is_right(written: str, expected: Any) -> None:
    assert _modes((0, 0.0, {"extracted_answer": written, "expected_answer": expected})) == ["right_answer_rejected"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1241", "1240"),
        ("12 or 40", "1240"),
        ("-1240", "1240"),
        ("1240 or 1241", "1240"),
        ("124.0", "1240"),
        ("paris, texas", "paris"),
        ("March 4, 1898", "1898-03-03"),
        ("3 December 1898", "12/03/1898"),
        ("", ""),
    ],
)
def test_another_answer_is_wrong(written: str, expected: Any) -> None:
    assert "right_answer_rejected" not in _modes((0, 0.0, {"extracted_answer": written, "expected_answer": expected}))


def test_an_answer_that_passed_in_another_repeat_is_right_and_in_another_task_it_is_not() -> None:
    rows = [(0, 1.0, {"extracted_answer": "7"}), (0, 0.0, {"extracted_answer": "7.0"})]
    assert _modes(*rows, (1, 0.0, {"extracted_answer": "7"})) == ["right_answer_rejected", "wrong_answer"]


def test_an_answer_that_passed_says_nothing_where_passed_repeats_word_it_freely() -> None:
    """Of six passed repeats in tasks with several, four share their answer with another one: 0.67 of 0.8."""
    said = ["done", "done", "found it", "finished", "ready", "ready"]
    passed = [(n // 3, 1.0, {"final_answer": text}) for n, text in enumerate(said)]
    assert _modes(*passed, (0, 0.0, {"final_answer": "done"})) == ["wrong_answer"]
    agreed = [(task, score, answer | {"final_answer": "done"}) for task, score, answer in passed]
    assert _modes(*agreed, (0, 0.0, {"final_answer": "Done."})) == ["right_answer_rejected"]


def test_a_verdict_is_believed_where_it_tells_passing_from_failing() -> None:
    passed = [(n, 1.0, {"judge_verdict": "correct"}) for n in range(4)]
    failed = [(n, 0.0, {"judge_verdict": "incorrect"}) for n in range(4, 8)]
    assert _modes(*passed, *failed, (9, 0.0, {"judge_verdict": "Correct"})).count("right_answer_rejected") == 1
    always = [(n, float(n < 4), {"judge_verdict": "correct"}) for n in range(8)]
    assert "right_answer_rejected" not in _modes(*always)


def test_a_field_that_passed_answers_equal_is_the_expected_answer() -> None:
    right = [(n, 1.0, {"pred": "ABCDE"[n], "answer": "ABCDE"[n]}) for n in range(5)]
    wronged, wrong = (9, 0.0, {"pred": "C", "answer": "C"}), (10, 0.0, {"pred": "B", "answer": "C"})
    assert _modes(*right, wronged, wrong) == ["right_answer_rejected", "wrong_answer"]


def test_a_field_that_passed_answers_do_not_equal_is_something_else() -> None:
    others = [(n, 1.0, {"pred": "ABCDE"[n], "answer": "a text of its own"}) for n in range(5)]
    assert _modes(*others, (9, 0.0, {"pred": "C", "answer": "C"})) == ["wrong_answer"]


@pytest.mark.parametrize(
    ("written", "how", "advice"),
    [("Oslo", "to the letter", "find out what else decides"), ("**oslo**", "up to notation", "accept this notation")],
)
def test_answers_equal_to_the_letter_are_told_from_those_in_another_notation(
    written: str, how: str, advice: str
) -> None:
    table = _table((0, 0.0, {"extracted_answer": written, "expected_answer": "Oslo"}))
    assert table["right_answer"].to_pylist() == [f"the answer equals `expected_answer` {how}"]
    [right] = table["right_answer"].to_pylist()
    assert advice in str(remedy("right_answer_rejected", repeated=True, mixed=True, right=right))


def _four_rejected(field: str, message: str) -> list[Row]:
    """Four passed, four wrong, and four right answers that failed with a message."""
    right = {"extracted_answer": "7", "expected_answer": "7"}
    wrong = [(n, 0.0, {"extracted_answer": "8", "expected_answer": "7"}) for n in range(4, 8)]
    return [*((n, 1.0, right) for n in range(4)), *wrong, *((n, 0.0, right | {field: message}) for n in range(8, 12))]


def test_a_reason_that_the_verifier_gives_for_right_answers_alone_stands() -> None:
    table = _table(*_four_rejected("failure_reason", "the report lacks its second page"))
    reason = "failure_reason:the_report_lacks_its_second_page"
    assert table["mode"].to_pylist() == ["wrong_answer"] * 4 + [reason] * 4
    assert table["secondary"].to_pylist() == [None] * 4 + ["right_answer_other_reason"] * 4
    assert table["root_cause"].to_pylist() == [None] * 8
    assert "their answers are right to the letter" in str(
        remedy(reason, repeated=True, mixed=True, right=table["right_answer"][7].as_py())
    )


def test_another_check_that_right_answers_failed_stands() -> None:
    right = {"extracted_answer": "7", "expected_answer": "7", "citation_ok": True}
    wrong = [(n, 0.0, right | {"extracted_answer": "8"}) for n in range(12)]
    uncited = [(n, 0.0, right | {"citation_ok": False}) for n in range(12)]
    table = _table(*((n // 2, 1.0, right) for n in range(24)), *wrong, *uncited)
    assert table["mode"].to_pylist() == ["wrong_answer"] * 12 + ["citation_ok:no"] * 12
    assert table["secondary"].to_pylist()[12:] == ["right_answer_other_reason"] * 12


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("judge_comment", "the response is too long to be confirmed"),
        ("failure_reason", "expected a seven, got something else"),
    ],
)
def test_a_judge_s_words_and_a_comparison_of_values_are_no_other_reason(field: str, message: str) -> None:
    modes = _modes(*_four_rejected(field, message))
    assert modes == ["wrong_answer"] * 4 + ["right_answer_rejected"] * 4


def test_what_is_said_of_wrong_answers_as_often_is_no_other_reason() -> None:
    right, said = (
        {"extracted_answer": "7", "expected_answer": "7"},
        {"failure_reason": "checker rejects the submission"},
    )
    wrong = [(n, 0.0, {"extracted_answer": "8", "expected_answer": "7"} | said) for n in range(4, 8)]
    rejected = [(n, 0.0, right | said) for n in range(8, 12)]
    modes = _modes(*((n, 1.0, right) for n in range(4)), *wrong, *rejected)
    assert modes[4:] == ["right_answer_rejected"] * 4


@pytest.mark.parametrize(
    "message",
    [
        "value mismatch in row 1: got 2024-03-01 00:00:00+00:00 want 2024-03-01",
        "cell B7: expected '1,240.50', got 1240.5",
        "submitted FLAG{9f1c} does not equal flag{9f1c}",
        "status: found Shipped instead of 'shipped'",
        "answer is wrong (expected: True, but was: true)",
    ],
)
def test_two_notations_of_one_value_that_a_verifier_holds_apart_are_a_right_answer(message: str) -> None:
    table = _table((0, 0.0, {"comparison": message}), (1, 0.0, {"comparison": "query did not run"}), (2, 1.0, {}))
    assert table["mode"].to_pylist()[0] == "right_answer_rejected"
    assert table["right_answer"].to_pylist() == ["the values that `comparison` compares are equal up to notation", None]
    assert table["root_cause"].to_pylist()[0] == "TI"


@pytest.mark.parametrize(
    "message",
    [
        "value mismatch in row 1: got 2024-03-01 10:00:00 want 2024-03-01",
        "expected 12 rows, got 12 columns",
        "row 1: got a want b; row 2: got c want c",
        "expected user_id, got userid",
        "submitted flag{9f1c} does not equal flag{9f1d}",
        "got '' want ''",
        "expected 1.24, got 124",
    ],
)
def test_values_that_differ_in_more_than_notation_are_no_right_answer(message: str) -> None:
    assert "right_answer_rejected" not in _modes((0, 0.0, {"comparison": message}), (1, 1.0, {}))
