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
