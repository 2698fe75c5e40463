"""What a report says of passing and failing rollouts of the same tasks, with errors planted one by one."""

from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of


def _row(task: int, repeat: int, score: float, tokens: int, searches: int, **more: Any) -> dict[str, Any]:
    steps = [["tool_call", "search"]] * searches + [["message", None]]
    shown = {"output_tokens": tokens, "steps": steps, "output_items": len(steps), "answer_length": 9}
    return {"task": task, "repeat": repeat, "score": score, **shown, **more}


# Task 0: passing 10 and 20 tokens with 2 and 0 searches, failing 40 with 3. Task 1: passing 30 with 1, failing 50 with
# 4, and one with 900 that a limit ended and that is left out. Task 2 always passes.
ROWS = [
    _row(0, 0, 1.0, 10, 2),
    _row(0, 1, 1.0, 20, 0),
    _row(0, 2, 0.0, 40, 3),
    _row(1, 0, 1.0, 30, 1),
    _row(1, 1, 0.0, 50, 4),
    _row(1, 2, 0.0, 900, 9, response_status="incomplete", incomplete_reason="max_output_tokens"),
    _row(2, 0, 1.0, 7, 7),
]
STRATIFIED = [
    {"feature": "output tokens", "tasks": 6, "p": 0.0123, "q": 0.04},
    {"feature": "calls of search", "tasks": 6, "p": 0.5, "q": 0.5},
    {"feature": "latency", "tasks": 1, "p": None, "q": None},
]
SAID = """# Demo BLADE Analysis Report

## Executive Summary

Within the same task, passing rollouts have on average 22.5 for `output tokens` and failing ones 45, over 2 tasks with \
both.

Within the same task, passing rollouts have on average 1 for `calls of search` and failing ones 3.5, over 2 tasks with \
both.

Apart from failure modes nothing measured separates passing from failing rollouts of the same task: none of 2 features \
differs beyond chance over up to 6 sometimes-pass tasks (Benjamini-Hochberg over all of them; smallest p 0.0123, \
`output tokens`).
"""


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    rows = aligned(ROWS)
    modes, document = failure_modes(rows, Profile())
    documents = {"failure_modes": document, "trajectory_contrasts": {"stratified": STRATIFIED}}
    return Verifier(Evidence("demo", "one", rows, None, modes, buckets_of(rows), documents))


def _wrong(verifier: Verifier, text: str) -> list[str]:
    return [found["text"] for found in verifier.report(text)["figures"] if found["status"] != "confirmed"]


def test_right_means_are_borne_out(verifier: Verifier) -> None:
    assert _wrong(verifier, SAID) == []


@pytest.mark.parametrize(
    ("right", "planted", "figure"),
    [
        ("average 22.5", "average 23.5", "23.5"),
        ("ones 45,", "ones 46,", "46"),
        ("45, over 2 tasks", "45, over 3 tasks", "3"),
        ("average 1 for", "average 2 for", "2"),
        ("ones 3.5,", "ones 4.5,", "4.5"),
        ("none of 2", "none of 3", "3"),
        ("up to 6", "up to 7", "7"),
        ("p 0.0123", "p 0.0223", "0.0223"),
    ],
)
def test_a_wrong_mean_is_found(verifier: Verifier, right: str, planted: str, figure: str) -> None:
    assert SAID.count(right) == 1
    assert _wrong(verifier, SAID.replace(right, planted)) == [figure]
