"""One definition of a response, an answer and an empty answer, in funnel, failure modes and comparisons alike."""

from typing import Any

import pytest

from blade_pipeline.method.answers import EMPTY_ANSWER, NOTHING_ANSWERED, SILENT, longest_text
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned

TEXT = {"output_items": 1, "answer_length": 9, "tool_calls": 0, "total_tokens": 5}
WITHOUT_TEXT = TEXT | {"answer_length": 0}
WITHOUT_OUTPUT = {"output_items": 0, "answer_length": 0, "tool_calls": 0}
PATCH = {"numbers": {"patch_exists": 1.0}}


def _said(rows: list[dict[str, Any]]) -> list[str]:
    """``silent``, ``empty`` or ``answered`` per row."""
    statement = f"select {SILENT} as silent, {EMPTY_ANSWER} as empty, {NOTHING_ANSWERED} as nothing from samples"
    samples = aligned(rows)
    found = query(statement, {"longest_text": longest_text(samples)}, samples=samples).to_pylist()
    assert all(row["nothing"] == (row["silent"] or row["empty"]) for row in found)
    return ["silent" if row["silent"] else "empty" if row["empty"] else "answered" for row in found]


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("answered", TEXT),
        ("empty", WITHOUT_TEXT),
        ("answered", WITHOUT_TEXT | PATCH),
        ("silent", WITHOUT_OUTPUT),
        ("silent", WITHOUT_OUTPUT | {"total_tokens": 700}),
        ("answered", WITHOUT_OUTPUT | PATCH),
        ("answered", {}),
    ],
)
def test_what_one_rollout_left(said: str, fields: dict[str, Any]) -> None:
    assert _said([{"task": 0, "score": 0.0, **fields}]) == [said]


def test_a_run_that_acts_through_tools_owes_no_text_unless_some_rollout_wrote_one() -> None:
    acted = {"task": 0, "score": 0.0, **WITHOUT_TEXT, "tool_calls": 3}
    assert _said([acted]) == ["answered"]
    assert _said([acted, {"task": 1, "score": 1.0, **TEXT}]) == ["empty", "answered"]


def test_funnel_and_failure_modes_count_the_same_rollouts() -> None:
    # Of 6: 1 silent, 2 empty, 1 with a patch instead of text, 2 with text, of which 1 passes.
    rows = [
        {"task": 0, "score": 0.0, **WITHOUT_OUTPUT},
        {"task": 1, "score": 0.0, **WITHOUT_TEXT},
        {"task": 2, "score": 0.0, **WITHOUT_TEXT},
        {"task": 3, "score": 0.0, **WITHOUT_TEXT, **PATCH},
        {"task": 4, "score": 0.0, **TEXT},
        {"task": 5, "score": 1.0, **TEXT},
    ]
    samples = aligned(rows)
    assert _said(rows) == ["silent", "empty", "empty", "answered", "answered", "answered"]
    reached = {phase["phase"]: phase["reached"] for phase in funnel(samples, Profile())["phases"]}
    assert (reached["responded"], reached["answered"]) == (5, 3)
    _, document = failure_modes(samples, Profile())
    assert {mode["code"]: mode["count"] for mode in document["modes"]} == {
        "no_output": 1,
        "empty_answer": 2,
        "wrong_answer": 2,
    }
