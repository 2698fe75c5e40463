"""Tables of a report held against rows: one figure planted at a time, the right ones counted by hand."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.verification import Verifier
from blade_pipeline.tables import PAIRED_TASKS
from blade_pipeline_tests.method.test_verification import evidence, wrong

# The run passes 2, 1, 1 and 0 of its tasks' repeats; task 3 is not among the baseline's.
BEFORE = {"0": (2, 1), "1": (4, 3), "2": (2, 1)}
NOW = {"0": (2, 2), "1": (2, 1), "2": (2, 1)}
TASKS = """## Task Outcome Buckets

| Task | Passed of measured | Baseline | Change |
| --- | --- | ---: | ---: |
| `0` | 2 of 2 | 1 of 2 | +50.0 points |
| `1` | 1 of 2 | 3 of 4 | -25.0 points |
| `2` | 1 of 2 | 1 of 2 | 0.0 points |
| `3` | 0 of 1 | none | none |
"""


@pytest.fixture(scope="module")
def paired() -> Verifier:
    rows: list[dict[str, Any]] = [
        {
            "agent": "a",
            "stage": 0,
            "task": task,
            "baseline_task": task,
            "measured": NOW[task][0],
            "passed": NOW[task][1],
            "baseline_measured": measured,
            "baseline_passed": passed,
        }
        for task, (measured, passed) in BEFORE.items()
    ]
    return Verifier(replace(evidence(), paired=pa.Table.from_pylist(rows, schema=PAIRED_TASKS)))


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("| 1 of 2 | +50.0", "| 0 of 2 | +50.0", ("0", "1")),
        ("| 3 of 4 |", "| 3 of 3 |", ("3", "4")),
        ("+50.0 points", "+25.0 points", ("+25.0 points", "50.0 points")),
        ("-25.0 points", "25.0 points", ("25.0 points", "-25.0 points")),
        ("| 0.0 points", "| 1.0 points", ("1.0 points", "0.0 points")),
    ],
)
def test_what_the_baseline_did_on_a_task_is_held_against_its_rows(
    paired: Verifier, right: str, planted: str, expected: tuple[str, str]
) -> None:
    assert paired.report(TASKS)["counts"] == {
        "confirmed": 17,
        "contradicted": 0,
        "unplaced": 0,
        "wrong_totals": 0,
        "wrong_ids": 0,
    }
    assert TASKS.count(right) == 1
    assert wrong(paired.report(TASKS.replace(right, planted))) == [expected]


def test_without_the_baseline_s_rows_nothing_is_said_of_it() -> None:
    assert Verifier(evidence()).report(TASKS.replace("1 of 2 | +50.0", "0 of 2 | +40.0"))["ok"]


# Tasks 1 and 2 pass 1 of 2 repeats each: UK lost 0.5 + 0.5 of 4 task scores, 25 points. 7 of 8 rollouts have a score.
CAUSES = {
    "labels": [
        {"agent": "a", "stage": 0, "task": "1", "label": "UK", "by": "rule", "rule": "sometimes", "confidence": "low"},
        {"agent": "a", "stage": 0, "task": "2", "label": "UK", "by": "analyst", "rule": None, "confidence": None},
        {"agent": "a", "stage": 0, "task": "3", "label": "unlabelled", "by": "rule", "rule": None, "confidence": None},
    ],
    "counts": {"UK": 2, "unlabelled": 1},
    "recommendations": [{"label": "UK", "tasks": 2, "reasons": [{"reason": "timeout", "count": 2, "total": 2}]}],
}
LABELLED = """## Executive Summary

12.5% (1 of 8 expected rollouts) carry no score. Most was lost where no record says why (1 of 4 tasks).

Most to gain: knowledge (UK), which a rule proposes or an analyst found for 2 of 4 tasks, at most 25.0 points of pass@1.

- **Do next:** `timeout` in 2 of 2 lost rollouts of the tasks labelled UK: Raise the limit. (UK, 2 of 4 tasks.) See R

## Dominant Failure Modes

| Label | Decided by | Confidence | Tasks | Which |
| --- | --- | --- | ---: | --- |
| UK | proposed by rule: sometimes | low | 1 | `1` |
| UK | analyst |   | 1 | `2` |

| Task | Label | Evidence (rollouts) | Note |
| --- | --- | --- | --- |
| `1` | UK | `1-1` | Passes 1 of 2 repeats; 1 of 1 failed ones answered and show no symptom. |
"""


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("says why (1 of 4", "says why (2 of 4", ("2", "1")),
        ("(1 of 8 expected", "(2 of 8 expected", ("2", "1")),
        ("for 2 of 4 tasks, at", "for 3 of 4 tasks, at", ("3", "2")),
        ("for 2 of 4 tasks, at", "for 2 of 7 tasks, at", ("7", "4")),
        ("at most 25.0 points", "at most 37.5 points", ("37.5 points", "25.0 points")),
        ("in 2 of 2 lost", "in 3 of 3 lost", ("3", "2")),
        ("sometimes | low | 1 |", "sometimes | low | 4 |", ("4", "1")),
        ("| UK | analyst |   | 1 |", "| UK | analyst |   | 2 |", ("2", "1")),
        ("Passes 1 of 2", "Passes 2 of 2", ("2", "1")),
        ("1 of 1 failed ones", "1 of 2 failed ones", ("2", "1")),
    ],
)
def test_what_root_causes_hold_is_recounted(right: str, planted: str, expected: tuple[str, str]) -> None:
    labelled = Verifier(replace(evidence(), documents={"root_causes": CAUSES}))
    assert labelled.report(LABELLED)["ok"]
    assert LABELLED.count(right) == 1
    assert expected in wrong(labelled.report(LABELLED.replace(right, planted)))
