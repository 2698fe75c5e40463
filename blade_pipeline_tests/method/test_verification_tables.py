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


SOMETIMES = "sometimes passes, and no record names a cause"
# Tasks 1 and 2 pass 1 of 2 repeats each and lost 0.5 of 4 task scores, 12.5 points; what task 2 lost has a cause that
# was seen. Task 3 lost all, one of its two rollouts to a missing row. 7 of 8 rollouts have a score.
# Task 0 always passes, so an analyst's label of it is none of a failed or mixed task.
ALWAYS = {"agent": "a", "stage": 0, "task": "0", "bucket": "always_pass", "label": "UK", "by": "analyst", "rule": None}
CAUSES = {
    "labels": [
        ALWAYS,
        {"agent": "a", "stage": 0, "task": "1", "label": "UK", "by": "rule", "rule": SOMETIMES, "confidence": "low"},
        {"agent": "a", "stage": 0, "task": "2", "label": "UK", "by": "analyst", "rule": None, "confidence": None},
        {"agent": "a", "stage": 0, "task": "3", "label": "unlabelled", "by": "rule", "rule": None, "confidence": None},
    ],
    "counts": {"UK": 2, "unlabelled": 1},
    "recommendations": [{"label": "UK", "tasks": 2, "reasons": [{"reason": "timeout", "count": 2, "total": 2}]}],
}
LABELLED = """## Executive Summary

12.5% (1 of 8 expected rollouts) carry no score.

No record names a main cause for 2 of 4 tasks, which lost 37.5 points of pass@1: 12.5 points on 1 that pass in some \
repeat, 25.0 points on 1 that pass in no measured one.

Most to gain: infrastructure (IR), which a rule proposes for 1 lost rollout on 1 of 4 tasks, at most 12.5 points of \
pass@1.

Most to gain: knowledge (UK), which a rule proposes or an analyst found for 1 lost rollout on 1 of 4 tasks, at most \
12.5 points of pass@1.

Of all causes that were seen, most score could be recovered from IR: 1 lost rollout on 1 of 4 tasks carry it, 0.5 in \
the sum of task scores if all of them passed.

IR: the label of no task. In tasks of any label 1 lost rollout, on 1 task, carry it: 0.50 of 4 task scores (12.5%) at \
most if all of them passed.

UK: 2 of 4 tasks. For 1 of these 2 no record names a main cause: read some before acting on it.

- **Do next:** `timeout` in 2 of 2 lost rollouts of the tasks labelled UK: Raise the limit. (UK, 2 of 4 tasks.) See R

## Dominant Failure Modes

| Label | Decided by | Confidence | Tasks | Which |
| --- | --- | --- | ---: | --- |
| UK | proposed by rule: sometimes passes, and no record names a cause | low | 1 | `1` |
| UK | analyst |   | 2 | `0`, `2` |

| Task | Label | Evidence (rollouts) | Note |
| --- | --- | --- | --- |
| `1` | UK | `1-1` | Passes 1 of 2 repeats; 1 of 1 failed ones answered, and nothing in their rows names a cause. |
"""


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("cause for 2 of 4", "cause for 1 of 4", ("1", "2")),
        ("which lost 37.5 points", "which lost 12.5 points", ("12.5 points", "37.5 points")),
        ("12.5 points on 1 that", "25.0 points on 1 that", ("25.0 points", "12.5 points")),
        ("25.0 points on 1 that", "25.0 points on 2 that", ("2", "1")),
        ("(IR), which a rule proposes for 1 lost", "(IR), which a rule proposes for 3 lost", ("3", "1")),
        (
            "proposes for 1 lost rollout on 1 of 4 tasks, at most 12.5",
            "proposes for 1 lost rollout on 1 of 4 tasks, at most 25.0",
            ("25.0 points", "12.5 points"),
        ),
        ("label 1 lost rollout, on 1", "label 2 lost rollouts, on 1", ("2", "1")),
        ("carry it: 0.50 of 4 task scores (12.5%)", "carry it: 1.00 of 4 task scores (25.0%)", ("1.00", "0.50")),
        ("For 1 of these 2", "For 2 of these 2", ("2", "1")),
        ("(1 of 8 expected", "(2 of 8 expected", ("2", "1")),
        ("found for 1 lost rollout on 1 of 4", "found for 1 lost rollout on 3 of 4", ("3", "1")),
        ("found for 1 lost rollout on 1 of 4", "found for 1 lost rollout on 1 of 7", ("7", "4")),
        (
            "found for 1 lost rollout on 1 of 4 tasks, at most 12.5",
            "found for 1 lost rollout on 1 of 4 tasks, at most 37.5",
            ("37.5 points", "12.5 points"),
        ),
        ("from IR: 1 lost rollout on 1 of 4", "from IR: 3 lost rollouts on 1 of 4", ("3", "1")),
        ("carry it, 0.5 in the", "carry it, 1.5 in the", ("1.5", "0.5")),
        ("in 2 of 2 lost", "in 3 of 3 lost", ("3", "2")),
        ("a cause | low | 1 |", "a cause | low | 4 |", ("4", "1")),
        ("| UK | analyst |   | 2 |", "| UK | analyst |   | 1 |", ("1", "2")),
        ("Passes 1 of 2", "Passes 2 of 2", ("2", "1")),
        ("1 of 1 failed ones", "1 of 2 failed ones", ("2", "1")),
    ],
)
def test_what_root_causes_hold_is_recounted(right: str, planted: str, expected: tuple[str, str]) -> None:
    labelled = Verifier(replace(evidence(), documents={"root_causes": CAUSES}))
    assert labelled.report(LABELLED)["ok"]
    assert LABELLED.count(right) == 1
    assert expected in wrong(labelled.report(LABELLED.replace(right, planted)))


# Of the run's eight rollouts two more are lost here, in two tasks, beside the one that is missing.
LOST = """## Aggregate Results

| Failure class | Rollouts lost | Attempts | Terminal attempts | Rollouts recovered |
| --- | ---: | ---: | ---: | ---: |
| `Timeout` | 2 | 5 | 1 | 0 |

| Outcome | Reason | Rollouts | Tasks |
| --- | --- | ---: | ---: |
| failed | `Timeout` | 2 | 2 |
| missing | `no row` | 1 | 1 |
"""


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("| `Timeout` | 2 | 5", "| `Timeout` | 4 | 5", ("4", "2")),
        ("| 5 | 1 | 0 |", "| 6 | 1 | 0 |", ("6", "5")),
        ("| 5 | 1 | 0 |", "| 5 | 0 | 0 |", ("0", "1")),
        ("| 5 | 1 | 0 |", "| 5 | 1 | 1 |", ("1", "0")),
        ("failed | `Timeout` | 2 | 2", "failed | `Timeout` | 3 | 2", ("3", "2")),
        ("`no row` | 1 | 1", "`no row` | 1 | 2", ("2", "1")),
    ],
)
def test_rollouts_without_a_score_are_recounted(right: str, planted: str, expected: tuple[str, str]) -> None:
    given = evidence()
    rows = given.aligned.to_pylist()
    for row in rows[4:8:2]:
        row |= {"outcome": "failed", "passed": None, "score": None, "reason": "Timeout", "failure_class": "Timeout"}
    rows[7]["reason"] = "no row"
    failures = [{"class": "Timeout", "count": 2, "attempts": 5, "terminal": 1, "recovered": 0}]
    aligned = pa.Table.from_pylist(rows, schema=given.aligned.schema)
    lost = Verifier(replace(given, aligned=aligned, documents={"coverage": {"failures": failures}}))
    assert lost.report(LOST)["ok"]
    assert LOST.count(right) == 1
    assert expected in wrong(lost.report(LOST.replace(right, planted)))


TOOL = """## Cross-Model Comparison

### `r` against `p`: Different

`x` against `x`: 0 pass to fail, 6 fail to pass, 2 tied, 4 unchanged; 12 task indices in common.
"""


@pytest.mark.parametrize(("right", "planted"), [("0 pass", "1 pass"), ("6 fail", "4 fail"), ("12 task", "6 task")])
def test_flips_by_task_index_are_those_of_the_pair(right: str, planted: str) -> None:
    flips = {"pass_to_fail_count": 0, "fail_to_pass_count": 6, "tied_count": 2, "unchanged_count": 4}
    agents = [{"flips": flips | {"common_task_count": 12}}]
    pair = {"run_a": "p", "run_b": "r", "checks": [], "difference": None, "gym_compare": {"agents": agents}}
    paired = Verifier(replace(evidence(), documents={"run_comparison": {"pairs": [pair]}}))
    assert paired.report(TOOL)["ok"]
    assert len(wrong(paired.report(TOOL.replace(right, planted)))) == 1
