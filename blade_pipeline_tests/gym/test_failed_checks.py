"""The checks that a verifier lists one by one, in the forms of IFBench, VerifIF and judges of rubrics."""

from typing import Any

import pytest

from blade_pipeline.gym.failed_checks import MOST_CHECKS, failed_checks

KINDS = ["length:paragraphs", "count:lowercase", "format:bullets"]
ITEM = {"criterion": "Names the file.\nIt must cite the line.", "passed": False, "error": None, "raw": "NO"}


@pytest.mark.parametrize(
    ("row", "failed"),
    [
        ({"follow_instruction_list": [True, False, False], "instruction_id_list": KINDS}, KINDS[1:]),
        ({"follow_instruction_list": [True, True, True], "instruction_id_list": KINDS}, []),
        ({"follow_instruction_list": [False, False], "instruction_id_list": ["a:b", "a:b"]}, ["a:b"]),
        ({"instruction_list": [False], "instruction_id_list": ["a:b"], "tags": ["math"]}, ["a:b"]),
        ({"found": [{"check": "a:b", "status": "Passed"}, {"check": "c:d", "status": "Failed"}]}, ["c:d"]),
        ({"judge_per_item": [ITEM, {**ITEM, "criterion": "Names the cause.", "passed": True}]}, ["Names the file."]),
        ({"rubric_items": [{"points": 5, "criterion": "Asks for age.", "criteria_met": False}]}, ["Asks for age."]),
        ({"checks": [{"name": f"c{n}", "ok": False} for n in range(20)]}, [f"c{n}" for n in range(MOST_CHECKS)]),
    ],
)  # fmt: skip
def test_what_came_out_false_is_named(row: dict[str, Any], failed: list[str]) -> None:
    assert failed_checks(row, tuple(row)) == [["failed_check", name] for name in failed]


@pytest.mark.parametrize(
    "row",
    [
        {"flags": [True, False]},
        {"flags": [True, False], "names": ["a"]},
        {"flags": [False], "names": ["a"], "others": ["b"]},
        {"flags": [False, None], "names": ["a", "b"]},
        {"flags": [False, 0], "names": ["a", "b"]},
        {"steps": [{"name": "open", "done": False}, {"name": "click", "done": True}]},
        {"files": [{"name": 3, "ok": False}, 7]},
        {"checks": [], "names": [], "text": "false"},
        {"checks": [{"name": None, "ok": None}, {}]},
    ],
)
def test_lists_that_name_no_check_say_nothing(row: dict[str, Any]) -> None:
    assert failed_checks(row, tuple(row)) == []


def test_objects_that_lack_a_name_or_a_flag_are_passed_over() -> None:
    checks = [{"name": "first", "ok": False}, {"ok": False}, {"name": "third"}, {"name": "fourth", "ok": "failed"}]
    assert failed_checks({"checks": checks}, ("checks",)) == [["failed_check", "first"], ["failed_check", "fourth"]]
