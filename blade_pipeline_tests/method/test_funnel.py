"""The workflow funnel counted by hand."""

from typing import Any

import pytest

from blade_pipeline.method.funnel import funnel
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned

OUTPUT = {"output_items": 1, "answer_length": 9, "total_tokens": 5, "response_status": "completed"}


def _reached(document: dict[str, Any]) -> dict[str, int]:
    return {phase["phase"]: phase["reached"] for phase in document["phases"]}


def test_every_phase_loses_its_own_rollouts() -> None:
    rows = [
        {"task": 0, "outcome": "missing"},
        {"task": 1, "outcome": "failed", "failure_class": "agent_request_failed"},
        {"task": 2, "score": 0.0, "output_items": 0, "answer_length": 0, "total_tokens": 0},
        {"task": 3, "score": 0.0, **OUTPUT, "incomplete_reason": "max_output_tokens"},
        {"task": 4, "score": 0.0, **OUTPUT, "verifier": {"extracted_answer": None}},
        {"task": 5, "outcome": "unscored", **OUTPUT, "verifier": {"extracted_answer": "7"}},
        {"task": 6, "score": 0.0, **OUTPUT, "verifier": {"extracted_answer": "8"}},
        {"task": 7, "score": 0.0, **OUTPUT, "verifier": {"extracted_answer": "9"}},
        {"task": 8, "score": 1.0, **OUTPUT, "verifier": {"extracted_answer": "1"}},
        {"task": 9, "score": 1.0, **OUTPUT, "verifier": {"extracted_answer": "2"}},
        {"task": 10, "outcome": "unexpected", **OUTPUT},
    ]
    document = funnel(aligned(rows), Profile())
    assert document["total_rollouts"] == 10
    assert _reached(document) == {
        "started": 9,
        "completed": 8,
        "responded": 7,
        "not cut short": 6,
        "answered": 5,
        "measured": 4,
        "passed": 2,
    }
    assert document["largest_drop"] == {"phase": "passed", "lost": 2, "entered": 4}
    assert document["phases"][-1]["conditional_drop"] == pytest.approx(2 / 4)
    assert document["phases"][-1]["survival"] == pytest.approx(2 / 10)
    assert [row["phase"] for row in document["not_observable"]] == ["judged"]
    assert document["notes"] == ["1 unexpected rows are outside the funnel."]
    assert document["source"] == "generic"


def _worked(task: int, score: float, calls: int, errors: int = 0, checked: bool | None = None) -> dict[str, Any]:
    told = {"tool_calls": calls, "tool_errors": errors, "checked": checked, "steps": [["message", None, 1, None, 0]]}
    return {"task": task, "score": score, **OUTPUT, **told}


def test_the_work_between_a_response_and_its_score_has_phases() -> None:
    rows = [
        _worked(0, 0.0, 0),
        _worked(1, 0.0, 2, 2),
        _worked(2, 0.0, 3, 1),
        _worked(3, 0.0, 3, 0, False),
        _worked(4, 0.0, 3, 0, True),
        _worked(5, 0.5, 3, 0, True),
        _worked(6, 1.0, 3, 1, True),
    ]
    document = funnel(aligned(rows), Profile())
    reached = {"started": 7, "completed": 7, "responded": 7}
    reached |= {"used a tool": 6, "a tool answered": 5, "changed a file": 4, "checked the change": 3}
    reached |= {"not cut short": 3, "measured": 3, "some credit": 2, "passed": 1}
    assert list(_reached(document).items()) == list(reached.items())


def test_work_that_passed_rollouts_do_without_is_no_phase() -> None:
    # 1 of 2 failed rollouts calls no tool, and 1 of 2 passed ones; nobody changes a file, and all credit is whole.
    rows = [_worked(0, 0.0, 0), _worked(1, 0.0, 2), _worked(2, 1.0, 0), _worked(3, 1.0, 2)]
    document = funnel(aligned(rows), Profile())
    assert list(_reached(document)) == ["started", "completed", "responded", "not cut short", "measured", "passed"]
    reason = "passed rollouts do without it as well (1 failed, 1 passed)"
    assert {"phase": "used a tool", "reason": reason} in document["not_observable"]


def test_a_phase_without_evidence_is_left_out_and_named() -> None:
    document = funnel(aligned([{"task": 0, "score": 1.0}, {"task": 1, "score": 0.0}]), Profile())
    assert list(_reached(document)) == ["started", "completed", "measured", "passed"]
    assert {row["phase"] for row in document["not_observable"]} == {"responded", "not cut short", "answered", "judged"}
    assert document["not_observable"][0]["reason"] == "no row carries a response"


def test_outputs_that_passed_rollouts_lack_as_well_say_nothing() -> None:
    silent = {"output_items": 0, "answer_length": 0}
    document = funnel(aligned([{"task": 0, "score": 1.0, **silent}, {"task": 1, "score": 0.0, **silent}]), Profile())
    reason = "passed rollouts lack it as well: no output recorded (1 failed, 1 passed)"
    assert {"phase": "responded", "reason": reason} in document["not_observable"]


def test_a_symptom_of_passed_rollouts_too_is_named_and_not_counted() -> None:
    # 2 of 3 failed and 1 of 1 passed rollouts end without text: no reason to fail. The bad format is one.
    empty, good = {**OUTPUT, "answer_length": 0}, {"numbers": {"format_ok": 1}}
    rows = [{"task": 0, "score": 1.0, **empty, **good}, {"task": 1, "score": 0.0, **empty, **good}]
    rows += [
        {"task": 2, "score": 0.0, **empty, **good},
        {"task": 3, "score": 0.0, **OUTPUT, "numbers": {"format_ok": 0}},
    ]
    answered = next(phase for phase in funnel(aligned(rows), Profile())["phases"] if phase["phase"] == "answered")
    assert answered["reached"] == 3
    assert answered["rule"].endswith(
        "as passed rollouts show it as well: the final answer is empty (2 failed, 1 passed)"
    )


def test_a_rollout_that_was_cut_and_passed_counts_as_through() -> None:
    cut = {**OUTPUT, "incomplete_reason": "max_output_tokens"}
    document = funnel(aligned([{"task": 0, "score": 1.0, **cut}, {"task": 1, "score": 0.0, **cut}]), Profile())
    assert _reached(document)["not cut short"] == 1
    assert _reached(document)["passed"] == 1


def test_the_profile_defines_the_phases_and_they_are_cumulative() -> None:
    profile = Profile.model_validate(
        {"funnel": [{"phase": "called a tool", "when": "tool_calls > 0"}, {"phase": "won", "when": "passed"}]}
    )
    rows = [
        {"task": 0, "score": 1.0, "tool_calls": 0},
        {"task": 1, "score": 1.0, "tool_calls": 2},
        {"task": 2, "score": 0.0, "tool_calls": 2},
    ]
    document = funnel(aligned(rows), profile)
    assert document["source"] == "profile"
    assert _reached(document) == {"started": 3, "completed": 3, "called a tool": 2, "won": 1}
    assert document["phases"][-1]["rule"] == "passed"
    assert document["largest_drop"] == {"phase": "called a tool", "lost": 1, "entered": 3}


def test_the_models_own_tests_and_the_verifier_stay_two_columns() -> None:
    rows = [
        {"task": 0, "score": 1.0, "numbers": {"self_test_passed": 1}},
        {"task": 1, "score": 0.0, "numbers": {"self_test_passed": 1}},
        {"task": 2, "score": 0.0, "numbers": {"self_test_passed": 1}},
        {"task": 3, "score": 1.0, "numbers": {"self_test_passed": 0}},
        {"task": 4, "score": 0.0, "numbers": {"self_test_passed": 0}},
    ]
    assert funnel(aligned(rows), Profile())["self_check"] == [
        {"field": "self_test_passed", "rollouts": 5, "both": 1, "self_only": 2, "verifier_only": 1, "neither": 1}
    ]


def test_an_empty_run_has_a_funnel_without_drops() -> None:
    document = funnel(aligned([]), Profile())
    assert document["largest_drop"] is None
    assert document["total_rollouts"] == 0
    assert {phase["survival"] for phase in document["phases"]} == {None}


def test_a_wholly_masked_run_is_lost_at_measured() -> None:
    rows = [{"task": n, "outcome": "masked", **OUTPUT} for n in range(3)]
    assert funnel(aligned(rows), Profile())["largest_drop"] == {"phase": "measured", "lost": 3, "entered": 3}
