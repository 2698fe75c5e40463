"""Rollouts that failed before they left a row: what was said, in which slices, and whose fault it is."""

import json
from typing import Any

import pytest

from blade_pipeline.method.failed import failed_in_slices, failure_messages
from blade_pipeline.method.responsibility import cause_of_answer
from blade_pipeline_tests.builders import aligned


def _failed(message: str | None, status: int | None = 400) -> dict[str, Any]:
    return {
        "outcome": "failed",
        "score": None,
        "failure_class": "agent_run_error",
        "failure_stage": "agent",
        "failure_status": status,
        "failure_message": message,
    }


def test_messages_that_differ_in_numbers_alone_are_one() -> None:
    rows = [
        {"task": 0, "repeat": 0, **_failed("no slot after 30 s")},
        {"task": 0, "repeat": 1, **_failed("no slot after 41 s")},
        {"task": 1, "repeat": 0, **_failed("no slot after 30 s")},
        {"task": 2, "repeat": 0, **_failed("no slot after 30 s", 503)},
        {"task": 3, "repeat": 0, **_failed(None, None)},
        {"task": 4, "repeat": 0, "score": 0.0},
    ]
    same = {"class": "agent_run_error", "stage": "agent"}
    assert failure_messages(aligned(rows)) == [
        same | {"status": 400, "message": "no slot after 30 s", "count": 3, "tasks": 2},
        same | {"status": 503, "message": "no slot after 30 s", "count": 1, "tasks": 1},
        same | {"status": None, "message": None, "count": 1, "tasks": 1},
    ]


def _in_slices(lost: dict[str, int]) -> list[dict[str, Any]]:
    """Six tasks of two repeats in each of three slices, of which the first few fail."""
    return [
        {"task": 10 * place + task, "repeat": repeat, "slices": json.dumps({"kind": kind})}
        | (_failed("m") if task < count else {"score": 1.0})
        for place, (kind, count) in enumerate(lost.items())
        for task in range(6)
        for repeat in range(2)
    ]


def test_a_slice_whose_rollouts_all_failed_is_named() -> None:
    [found] = failed_in_slices(aligned(_in_slices({"a": 0, "b": 6, "c": 0})))
    told = {name: found["numbers"][name] for name in ("field", "value", "failed", "rollouts", "rest_failed", "rest")}
    assert told == {"field": "kind", "value": "b", "failed": 12, "rollouts": 12, "rest_failed": 0, "rest": 24}
    # Hypergeometric: 1 / C(18, 6) = 1 / 18564, the smallest of three tests.
    assert found["numbers"]["q"] == pytest.approx(3 / 18_564)


def test_failures_all_over_are_of_no_slice() -> None:
    assert list(failed_in_slices(aligned(_in_slices({"a": 3, "b": 3, "c": 3})))) == []


@pytest.mark.parametrize(
    ("status", "message", "label"),
    [
        (400, "Invalid schema for function 'f': 'additionalProperties' is required", "TI"),
        (422, "Unsupported parameter: 'temperature' is not supported with this model.", "TI"),
        (400, "This model's maximum context length is 8192 tokens", None),
        (400, "bad request", None),
        (429, "rate limit reached", "IR"),
        (503, None, "IR"),
        (401, "invalid_api_key", "IR"),
        (200, "invalid_request_error", None),
        (None, "Invalid schema", None),
    ],
)
def test_the_answer_to_a_request_tells_whose_fault_it_is(status: int | None, message: str | None, label: str) -> None:
    assert cause_of_answer(status, message) == label
