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


def test_a_repeat_that_is_wholly_gone_hides_no_outage_of_another() -> None:
    gone = {(task, 2): "missing" for task in range(10)}
    [found] = outages(aligned(_run(gone | {(task, 1): "failed" for task in range(8)})))
    told = {name: found[name] for name in ("repeat", "lost", "rollouts", "rest_lost", "rest")}
    assert told == {"repeat": 1, "lost": 8, "rollouts": 10, "rest_lost": 0, "rest": 10}
    # Hypergeometric: C(10, 8) / C(20, 8) = 45 / 125970, as much for the eight on the other side, times two repeats.
    assert found["p"] == pytest.approx(2 * 2 * 45 / 125_970)


def test_a_failure_class_that_names_the_task_is_no_outage() -> None:
    rows = _run({(task, 1): "failed" for task in range(6)})
    rows = [row | ({"failure_class": "judge_invalid"} if "failure_class" in row else {}) for row in rows]
    assert list(outages(aligned(rows))) == []


def _in_time(lost: dict[int, int]) -> list[dict[str, Any]]:
    """Ten tasks of four repeats, task by task in time; of each quarter of ten rollouts so many are lost."""
    rows = [
        {
            "task": task,
            "repeat": repeat,
            "score": 1.0,
            "output_items": 1,
            "total_tokens": 40,
            "created_at": 1e9 + 9 * at,
        }
        for at, (task, repeat) in enumerate((task, repeat) for task in range(10) for repeat in range(4))
    ]
    for quarter, losses in lost.items():
        for row in rows[10 * quarter : 10 * quarter + losses]:
            row |= LOST["scored"]
    return rows


def test_a_quarter_of_the_run_that_lost_more_than_the_others_is_named() -> None:
    [found] = outages(aligned(_in_time({2: 1, 3: 8})))
    assert {name: found[name] for name in ("quarter", "lost", "rollouts", "rest_lost", "rest")} == {
        "quarter": 4, "lost": 8, "rollouts": 10, "rest_lost": 1, "rest": 30,
    }  # fmt: skip
    assert found["by_quarter"] == [0, 0, 1, 8]
    # Hypergeometric: (C(10, 8) * C(30, 1) + C(10, 9)) / C(40, 9), times four repeats and four quarters.
    assert found["p"] == pytest.approx(8 * (45 * 30 + 10) / 273_438_880)


def test_losses_at_any_time_and_rows_of_one_moment_are_no_outage_in_time() -> None:
    assert list(outages(aligned(_in_time({0: 2, 1: 2, 2: 2, 3: 3})))) == []
    assert list(outages(aligned([row | {"created_at": 1e9} for row in _in_time({3: 8})]))) == []


def test_a_quarter_that_is_a_repeat_is_told_as_the_repeat() -> None:
    rows = _run({(task, 1): "scored" for task in range(6)})
    timed = [row | {"created_at": 1e9 + 100 * row["repeat"] + row["task"]} for row in rows]
    assert [found["repeat"] for found in outages(aligned(timed))] == [1]
