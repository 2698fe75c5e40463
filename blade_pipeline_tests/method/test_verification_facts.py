"""Facts held against what their queries give on the rows: one figure planted at a time."""

from dataclasses import replace

import pytest

from blade_pipeline.method.verification import Verifier
from blade_pipeline_tests.method.test_verification import evidence, wrong

HERE = "where benchmark = 'b' and run = 'r'"
QUERIES = {
    "F1": "select count(*) filter (mode = 'timeout') as n, count(*) as failed, count(distinct task) filter "
    f"(mode = 'timeout') as tasks from failure_modes {HERE}",
    "F2": f"select 2 as k, format('{{:.1f}}', 100 * avg(passed / measured))::double as p from pass_at_k {HERE}",
    "F3": f"select (document ->> '$.lost')::bigint as lost from documents {HERE} and asset = 'workflow_funnel'",
    "F4": "select count(*) from failed_attempts",
}
TEXT = """## Executive Summary

### Key findings

- The mode `timeout` holds 2 of 3 failed rollouts, on 2 tasks. [F1]

## Reproducibility Notes

| Id | Fact | Hard to guess | Evidence |
| --- | --- | --- | --- |
| `F1` | The mode `timeout` took 2 of 3, on 2 tasks. | high | rows |
| `F2` | One attempt passes with a chance of 50.0%, of 2 attempts and again of 2. | low | scores |
| `F3` | The largest drop is 31 rollouts. | low | funnel |
| `F4` | 77 failed attempts on record. | low | failure records |
"""


@pytest.fixture(scope="module")
def queried() -> Verifier:
    funnel = {"workflow_funnel": {"lost": 31, "phases": []}}
    return Verifier(replace(evidence(), queries=QUERIES, documents=funnel))


def test_right_facts_are_borne_out(queried: Verifier) -> None:
    assert queried.report(TEXT)["ok"]


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("holds 2 of 3", "holds 1 of 3", ("1", "2")),
        ("took 2 of 3, on 2 tasks", "took 2 of 3, on 3 tasks", ("3", "2")),
        ("took 2 of 3, on 2 tasks", "took 4 of 4, on 2 tasks", ("4", "3")),
        ("chance of 50.0%", "chance of 57.1%", ("57.1%", "50.0%")),
        ("again of 2", "again of 4", ("4", "2")),
        ("31 rollouts", "32 rollouts", ("32", "31")),
    ],
)
def test_a_figure_of_a_fact_is_what_its_query_gives(
    queried: Verifier, right: str, planted: str, expected: tuple[str, str]
) -> None:
    assert TEXT.count(right) == 1
    assert expected in wrong(queried.report(TEXT.replace(right, planted)))
