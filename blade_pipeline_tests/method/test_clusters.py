"""Failure modes that the verifier's own messages and fields make up."""

import json
from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned
from blade_pipeline_tests.method.rollouts_of_modes import failed, modes_of, passed


def test_equal_verifier_messages_form_a_cluster_of_at_least_two() -> None:
    rows = [passed(0), passed(1)]
    rows += [failed(n, verifier={"error_message": f"expected {n} rows, got 0"}) for n in (2, 3)]
    rows += [failed(4, verifier={"error_message": "something else entirely"})]
    table, document = failure_modes(aligned(rows), Profile())
    assert table["mode"].to_pylist() == [*["error_message:expected_n_rows_got_n"] * 2, "wrong_answer"]
    entry = document["modes"][0]
    assert (entry["label"], entry["source"]) == ("error message: expected N rows, got N", "verifier")
    assert (entry["count"], entry["tasks"], entry["passed_with"], entry["total_passed"]) == (2, 2, 0, 2)


def test_a_message_that_says_little_comes_after_every_symptom() -> None:
    told = {"verifier": {"agent_error_kind": "other"}}
    assert modes_of([passed(0), *(failed(n, **told) for n in (1, 2))]) == [("agent_error_kind:other", None)] * 2
    silent = told | {"output_items": 0, "answer_length": 0, "total_tokens": None}
    found = modes_of([passed(0), *(failed(n, **silent) for n in (1, 2))])
    assert found == [("no_output", "agent_error_kind:other")] * 2


def test_a_program_that_ends_as_it_should_was_not_killed() -> None:
    told = {"execution": {"exit_code": 1, "stderr": "AssertionError: 3 != 4", "timeout": 30, "timed_out": False}}
    assert modes_of([passed(0), failed(1, verifier=told)]) == [("wrong_answer", None)]


def test_messages_inside_lists_and_objects_form_a_cluster() -> None:
    rows = [passed(0, verifier={"checks": [{"error": {"type": None}}]}), passed(1)]
    rows += [failed(n, verifier={"checks": [{"error": {"type": "SchemaViolation"}}]}) for n in (2, 3)]
    assert [mode for mode, _ in modes_of(rows)] == ["checks_error_type:schemaviolation"] * 2


def _failing(*names: str) -> dict[str, Any]:
    return {"error_lines": json.dumps([["failed_check", name] for name in names])}


def test_a_check_that_rollouts_of_three_tasks_failed_is_a_mode() -> None:
    often, seldom = "length_constraints:number_paragraphs", "keywords:frequency"
    rows = [passed(0), failed(1, **_failing(seldom, often)), failed(2, **_failing(often)), failed(3, **_failing(often))]
    rows += [failed(4, **_failing(seldom)), failed(5)]
    code = "failed_check:length_constraints_number_paragraphs"
    assert modes_of(rows) == [(code, None)] * 3 + [("wrong_answer", None)] * 2
    _, document = failure_modes(aligned(rows), Profile())
    assert document["modes"][0]["label"] == "failed check: length constraints:number paragraphs"


def test_a_check_that_passed_rollouts_fail_too_must_be_beyond_luck() -> None:
    some = [failed(n, **_failing("names_the_file")) for n in range(6)] + [failed(n) for n in range(6, 10)]
    fine = [passed(n) for n in range(10, 18)]
    graded = [passed(n, **_failing("names_the_file")) for n in (18, 19)]
    assert {mode for mode, _ in modes_of([*some, *fine, *graded])} == {"wrong_answer"}
    beyond = [failed(n, **_failing("names_the_file")) for n in range(20, 36)]  # 22 of 26 and 2 of 10: p 0.0006
    assert "failed_check:names_the_file" in {mode for mode, _ in modes_of([*some, *fine, *graded, *beyond])}


def test_messages_that_differ_in_one_word_in_order_or_in_a_list_are_one_mode() -> None:
    texts = [
        ["the booking of anna was lost", "the booking of bruno was lost", "the booking of cleo was lost"],
        ["rows missing after the merge step", "after the merge step rows missing"],
        ["missing required keys: name, age", "missing required keys: street"],
    ]
    rows = [passed(0)]
    for group in texts:
        rows += [failed(len(rows) + n, verifier={"error_message": text}) for n, text in enumerate(group)]
    assert [mode for mode, _ in modes_of(rows)] == [
        *["error_message:the_booking_of_word_was_lost"] * 3,
        *["error_message:after_the_merge_step_rows_missing"] * 2,
        *["error_message:missing_required_keys_words"] * 2,
    ]


def test_two_messages_that_differ_in_one_word_may_be_two_things() -> None:
    rows = [passed(0)]
    rows += [failed(n, verifier={"error_message": "the input file is missing"}) for n in (1, 2)]
    rows += [failed(n, verifier={"error_message": "the output file is missing"}) for n in (3, 4)]
    assert len({mode for mode, _ in modes_of(rows)}) == 2


def _four_repeats(text: Any, named: str, otherwise: Any = "as planned") -> list[dict[str, Any]]:
    """Twelve tasks of four repeats; one repeat of the first eight tasks fails and carries the value.

    All others hold ``otherwise``, among them four that fail.
    """
    rows = []
    for task in range(12):
        for repeat in range(4):
            lost = repeat == 0 and task < 8
            told = {named: text if lost else otherwise}
            rows.append((failed if lost else passed)(task, repeat=repeat, verifier=told))
    return rows + [failed(task, repeat=4, verifier={named: otherwise}) for task in range(8, 12)]


def test_a_field_of_any_name_speaks_where_passed_rollouts_lack_its_text() -> None:
    # 8 of 12 failed against 0 of 40 passed: p = C(12, 8) / C(52, 8) < 0.001.
    found = [mode for mode, _ in modes_of(_four_repeats("the board was reset", "board"))]
    assert found == [*["board:the_board_was_reset"] * 8, *["wrong_answer"] * 4]


def test_a_field_of_any_name_speaks_where_only_failed_rollouts_leave_it_empty() -> None:
    found = [mode for mode, _ in modes_of(_four_repeats(None, "board"))]
    assert found == [*["board:left_empty"] * 8, *["wrong_answer"] * 4]


@pytest.mark.parametrize(
    ("value", "otherwise", "mode"),
    [
        (True, False, "board:yes"),
        (0, 1, "board:no"),
        (["a1"], [], "board:filled"),
        ({"compiles": False, "runs": 3}, {"compiles": True, "runs": 3}, "board_compiles:no"),
    ],
)
def test_flags_and_lists_of_any_name_speak_by_their_state(value: Any, otherwise: Any, mode: str) -> None:
    found = [mode for mode, _ in modes_of(_four_repeats(value, "board", otherwise))]
    assert found == [*[mode] * 8, *["wrong_answer"] * 4]


@pytest.mark.parametrize(
    ("named", "value", "otherwise"),
    [
        ("strictly_correct", False, True),
        ("board", 2, 1),
        ("reference", ["x"], []),
        ("board", 0.5, 1.0),
        ("exit_code", 1, 0),
    ],
)
def test_verdicts_counts_and_answers_are_no_flags(named: str, value: Any, otherwise: Any) -> None:
    assert {mode for mode, _ in modes_of(_four_repeats(value, named, otherwise))} == {"wrong_answer"}


def test_a_flag_of_nearly_all_failed_rollouts_is_the_verdict() -> None:
    rows = _four_repeats(True, "board", False)
    assert {mode for mode, _ in modes_of([row for row in rows if row["repeat"] != 4])} == {"wrong_answer"}


def test_a_flag_that_passed_rollouts_raise_too_is_counted_as_such() -> None:
    # 8 of 12 failed against 1 of 41 passed: more than ten times as often.
    rows = [*_four_repeats(True, "board", False), passed(11, repeat=5, verifier={"board": True})]
    _, document = failure_modes(aligned(rows), Profile())
    entry = next(mode for mode in document["modes"] if mode["code"] == "board:yes")
    assert (entry["count"], entry["passed_with"], entry["total_passed"]) == (8, 1, 41)


def test_a_field_that_describes_the_task_is_no_message() -> None:
    rows = [failed(task, repeat=n, verifier={"board": "the small one"}) for task in range(4) for n in range(4)]
    rows += [passed(4 + task, repeat=n, verifier={"board": "the big one"}) for task in range(9) for n in range(4)]
    assert {mode for mode, _ in modes_of(rows)} == {"wrong_answer"}


def test_another_word_for_no_is_no_message() -> None:
    rows = [passed(n, verifier={"verdict": "agrees"}) for n in range(3)]
    rows += [failed(3 + n, verifier={"verdict": "deviates"}) for n in range(3)]
    assert {mode for mode, _ in modes_of(rows)} == {"wrong_answer"}


def test_where_passed_rollouts_carry_messages_too_a_failed_ones_must_be_beyond_chance() -> None:
    # 3 of 10 failed carry it and 0 of 20 passed: p = 10 * 9 * 8 / (30 * 29 * 28) = 0.03; 6 of 10: below 0.001.
    for carrying, modes in ((3, {"wrong_answer"}), (6, {"note:ran_on_the_amber_one", "wrong_answer"})):
        rows = [passed(n, verifier={"note": "ran on the blue one"}) for n in range(20)]
        rows += [failed(20 + n, verifier={"note": "ran on the amber one"}) for n in range(carrying)]
        rows += [failed(40 + n, verifier={"note": "ran on the blue one"}) for n in range(10 - carrying)]
        assert {mode for mode, _ in modes_of(rows)} == modes


def test_a_message_of_passed_rollouts_too_is_no_cluster() -> None:
    same = {"verifier": {"status": "scored by rule"}}
    assert modes_of([passed(0, **same), failed(1, **same), failed(2, **same)]) == [("wrong_answer", None)] * 2


def test_a_verdict_that_only_says_no_is_a_wrong_answer() -> None:
    no = {"verifier": {"verdict": "incorrect"}}
    assert modes_of([passed(0), failed(1, **no), failed(2, **no)]) == [("wrong_answer", None)] * 2


def test_named_values_change_places_with_their_names_only() -> None:
    """``a: x; b: y`` and ``b: y; a: x`` say the same, ``a: y; b: x`` does not, although its words are the same."""
    texts = ["stage: one; state: lost"] * 2 + ["state: lost; stage: one"] * 2 + ["stage: lost; state: one"] * 2
    rows = [passed(0), *(failed(n, verifier={"error_message": text}) for n, text in enumerate(texts, 1))]
    assert [mode for mode, _ in modes_of(rows)] == [
        *["error_message:stage_one_state_lost"] * 4,
        *["error_message:stage_lost_state_one"] * 2,
    ]


def test_each_check_of_a_list_is_a_flag_and_the_list_no_message() -> None:
    right, bare = "cites: yes; fluent: yes", "cites: no; fluent: yes"
    rows = _four_repeats(bare, "judge_feedback", right)
    assert [mode for mode, _ in modes_of(rows)] == ["judge_feedback_cites:no"] * 8 + ["wrong_answer"] * 4
