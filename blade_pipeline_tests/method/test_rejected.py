"""Failed rollouts whose answer on record is right."""

from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned


def _modes(*rows: tuple[int, float, dict[str, Any]]) -> list[str]:
    """Modes of the failed rows; a row is its task, its score and its verifier fields."""
    filled = [
        {"task": task, "repeat": n, "score": score, "verifier": verifier, "output_items": 1, "answer_length": 9}
        for n, (task, score, verifier) in enumerate(rows)
    ]
    table, _ = failure_modes(aligned(filled), Profile())
    modes: list[str] = table["mode"].to_pylist()
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
        ("", ""),
    ],
)
def test_another_answer_is_wrong(written: str, expected: Any) -> None:
    assert "right_answer_rejected" not in _modes((0, 0.0, {"extracted_answer": written, "expected_answer": expected}))


def test_an_answer_that_passed_in_another_repeat_is_right_and_in_another_task_it_is_not() -> None:
    rows = [(0, 1.0, {"extracted_answer": "7"}), (0, 0.0, {"extracted_answer": "7.0"})]
    assert _modes(*rows, (1, 0.0, {"extracted_answer": "7"})) == ["right_answer_rejected", "wrong_answer"]


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
