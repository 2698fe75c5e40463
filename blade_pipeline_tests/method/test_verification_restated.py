"""What a report counts or takes over from a document, with errors planted one by one."""

from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.tables import FAILURE_MODES, PAIRED_TASKS
from blade_pipeline_tests.builders import aligned, buckets_of

# Four tasks of three repeats: p passed, f failed, m masked, - missing. 7 of 12 are measured, 3 of these pass.
MARKS = {"0": "ppm", "1": "fff", "2": "pf-", "3": "---"}
OUTCOMES = {"p": "measured", "f": "measured", "m": "masked", "-": "missing"}
_TASK = {"agent": "agent", "stage": 0, "by": "rule"}
NOTE = "Fails all 3 measured repeats; 2 of 3 failed ones answered, and nothing names a cause."
LABELS: list[dict[str, Any]] = [
    _TASK
    | {"task": "1", "bucket": "always_fail", "label": "KG", "rule": "never", "confidence": "low"}
    | {"evidence": ["1-0", "1-1", "1-2"], "note": NOTE},
    _TASK | {"task": "2", "bucket": "sometimes_pass", "label": "unlabelled", "evidence": [], "note": ""},
]
INTERVAL = {"level": 0.95, "low": 0.1, "high": 0.9, "note": "all 3 tasks have the same mean"}
NATIVE = {
    "mean/reward": 0.4,
    "per_sample_aggregate": {"accuracy": [50.0, 25.5]},
    "profile_completion": {"a": 1, "b": 2},
}
SCORES = {
    "intervals": {"pass_at_1": INTERVAL},
    "bounds": {"pass_at_1": {"low": 0.25, "high": 0.75}, "mean_reward": {"low": 0.25, "high": 0.6}},
    "agents": {
        "agent": {"native": NATIVE, "native_notes": ["`mean/reward` is 0.4 and our mean score 0.5: see there."]}
    },
}
MASKED = "the share of masked rollouts"
CHECK = {
    "id": "x",
    "label": MASKED,
    "note": f"{MASKED} is 1 of 9 against 0 of 9",
    "status": "same",
    "source_a": "rows response.model (9 of 9)",
    "source_b": "rows response.model (8 of 8)",
}
MODES = {
    "tests": 1, "change": 0.28, "a": {"count": 2, "measured": 9}, "b": {"count": 4, "measured": 8},
    "rows": [{"code": "wrong", "label": "a wrong answer", "change": 0.31, "p": 0.012, "holm_p": 0.012,
              "a": {"count": 1, "measured": 9}, "b": {"count": 3, "measured": 8}}],
}  # fmt: skip
TOOLS = {
    "tests": 3,
    "rows": [{"tool": "search", "change": -0.42, "p": 0.007, "holm_p": 0.021,
              "a": {"count": 6, "measured": 7}, "b": {"count": 2, "measured": 5}}],
}  # fmt: skip
FLIPS = {"gained": 1, "lost": 0, "unchanged": 3, "note": "it is a candidate: q = 0.10 over 4 tasks", "candidates": []}
PAIR = {
    "run_a": "old", "run_b": "one", "sentence": "one scores 12 points more.", "paragraph": "", "flips": FLIPS,
    "checks": [CHECK, {"id": "y", "status": "unknown"}], "difference": {},
    "gym_compare": {"agents": [{"flips": {}, "metrics": [
        {"metric": "mean/reward", "baseline": 0.25, "candidate": 0.5, "delta": 0.25, "delta_ci_low": -0.1,
         "delta_ci_high": 0.6}]}]},
    "mix": {"by": [{"field": "kind", "categories": [
        {"value": "sums", "tasks_a": 3, "tasks_b": 4, "a": 0.5, "b": 0.25}]}]},
}  # fmt: skip
MANIFEST = {
    "files": [{"name": "rollouts.jsonl", "size": 12_345}],
    "values": {
        "model": {"value": "m", "source": "rows response.model (8 of 9)"},
        "limit": {"value": None, "reason": "rows disagree: 5 (1), 6 (2)"},
    },
}
COVERAGE = {
    "assumptions": ["7 rows carry no index."],
    "findings": [{"kind": "low coverage", "sentence": "Only 7 of 12 rollouts have a score."}],
}
DOCUMENTS = {
    "pass_at_k": SCORES,
    "root_causes": {"labels": LABELS, "counts": {"KG": 1, "unlabelled": 1}},
    "run_manifest": MANIFEST,
    "coverage": COVERAGE,
    "run_comparison": {"pairs": [PAIR], "modes": MODES, "tools": TOOLS},
}
REPORT = """# Demo BLADE Analysis Report

## Executive Summary

Nothing to compare with yet. 41.7% (5 of 12 expected rollouts) carry no score; depending on those, pass@1 lies between \
25.0% and 75.0%. Taken alone, 3 tasks say little about others of the kind, which could give 10.0% to 90.0%.

- **Score:** pass@1 50.0%: 3 of 7 measured rollouts pass, over 3 measured tasks. On other tasks: 10.0% to \
90.0% (95% interval).
- **Coverage:** 58.3% (7 of 12 have a valid score).
- **Caution:** Only 7 of 12 rollouts have a score.

## Artifact Inventory

1 file in the run directory:

| File | Role | Size |
| --- | --- | ---: |
| `rollouts.jsonl` | rollouts | 12.3 KB |

1 of 2 properties of the run are known:

| Property | Value | Read from |
| --- | --- | --- |
| `model` | `m` | rows response.model (8 of 9) |

- unknown: rows disagree: 5 (1), 6 (2): `limit`

## Aggregate Results

| Outcome | Rollouts | Share | Means |
| --- | ---: | ---: | --- |
| measured | 7 | 58.3% (7 of 12) | has a valid score |
| masked | 1 | 8.3% (1 of 12) | ran |
| missing | 4 | 33.3% (4 of 12) | no row |
| sum | 12 | 100.0% (12 of 12) | equals the 12 expected |

7 rows carry no index.

| k | pass@k |
| ---: | ---: |
| 1 | 50.0% |
| 2 | 66.7% |
| 3 | 0.0% |

| Metric | Value | Is |
| --- | ---: | --- |
| pass@1 (macro) | 50.0% | mean over 3 measured tasks of each task's share of passed rollouts |
| pass@2 | 66.7% | chance that at least one of 2 repeats passes, mean over 3 measured tasks |

| Metric | Worst | Best |
| --- | ---: | ---: |
| `mean_reward` | 0.25 | 0.6 |

| Repeat | Rollouts | With a score |
| --- | ---: | ---: |
| 0 | 4 | 75.0% (3 of 4) |
| 1 | 4 | 75.0% (3 of 4) |
| 2 | 4 | 25.0% (1 of 4) |

NeMo Gym's own 4 numbers

### Agent `agent`

| Name | Value |
| --- | ---: |
| `per_sample_aggregate` | {"accuracy": [50.0, 25.5]} |

### Where NeMo Gym's own numbers differ from ours, and why

- `mean/reward` is 0.4 and our mean score 0.5: see there.

## Task Outcome Buckets

| Bucket | Tasks | Share |
| --- | ---: | ---: |
| N  never pass | 1 | 25.0% (1 of 4) |
| sum | 4 | 100.0% (4 of 4) |

| Task | Passed of measured | Reason |
| --- | --- | --- |
| `0` | 2 of 2 | 1 masked |
| `3` | none | 3 missing |

## Failure Modes and Root Causes

| Mode | Of failed |
| --- | ---: |
| `wrong` | 100.0% (4 of 4) |
| sum | 100.0% (4 of 4) |

50.0% (1 of 2 failed or mixed tasks) carries no label: no evidence decides.

Labels task by task, 1 of 1:

| Task | Label | Decided by | Evidence (rollouts) | Note |
| --- | --- | --- | --- | --- |
| `1` | KG | rule | `1-0`, `1-1` and 1 more | Fails all 3 measured repeats; 2 of 3 failed ones answered, and nothing \
names a cause. |

## Never-Pass Deep Dives

### Task `1`: 0 of 3 measured repeats pass

2 of 3 rollouts:

## Cross-Model Comparison

### `one` against `old`: no change

1 of 2 checks are unknown

| Check | Group | Status | old | one | Decides |
| --- | --- | --- | --- | --- | --- |
| the share of masked rollouts is 1 of 9 against 0 of 9 | accounting | same | `m`, rows response.model (9 of 9) | `m`, \
rows response.model (8 of 8) | no |

Tasks gained: 1, lost: 0, unchanged: 3; it is a candidate: q = 0.10 over 4 tasks.

Beyond chance in a failure mode: wrong (a wrong answer) from 1 of 9 rollouts before to 3 of 8, +31.0 points, \
p = 0.012 (p after Holm's correction over 1 mode); all failures together: +28.0 points.

Failed rollouts by mode, on 4 common tasks:

| Mode | First run | Second run | Change | p, Holm |
| --- | --- | --- | ---: | --- |
| `wrong`: a wrong answer | 1 of 9 | 3 of 8 | +31.0 points | p = 0.012 |
| all failures | 2 of 9 | 4 of 8 | +28.0 points | - |

Beyond chance in the tools called: search in 6 of 7 rollouts before and 2 of 5 now, -42.0 points, p = 0.021 (p after \
Holm's correction over 3 tools).

| Tool | First run | Second run | Change | p, Holm |
| --- | --- | --- | ---: | --- |
| `search` | 6 of 7 | 2 of 5 | -42.0 points | p = 0.021 |

| Metric | Baseline | Candidate | Delta | Welch interval over repeats |
| --- | ---: | ---: | ---: | --- |
| `mean/reward` | 0.25 | 0.5 | 0.25 | -0.1 to 0.6 |

| Category | Tasks, first run | Tasks, second run | Score, first run | Score, second run |
| --- | ---: | ---: | ---: | ---: |
| `sums` | 3 | 4 | 50.0% | 25.0% |

### All tasks

| Tasks | never passes in the baseline | always passes in the baseline |
| --- | ---: | ---: |
| always passes in this run | 1 | 0 |

## Reproducibility Notes

| Metrics | Method | Level | Note |
| --- | --- | --- | --- |
| `pass_at_1` | t | 95% | all 3 tasks have the same mean |
"""
PLANTED = {
    "whole of the pass ratio": ("3 of 7 measured rollouts pass", "3 of 8 measured rollouts pass", "8"),
    "bounds in a sentence": ("25.0% and 75.0%", "25.0% and 85.0%", "85.0%"),
    "taken alone": ("Taken alone, 3", "Taken alone, 4", "4"),
    "could give": ("give 10.0% to", "give 20.0% to", "20.0%"),
    "measured tasks": ("pass, over 3 measured", "pass, over 4 measured", "4"),
    "level": ("(95% interval)", "(90% interval)", "90%"),
    "valid": ("(7 of 12 have", "(6 of 12 have", "6"),
    "finding": ("Only 7 of 12 rollouts", "Only 8 of 12 rollouts", "8"),
    "files": ("1 file in", "2 files in", "2"),
    "size": ("12.3 KB", "13.3 KB", "13.3 KB"),
    "properties": ("1 of 2 properties", "1 of 3 properties", "3"),
    "source": ("m` | rows response.model (8 of 9)", "m` | rows response.model (9 of 9)", "9"),
    "why unknown": ("disagree: 5 (1), 6 (2)", "disagree: 5 (1), 6 (3)", "3"),
    "sum of outcomes": ("100.0% (12 of 12) | equals", "100.0% (13 of 13) | equals", "13"),
    "expected": ("equals the 12", "equals the 13", "13"),
    "assumption": ("7 rows carry", "9 rows carry", "9"),
    "k": ("| 3 | 0.0% |", "| 4 | 0.0% |", "4"),
    "worst": ("| 0.25 | 0.6 |\n", "| 0.35 | 0.6 |\n", "0.35"),
    "repeats of pass@k": ("at least one of 2 repeats", "at least one of 3 repeats", "3"),
    "repeat": ("| 2 | 4 | 25.0%", "| 3 | 4 | 25.0%", "3"),
    "native numbers": ("own 4 numbers", "own 5 numbers", "5"),
    "native list": ("25.5]", "26.5]", "26.5"),
    "native note": ("mean score 0.5: see", "mean score 0.6: see", "0.6"),
    "sum of buckets": ("100.0% (4 of 4) |\n\n| Task | P", "100.0% (5 of 5) |\n\n| Task | P", "5"),
    "masked of a task": ("| 1 masked |", "| 2 masked |", "2"),
    "missing of a task": ("| 3 missing |", "| 2 missing |", "2"),
    "sum of modes": ("| sum | 100.0% (4 of 4) |\n\n50", "| sum | 100.0% (5 of 5) |\n\n50", "5"),
    "without a label": ("(1 of 2 failed or mixed", "(2 of 2 failed or mixed", "2"),
    "labels": ("by task, 1 of 1:", "by task, 1 of 2:", "2"),
    "further evidence": ("and 1 more", "and 2 more", "2"),
    "repeats in a note": ("Fails all 3 measured", "Fails all 2 measured", "2"),
    "answers in a note": ("; 2 of 3 failed ones", "; 1 of 3 failed ones", "1"),
    "rollouts of a task": ("2 of 3 rollouts:", "2 of 4 rollouts:", "4"),
    "checks": ("1 of 2 checks are", "1 of 3 checks are", "3"),
    "note of a check": ("is 1 of 9 against 0 of 9", "is 2 of 9 against 0 of 9", "2"),
    "source of a check": ("| `m`, rows response.model (8 of 8)", "| `m`, rows response.model (7 of 8)", "7"),
    "note of flips": ("over 4 tasks.", "over 5 tasks.", "5"),
    "a mode before": ("from 1 of 9 rollouts", "from 2 of 9 rollouts", "2"),
    "a mode now": ("before to 3 of 8", "before to 3 of 7", "7"),
    "change of a mode": ("3 of 8, +31.0 points", "3 of 8, +32.0 points", "+32.0 points"),
    "corrected p of a mode": ("p = 0.012 (p", "p = 0.011 (p", "0.011"),
    "tests of modes": ("over 1 mode)", "over 2 modes)", "2"),
    "change of all failures": ("together: +28.0", "together: +29.0", "+29.0 points"),
    "a mode's cell": ("| 1 of 9 | 3 of 8 |", "| 1 of 9 | 4 of 8 |", "4"),
    "a mode's change": ("| +31.0 points |", "| +21.0 points |", "+21.0 points"),
    "a mode's p": ("| p = 0.012 |", "| p = 0.013 |", "0.013"),
    "all failures": ("| 2 of 9 | 4 of 8 |", "| 2 of 9 | 5 of 8 |", "5"),
    "a tool before": ("in 6 of 7 rollouts", "in 5 of 7 rollouts", "5"),
    "a tool now": ("and 2 of 5 now", "and 2 of 4 now", "4"),
    "change of a tool": ("now, -42.0 points", "now, -43.0 points", "-43.0 points"),
    "corrected p of a tool": ("p = 0.021 (p", "p = 0.022 (p", "0.022"),
    "tests of tools": ("over 3 tools", "over 4 tools", "4"),
    "a tool's cell": ("| `search` | 6 of 7 |", "| `search` | 6 of 8 |", "8"),
    "a tool's change": ("| -42.0 points |", "| -40.0 points |", "-40.0 points"),
    "a tool's p": ("| p = 0.021 |", "| p = 0.031 |", "0.031"),
    "change of all": ("| +28.0 points |", "| +27.0 points |", "+27.0 points"),
    "the tool's metric": ("| 0.25 | 0.5 | 0.25", "| 0.25 | 0.4 | 0.25", "0.4"),
    "the tool's interval": ("-0.1 to 0.6", "-0.2 to 0.6", "-0.2"),
    "category": ("| 50.0% | 25.0% |", "| 50.0% | 35.0% |", "35.0%"),
    "square": ("this run | 1 | 0 |", "this run | 2 | 0 |", "2"),
    "level of a metric": ("| t | 95% |", "| t | 99% |", "99%"),
    "note of an interval": ("all 3 tasks have the same", "all 4 tasks have the same", "4"),
}


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    rows: list[dict[str, Any]] = [
        {"task": task, "repeat": repeat, "outcome": OUTCOMES[mark], "score": {"p": 1.0, "f": 0.0}.get(mark)}
        for task, marks in MARKS.items()
        for repeat, mark in enumerate(marks)
    ]
    samples = aligned(rows)
    modes = [
        {"agent": "agent", "stage": 0, "task": task, "repeat": str(repeat), "mode": "wrong"}
        for task, marks in MARKS.items()
        for repeat, mark in enumerate(marks)
        if mark == "f"
    ]
    # task 0 never passed before and always does now
    paired = [
        {"agent": "agent", "stage": 0, "task": "0", "baseline_task": "0", "measured": 2, "passed": 2,
         "baseline_measured": 2, "baseline_passed": 0}
    ]  # fmt: skip
    return Verifier(
        Evidence(
            "demo",
            "one",
            samples,
            None,
            pa.Table.from_pylist(modes, schema=FAILURE_MODES),
            buckets_of(samples),
            DOCUMENTS,
            pa.Table.from_pylist(paired, schema=PAIRED_TASKS),
        )
    )


def _wrong(verifier: Verifier, text: str) -> list[str]:
    return [figure["text"] for figure in verifier.report(text)["figures"] if figure["status"] == "contradicted"]


def test_right_figures_are_borne_out(verifier: Verifier) -> None:
    assert _wrong(verifier, REPORT) == []


@pytest.mark.parametrize("kind", PLANTED)
def test_an_error_is_found(verifier: Verifier, kind: str) -> None:
    right, planted, figure = PLANTED[kind]
    assert REPORT.count(right) == 1
    assert figure in _wrong(verifier, REPORT.replace(right, planted))
