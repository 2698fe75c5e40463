"""Whether a final text states the expected answer, with texts written for it."""

from typing import Any

import pytest

from blade_pipeline.gym.stated import states_expected

LISTED = [{"A": "5 nm"}, {"B": "71 nm"}, {"H": "123 nm"}]


def _states(text: str, expected: Any, options: Any = None) -> bool | None:
    return states_expected({"expected_answer": expected, "options": options}, ("expected_answer",), text)


@pytest.mark.parametrize(
    ("text", "expected", "options"),
    [
        ("so the ratio is 2.\n\nAnswer: 42", 42, None),
        ("The answer is **1,024**.", "1,024", None),
        ("thus \\boxed{\\frac{1}{2}}", "\\frac{1}{2}", None),
        ("option A forgets it\n\nAnswer: H", "123 nm", LISTED),
        ("**Answer: H) 123 nm**", "123 nm", LISTED),
        ("So the answer is\n\nAnswer: H. 123 nm", "123 nm", LISTED),
        ("Answer: (b)", "B", None),
        ("Final answer: B", "71 nm", ["5 nm", "71 nm"]),
        ("Answer: 71 nm", "B", {"A": "5 nm", "B": "71 nm"}),
        ("The correct option is therefore (D).", "D", None),
        ("The best choice is **C**", "C", None),
        ("Ruling out A and B leaves (C).", "C", None),
        ("Both fit, but the second fits better.\n\n**B**", "71 nm", ["5 nm", "71 nm"]),
        ("A is too small.\nB", "B", None),
        ("first I thought the answer is 7, but the answer is: 9", "9", None),
    ],
)
def test_the_expected_answer_is_stated(text: str, expected: Any, options: Any) -> None:
    assert _states(text, expected, options) is True


@pytest.mark.parametrize(
    ("text", "expected", "options"),
    [
        ("Answer: 41", 42, None),
        ("42 is too much. Answer: 41", 42, None),
        ("Answer: A cat sat there", "A", None),
        ("Answer: A", "123 nm", LISTED),
        ("The correct option is (D).", "A", None),
        ("Answer: A, which rules out (B)", "B", None),
        ("the answer is 9, no, the answer is: 7", "9", None),
    ],
)
def test_another_answer_is_stated(text: str, expected: Any, options: Any) -> None:
    assert _states(text, expected, options) is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("None of the options agrees with my result.", "42"),
        ("the answer depends on the sheet", "42"),
        ("Answer: 42", None),
        ("Answer: 42", ""),
        ("Answer: yes", True),
        ("Answer: 42", ["42"]),
        ("Answer: x", "x" * 201),
        ("Answer: 42" + " and so on" * 100, "42"),
    ],
)
def test_nothing_is_said_without_an_answer_at_the_end_or_a_short_expected_one(text: str, expected: Any) -> None:
    assert _states(text, expected) is None
