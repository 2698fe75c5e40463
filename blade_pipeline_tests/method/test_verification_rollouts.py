"""Rollouts that exist, exchanged for another in a statement that is not true of it."""

from dataclasses import replace

import pytest

from blade_pipeline.method.verification import Verifier
from blade_pipeline_tests.method.test_verification import evidence

# Of task 1 the first repeat passes, of task 2 the second; 1-1 and 2-0 time out, 3-0 is wrong.
RIGHT = """## Sometimes-Pass Deep Dives

The first is task `1`: `1-0` passes and `1-1` fails; 2-1 passes and 2-0 fails.

### Task `1`: 1 of 2 measured repeats pass

- Passing: `1-0` (`rollouts.jsonl` line 3)
- Failing: `1-1` (`rollouts.jsonl` line 4)

| Feature | 1-0 passes | 1-1 fails |
| --- | --- | --- |
| steps in order | `a` | `b` |

| Rollout | Outcome |
| --- | --- |
| `1-1` (`rollouts.jsonl` line 4) | failed the verifier |

### Examples that show each mode

- `timeout`: task `2`, rollout `2-0`, `rollouts.jsonl` line 5: response

| Task | Label | Evidence (rollouts) | Note |
| --- | --- | --- | --- |
| `2` | BI | `2-0` |   |

| Id | Fact | Hard to guess | Evidence |
| --- | --- | --- | --- |
| `F1` | A mode is `timeout`: 2 of 3 failed rollouts (66.7%), on 2 tasks. | low | failure mode: `1-1` |
"""

PLANTED = [
    ("`1-0` passes and", "`1-1` passes and", [("1-1", "did not end so")]),
    ("`1-1` fails;", "`2-0` fails;", [("2-0", "is of another task")]),
    ("2-1 passes", "2-0 passes", [("2-0", "did not end so")]),
    ("| 1-0 passes |", "| 2-1 passes |", [("2-1", "is of another task")]),
    ("| 1-1 fails |", "| 1-0 fails |", [("1-0", "did not end so")]),
    ("| 1-1 fails |", "| 1-7 fails |", [("1-7", "does not exist")]),
    ("- Failing: `1-1` (`rollouts.jsonl` line 4)", "- Failing: `2-0`", [("2-0", "is of another task")]),
    ("| `1-1` (`rollouts.jsonl` line 4) |", "| `2-0` |", [("2-0", "is of another task")]),
    ("task `2`, rollout `2-0`", "task `1`, rollout `2-0`", [("2-0", "is of another task")]),
    ("- `timeout`: task", "- `wrong`: task", [("2-0", "shows another failure mode")]),
    ("| `2` | BI | `2-0` |", "| `2` | BI | `1-1` |", [("1-1", "is of another task")]),
    ("failure mode: `1-1`", "failure mode: `3-0`", [("3-0", "shows another failure mode")]),
]


def test_rollouts_that_are_those_spoken_of_are_not_listed() -> None:
    assert Verifier(evidence()).report(RIGHT)["ids"] == []


@pytest.mark.parametrize(("right", "planted", "expected"), PLANTED)
def test_a_rollout_exchanged_for_another_is_found(right: str, planted: str, expected: list[tuple[str, str]]) -> None:
    assert RIGHT.count(right) == 1
    found = Verifier(evidence()).report(RIGHT.replace(right, planted))["ids"]
    assert [(entry["id"], entry["problem"]) for entry in found] == expected


def test_an_analyst_may_cite_rollouts_of_another_task() -> None:
    causes = {"root_causes": {"labels": [{"agent": "agent", "stage": 0, "task": "2", "by": "analyst", "label": "BI"}]}}
    text = RIGHT.replace("| `2` | BI | `2-0` |", "| `2` | BI | `1-1` |")
    assert Verifier(replace(evidence(), documents=causes)).report(text)["ids"] == []


def test_a_range_of_rollouts_that_failed_names_none() -> None:
    assert Verifier(evidence()).report("Of these, 1-0 failed rollouts per task are usual.\n")["ids"] == []


def test_an_id_that_the_report_masks_is_not_judged_in_a_heading_either() -> None:
    text = RIGHT.replace("| 1-1 fails |", r"| a \[not shown\] fails |")
    assert Verifier(evidence()).report(text)["ids"] == []
