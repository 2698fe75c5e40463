"""An outage in one repeat."""

from typing import Any

import pytest

from blade_pipeline.method.outages import outages
from blade_pipeline_tests.builders import aligned

LOST: dict[str, dict[str, Any]] = {
    "failed": {"outcome": "failed", "failure_class": "agent_request_failed", "score": None},
    "missing": {"outcome": "missing", "reason": "no row", "score": None},
    "scored": {"score": 0.0, "error_text": "503 service unavailable", "output_items": 0, "total_tokens": 40},
    "masked": {"outcome": "masked", "failure_kind": "session_lost", "score": None},
}


def _run(lost: dict[tuple[int, int], str]) -> list[dict[str, Any]]:
    """Ten tasks of three repeats that pass, but for the lost ones."""
    return [
        {"task": task, "repeat": repeat, "score": 1.0, "output_items": 1, "total_tokens": 40}
        | LOST.get(lost.get((task, repeat), ""), {})
        for task in range(10)
        for repeat in range(3)
    ]


@pytest.mark.parametrize("fate", LOST)
def test_a_repeat_that_lost_most_of_its_rollouts_is_named(fate: str) -> None:
    [found] = outages(aligned(_run({(task, 1): fate for task in range(6)})))
    told = {name: found[name] for name in ("repeat", "lost", "rollouts", "rest_lost", "rest")}
    assert told == {"repeat": 1, "lost": 6, "rollouts": 10, "rest_lost": 0, "rest": 20}
    # Hypergeometric: C(10, 6) / C(30, 6) = 210 / 593775, times three repeats.
    assert found["p"] == pytest.approx(3 * 210 / 593_775)


def test_losses_all_over_are_no_outage() -> None:
    assert list(outages(aligned(_run({(task, task % 3): "failed" for task in range(9)})))) == []


def test_a_repeat_that_is_wholly_gone_is_no_outage() -> None:
    assert list(outages(aligned(_run({(task, 1): "missing" for task in range(10)})))) == []


def test_a_failure_class_that_names_the_task_is_no_outage() -> None:
    rows = _run({(task, 1): "failed" for task in range(6)})
    rows = [row | ({"failure_class": "judge_invalid"} if "failure_class" in row else {}) for row in rows]
    assert list(outages(aligned(rows))) == []
