"""Slices, the funnel by slice and by model, and secondary modes held against rows, with errors planted one by one."""

from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of

OUTPUT = {"output_items": 1, "answer_length": 9, "total_tokens": 5, "response_status": "completed"}
CUT = {"incomplete_reason": "max_output_tokens"}
PROFILE = Profile.model_validate(
    {
        "funnel": [
            {"phase": "whole", "when": "incomplete_reason is null"},
            {"phase": "won", "when": "passed"},
        ],
        "failure_modes": [
            {"code": "cut", "when": "incomplete_reason is not null", "severity": 2},
            {"code": "slow", "when": "output_tokens > 9", "severity": 1},
        ],
    }
)
# Of 7 rollouts 6 completed, 3 of these are whole and 1 of these won. In b as many are lost at `won` as at `whole`, so
# that no slice differs from the run.
# a: five tasks, one rollout each: two pass, one of them cut and by the small model; one is cut, one is wrong and slow,
# one is missing. b: one task of two repeats, both wrong, one cut and slow.
ROWS: list[dict[str, Any]] = [
    {"task": 0, "score": 1.0, **OUTPUT, "model": "large", "slices": {"kind": "a"}},
    {"task": 1, "score": 1.0, **OUTPUT, **CUT, "model": "small", "slices": {"kind": "a"}},
    {"task": 2, "score": 0.0, **OUTPUT, **CUT, "model": "large", "slices": {"kind": "a"}},
    {"task": 3, "score": 0.0, **OUTPUT, "output_tokens": 10, "model": "large", "slices": {"kind": "a"}},
    {"task": 4, "outcome": "missing", "slices": {"kind": "a"}},
    {"task": 5, "score": 0.0, **OUTPUT, "model": "small", "slices": {"kind": "b"}},
    {"task": 5, "repeat": 1, "score": 0.0, **OUTPUT, **CUT, "output_tokens": 10, "model": "small",
     "slices": {"kind": "b"}},
]  # fmt: skip
REPORT = """# Demo BLADE Analysis Report

## Aggregate Results

By slice:

| Slice | Tasks | With a score | Passed of measured | pass@1 | Interval at 95%, new tasks | Never pass |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| `kind` = `a` | 5 | 80.0% (4 of 5) | 50.0% (2 of 4) | 50.0% | none | 50.0% (2 of 4) |
| `kind` = `b` | 1 | 100.0% (2 of 2) | 0.0% (0 of 2) | 0.0% | none | 100.0% (1 of 1) |

## Workflow Funnel

1 of 6 completed rollouts satisfies a later phase without an earlier one: `won` without `whole` (1).

In 0 of 2 slices most rollouts end at another phase than in the run: `kind` = `b` at `won` (1 of 1 that entered).

| Rollouts of slice | started | whole | won | Own largest drop-off |
| --- | ---: | ---: | ---: | --- |
| `kind` = `a` | 4 of 5 | 2 of 5 | 1 of 5 |   |
| `kind` = `b` | 2 of 2 | 1 of 2 | 0 of 2 | `won` (1 of 1 that entered) |

| Rollouts of model | started | whole | won |
| --- | ---: | ---: | ---: |
| `large` | 3 of 3 | 2 of 3 | 1 of 3 |
| `small` | 3 of 3 | 1 of 3 | 0 of 3 |
| no row, or no model named | 0 of 1 | 0 of 1 | 0 of 1 |

| Phase | Reached, of all | Lost, of entered |
| --- | ---: | ---: |
| `started` | 85.7% (6 of 7) | 14.3% (1 of 7) |
| `whole` | 42.9% (3 of 7) | 50.0% (3 of 6) |

## Dominant Failure Modes

| Mode | Of failed | Secondary in |
| --- | ---: | ---: |
| `cut` | 50.0% (2 of 4) |   |
| `slow` | 25.0% (1 of 4) | 25.0% (1 of 4) |

Seen only beside a more severe mode:

- `slow`: takes long, as a secondary mode in 25.0% (1 of 4 failed rollouts)

| Slice | Primary failure modes, of its failed rollouts |
| --- | --- |
| `kind` = `a` | `cut` 1 of 2, `slow` 1 of 2 |
| `kind` = `b` | `cut` 1 of 2, others 1 of 2 |
"""


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    table = aligned(ROWS)
    modes, document = failure_modes(table, PROFILE)
    documents = {"workflow_funnel": funnel(table, PROFILE), "failure_modes": document}
    return Verifier(Evidence("b", "r", table, None, modes, buckets_of(table), documents))


def _wrong(found: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(figure["text"], figure["right"]) for figure in found["figures"] if figure["status"] == "contradicted"]


def test_right_figures_are_borne_out(verifier: Verifier) -> None:
    found = verifier.report(REPORT)
    assert _wrong(found) == []
    assert found["ok"]


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("`a` | 5 |", "`a` | 6 |", [("6", "5")]),
        ("50.0% | none | 50.0% (2 of 4)", "60.0% | none | 50.0% (2 of 4)", [("60.0%", "50.0%")]),
        ("50.0% | none | 50.0% (2 of 4)", "50.0% | 10.0% to 90.0% | 50.0% (2 of 4)",
         [("10.0%", "nan%"), ("90.0%", "nan%")]),
        ("none | 100.0% (1 of 1)", "none | 0.0% (0 of 1)", [("0", "1")]),
        ("1 of 6 completed", "2 of 5 completed", [("2", "1"), ("5", "6")]),
        ("`won` without `whole` (1)", "`won` without `whole` (3)", [("3", "1")]),
        ("In 0 of 2 slices", "In 2 of 3 slices", [("2", "0"), ("3", "2")]),
        ("at `won` (1 of 1 that", "at `won` (2 of 2 that", [("2", "1"), ("2", "1")]),
        ("| 4 of 5 | 2 of 5 |", "| 4 of 5 | 3 of 5 |", [("3", "2")]),
        ("| `won` (1 of 1", "| `won` (0 of 1", [("0", "1")]),
        ("`large` | 3 of 3 | 2 of 3", "`large` | 3 of 3 | 1 of 3", [("1", "2")]),
        ("named | 0 of 1", "named | 1 of 1", [("1", "0")]),
        ("42.9% (3 of 7)", "57.1% (4 of 7)", [("4", "3")]),
        ("50.0% (2 of 4) |   |", "50.0% (2 of 4) | 25.0% (1 of 4) |", [("1", "0")]),
        ("mode in 25.0% (1 of 4", "mode in 50.0% (2 of 4", [("2", "1")]),
        ("`slow` 1 of 2", "`slow` 2 of 2", [("2", "1")]),
        ("others 1 of 2", "others 2 of 2", [("2", "1")]),
    ],
)  # fmt: skip
def test_every_planted_error_is_found(verifier: Verifier, right: str, wrong: str, told: list[tuple[str, str]]) -> None:
    assert REPORT.count(right) == 1
    found = _wrong(verifier.report(REPORT.replace(right, wrong)))
    assert [pair for pair in found if pair in told] == told


def test_a_secondary_mode_whose_name_is_not_shown_is_not_judged(verifier: Verifier) -> None:
    for shown in ("[redacted]", "slo…"):
        assert _wrong(verifier.report(REPORT.replace("- `slow`: takes", f"- `{shown}`: takes"))) == []


def test_the_numbers_of_slices_in_a_sidecar_are_recounted(verifier: Verifier) -> None:
    entry = {"field": "kind", "value": "a", "total_tasks": 5, "total_rollouts": 5, "num_tasks": 4, "num_rollouts": 4}
    entry |= {"passed_rollouts": 2, "never_pass_tasks": 2, "pass_at_1": 0.5, "failure_modes": {"cut": 1, "slow": 1}}
    assert verifier.sidecar({"slices": [entry]})["ok"]
    for name in ("total_tasks", "total_rollouts", "num_tasks", "num_rollouts", "passed_rollouts", "never_pass_tasks"):
        found = verifier.sidecar({"slices": [entry | {name: entry[name] + 1}]})
        assert _wrong(found) == [(str(entry[name] + 1), str(entry[name]))]
    assert _wrong(verifier.sidecar({"slices": [entry | {"pass_at_1": 0.6}]})) == [("0.6", "0.5")]
    assert _wrong(verifier.sidecar({"slices": [entry | {"failure_modes": {"cut": 2}}]})) == [("2", "1")]


# kind a: eight tasks that never pass; kind b: twelve that always do.
APART: list[dict[str, Any]] = [
    {"task": n, "score": float(n >= 8), **OUTPUT, "slices": {"kind": "a" if n < 8 else "b"}} for n in range(20)
]
SAID = """# Demo BLADE Analysis Report

## Executive Summary

- **By slice:** `kind` = `a` scores 0.0% on 8 tasks against 100.0% on the other 12 (q < 0.001).

## Aggregate Results

By slice:

| Slice | pass@1 | Stands apart | Tasks |
| --- | ---: | --- | ---: |
| `kind` = `a` | 0.0% | lower: 100.0% elsewhere, q < 0.001 | 8 |
"""


def _apart(text: str) -> list[str]:
    rows = aligned(APART)
    modes, _ = failure_modes(rows, Profile())
    document = {"headline_metric": "pass_at_1", "slices_left_out": []}
    evidence = Evidence("demo", "one", rows, None, modes, buckets_of(rows), {"pass_at_k": document})
    return [
        figure["text"] for figure in Verifier(evidence).report(text)["figures"] if figure["status"] == "contradicted"
    ]


def test_what_is_said_of_slices_that_stand_apart_is_borne_out() -> None:
    assert _apart(SAID) == []


@pytest.mark.parametrize(
    ("right", "wrong", "figure"),
    [
        ("against 100.0% on", "against 90.0% on", "90.0%"),
        ("scores 0.0% on", "scores 5.0% on", "5.0%"),
        ("on 8 tasks", "on 9 tasks", "9"),
        ("other 12 (q < 0.001)", "other 12 (q = 0.004)", "0.004"),
        ("lower: 100.0%", "lower: 80.0%", "80.0%"),
        ("elsewhere, q < 0.001", "elsewhere, q = 0.009", "0.009"),
    ],
)
def test_an_error_in_what_stands_apart_is_found(right: str, wrong: str, figure: str) -> None:
    assert right in SAID
    assert _apart(SAID.replace(right, wrong)) == [figure]
