"""The funnel by slice and by model, and the order of a profile's phases, counted by hand."""

from typing import Any

from blade_pipeline.method.funnel import funnel
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned

OUTPUT = {"output_items": 1, "answer_length": 9, "total_tokens": 5, "response_status": "completed"}
CUT = {"incomplete_reason": "max_output_tokens"}
PASSED, WRONG = {"score": 1.0, **OUTPUT}, {"score": 0.0, **OUTPUT}


def _run(parts: dict[str, list[dict[str, Any]]], field: str) -> dict[str, Any]:
    named = {"kind": lambda part: {"slices": {"kind": part}}, "model": lambda part: {"model": part}}[field]
    rows = [{**named(part), **row} for part, rows in parts.items() for row in rows]
    return funnel(aligned([{"task": n, **row} for n, row in enumerate(rows)]), Profile())


def _reached(part: dict[str, Any]) -> dict[str, int]:
    return {phase["phase"]: phase["reached"] for phase in part["phases"]}


# a: one rollout is missing, one is cut, two pass. b: three answer wrongly, one passes.
PARTS = {"a": [{"outcome": "missing"}, {**WRONG, **CUT}, PASSED, PASSED], "b": [WRONG, WRONG, WRONG, PASSED]}


def test_each_slice_goes_through_the_phases_of_the_run() -> None:
    document = _run(PARTS, "kind")
    assert document["largest_drop"] == {"phase": "passed", "lost": 3, "entered": 6}
    first, second = document["by_slice"]
    assert (first["field"], first["value"], first["total_rollouts"]) == ("kind", "a", 4)
    assert _reached(first) == {
        "started": 3, "completed": 3, "responded": 3, "not cut short": 2, "measured": 2, "passed": 2,
    }  # fmt: skip
    assert list(_reached(second).values()) == [4, 4, 4, 4, 4, 1]
    cut = next(phase for phase in first["phases"] if phase["phase"] == "not cut short")
    assert (cut["entered"], cut["conditional_drop"], cut["survival"]) == (3, 1 / 3, 2 / 4)


def test_a_slice_differs_only_where_more_is_lost_than_at_the_runs_own_phase() -> None:
    first, second = _run(PARTS, "kind")["by_slice"]
    assert (first["largest_drop"], first["differs"]) == ({"phase": "started", "lost": 1, "entered": 4}, True)
    assert (second["largest_drop"], second["differs"]) == ({"phase": "passed", "lost": 3, "entered": 4}, False)
    # One rollout is missing and one answers wrongly: the earlier phase comes first, but loses no more than the other.
    tied = _run({"a": [{"outcome": "missing"}, WRONG], "b": [WRONG, WRONG]}, "kind")["by_slice"][0]
    assert (tied["largest_drop"]["phase"], tied["differs"]) == ("started", False)


def test_models_stand_by_their_rollouts_and_rows_without_one_come_last() -> None:
    lost = [{"outcome": "missing", "model": None}]
    document = _run({"small": [WRONG, PASSED], "large": [PASSED, PASSED, WRONG], "none": lost}, "model")
    assert [(row["model"], row["total_rollouts"], _reached(row)["passed"]) for row in document["by_model"]] == [
        ("large", 3, 2),
        ("small", 2, 1),
        (None, 1, 0),
    ]


def test_a_run_of_one_model_is_not_broken_down_by_it() -> None:
    assert _run({"small": [WRONG, PASSED, {"outcome": "missing", "model": None}]}, "model")["by_model"] == []


PROFILE = Profile.model_validate(
    {
        "funnel": [
            {"phase": "whole", "when": "incomplete_reason is null"},
            {"phase": "answered", "when": "verifier->>'answer' is not null"},
            {"phase": "won", "when": "passed"},
        ]
    }
)
ANSWERED = {"verifier": {"answer": "7"}}


def test_an_outage_is_lost_before_the_profiles_own_phases() -> None:
    rows = [
        {"task": 0, "outcome": "missing"},
        {"task": 1, "outcome": "failed", "failure_class": "agent_request_failed"},
        {"task": 2, **WRONG, **ANSWERED},
        {"task": 3, **PASSED, **ANSWERED},
    ]
    document = funnel(aligned(rows), PROFILE)
    assert _reached(document) == {"started": 3, "completed": 2, "whole": 2, "answered": 2, "won": 1}
    assert [phase["source"] for phase in document["phases"]] == ["accounting"] * 2 + ["profile"] * 3
    assert document["out_of_order"] is None


def test_rollouts_that_hold_a_later_phase_without_an_earlier_one_are_counted_and_named() -> None:
    # Task 0 is cut, yet answered and won; task 1 won without an answer; task 2 is cut and holds nothing else; task 3
    # keeps the order. The missing rollout holds no stop reason either, but never ran.
    rows = [
        {"task": 0, **PASSED, **ANSWERED, **CUT},
        {"task": 1, **PASSED},
        {"task": 2, **WRONG, **CUT},
        {"task": 3, **WRONG, **ANSWERED},
        {"task": 4, "outcome": "missing"},
    ]
    document = funnel(aligned(rows), PROFILE)
    assert _reached(document) == {"started": 4, "completed": 4, "whole": 2, "answered": 1, "won": 0}
    assert document["out_of_order"] == {
        "rollouts": 2,
        "completed": 4,
        "pairs": [
            {"later": "answered", "earlier": "whole", "rollouts": 1, "follows": False},
            {"later": "won", "earlier": "whole", "rollouts": 1, "follows": False},
            {"later": "won", "earlier": "answered", "rollouts": 1, "follows": False},
        ],
    }


def test_a_phase_that_never_holds_without_a_later_one_fits_after_it() -> None:
    # Of 4 rollouts 3 have an answer and 2 of these won, so winning follows; the profile names it first.
    swapped = Profile.model_validate(
        {"funnel": [{"phase": "won", "when": "passed"}, {"phase": "answered", "when": "verifier->>'answer' = '7'"}]}
    )
    rows = [{"task": 0, **PASSED, **ANSWERED}, {"task": 1, **PASSED, **ANSWERED}]
    rows += [{"task": 2, **WRONG, **ANSWERED}, {"task": 3, **WRONG}]
    found = funnel(aligned(rows), swapped)["out_of_order"]
    assert found["pairs"] == [{"later": "answered", "earlier": "won", "rollouts": 1, "follows": True}]
    assert (found["rollouts"], found["completed"]) == (1, 4)


def test_generic_phases_are_never_out_of_order() -> None:
    assert funnel(aligned([{"task": 0, **PASSED, **CUT}, {"task": 1, **WRONG}]), Profile())["out_of_order"] is None


def test_a_phase_of_the_accounting_whose_name_the_profile_uses_is_told_apart() -> None:
    own = Profile.model_validate({"funnel": [{"phase": "completed", "when": "response_status = 'completed'"}]})
    document = funnel(aligned([{"task": 0, **PASSED}, {"task": 1, "outcome": "failed"}]), own)
    assert _reached(document) == {"started": 2, "completed (accounting)": 1, "completed": 1}
