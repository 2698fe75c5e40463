"""Reports held against rows: a hand-made run of which every number is known, and errors planted one by one."""

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.method.verification.figures import figures_of
from blade_pipeline.method.verification.markdown import said
from blade_pipeline.models import Profile
from blade_pipeline.tables import ALIGNED_SAMPLES, FAILURE_MODES, RAW_ROLLOUTS

# Four tasks with two repeats each: 2, 1, 1 and 0 pass; one repeat of task 3 is missing.
PASSED: dict[tuple[int, int], bool | None] = {
    (0, 0): True,
    (0, 1): True,
    (1, 0): True,
    (1, 1): False,
    (2, 0): False,
    (2, 1): True,
    (3, 0): False,
    (3, 1): None,
}
# 7 measured, 4 pass. pass@1 = (1 + .5 + .5 + 0) / 4 = 50 %, over rollouts 4/7 = 57.1 %.
REPORT = """# Demo BLADE Analysis Report

## Executive Summary

pass@1 is 50.0%, the mean over 4 measured tasks; 57.1% over rollouts (4 of 7 measured rollouts pass).
Coverage: 87.5% (7 of 8 expected rollouts completed).
The dominant failure mode is `timeout`: 2 of 3 failed rollouts (66.7%), on 2 tasks.
The rollout files hold 7 lines: 7 rows, 0 blank, 0 malformed.

## Aggregate Results

| Outcome | Rollouts | Share |
| --- | ---: | ---: |
| measured | 7 | 87.5% (7 of 8) |
| missing | 1 | 12.5% (1 of 8) |
| sum | 8 | 100.0% (8 of 8) |

## Task Outcome Buckets

Of 4 tasks: 1 always pass, 2 sometimes pass, 1 indeterminate.

| Task | Passed of measured | Share |
| --- | --- | --- |
| `0` | 2 of 2 | 100.0% |
| `1` | 1 of 2 | 50.0% |

## Sometimes-Pass Deep Dives

2 tasks have passing and failing repeats.

### Task `1`: 1 of 2 measured repeats pass

- Passing: `1-0` (`rollouts.jsonl` line 3)
- Failing: `1-1` (`rollouts.jsonl` line 4)

Rollout `2-0` of task `2` ran into the time limit.
"""


def evidence(outcomes: dict[tuple[int, int], bool | None] = PASSED) -> Evidence:
    aligned, rows, line = [], [], 0
    for (task, repeat), passed in outcomes.items():
        line += passed is not None
        aligned.append(
            {
                "agent": "a",
                "stage": 0,
                "task": str(task),
                "repeat": str(repeat),
                "rank": repeat,
                "order": task,
                "outcome": "missing" if passed is None else "measured",
                "expected": True,
                "score": None if passed is None else float(passed),
                "passed": passed,
                "duplicates": 0,
                "slices": json.dumps({"kind": "even" if task % 2 == 0 else "odd"}),
                "rollout_id": None if passed is None else f"{task}-{repeat}",
                "file": None if passed is None else "rollouts.jsonl",
                "line": None if passed is None else line,
            }
        )
        if passed is not None:
            rows.append({"file": "rollouts.jsonl", "line": line, "line_class": "row"})
    modes = [("1", "1", "timeout"), ("2", "0", "timeout"), ("3", "0", "wrong")]
    table = pa.Table.from_pylist(aligned, schema=ALIGNED_SAMPLES)
    return Evidence(
        benchmark="b",
        run="r",
        aligned=table,
        rows=pa.Table.from_pylist(rows, schema=RAW_ROLLOUTS),
        modes=pa.Table.from_pylist(
            [
                {"agent": "a", "stage": 0, "task": task, "repeat": repeat, "mode": mode, "file": "rollouts.jsonl"}
                for task, repeat, mode in modes
            ],
            schema=FAILURE_MODES,
        ),
        buckets=outcome_buckets(table, Profile())[0],
    )


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier(evidence())


def wrong(found: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(figure["text"], figure["right"]) for figure in found["figures"] if figure["status"] == "contradicted"]


def test_a_right_report_is_borne_out(verifier: Verifier) -> None:
    found = verifier.report(REPORT)
    assert wrong(found) == []
    assert (found["totals"], found["ids"], found["ok"]) == ([], [], True)
    assert [figure["context"] for figure in found["figures"] if figure["status"] == "unplaced"] == []


PLANTED = [
    ("pass@1 is 50.0%", "pass@1 is 60.0%", ("60.0%", "50.0%")),
    ("57.1% over rollouts", "58.3% over rollouts", ("58.3%", "57.1%")),
    ("(4 of 7 measured", "(5 of 7 measured", ("5", "4")),
    ("Coverage: 87.5%", "Coverage: 97.5%", ("97.5%", "87.5%")),
    ("`timeout`: 2 of 3 failed rollouts (66.7%)", "`timeout`: 3 of 3 failed rollouts (100.0%)", ("3", "2")),
    ("hold 7 lines", "hold 9 lines", ("9", "7")),
    ("1 always pass, 2 sometimes", "2 always pass, 2 sometimes", ("2", "1")),
    ("2 tasks have passing", "4 tasks have passing", ("4", "2")),
    ("| `0` | 2 of 2 | 100.0% |", "| `0` | 1 of 2 | 50.0% |", ("1", "2")),
    ("Task `1`: 1 of 2", "Task `1`: 2 of 2", ("2", "1")),
    ("`1-0` (`rollouts.jsonl` line 3)", "`1-0` (`rollouts.jsonl` line 6)", ("6", "3")),
]


@pytest.mark.parametrize(("right", "planted", "expected"), PLANTED)
def test_a_planted_figure_is_contradicted_with_the_right_value(
    verifier: Verifier, right: str, planted: str, expected: tuple[str, str]
) -> None:
    assert REPORT.count(right) == 1
    assert expected in wrong(verifier.report(REPORT.replace(right, planted)))


NATIVE = {
    "agents": {
        "a": {
            "native": {
                "mean/reward": 4 / 7,
                "pass@1/accuracy": 50.0,
                "profile_completion": {"total_input_rows": 4},
                "repeat_level_metrics": [
                    {"_ng_rollout_index": 1, "sample_count": 3, "mean/reward": 2 / 3},
                    {"_ng_rollout_index": 7, "sample_count": 2, "mean/reward": 0.5},
                    {"_ng_rollout_index": 2, "sample_count": 1, "mean/reward": 0.0},
                ],
            }
        }
    }
}
NATIVE_TABLES = """## Aggregate Results

### Agent `a`

| Name | Value |
| --- | ---: |
| `mean/reward` | 0.571429 |
| `pass@1/accuracy` | 50 |
| `profile_completion: total_input_rows` | 4 |

| Repeat | sample_count | mean/reward |
| ---: | ---: | ---: |
| 1 | 3 | 0.666667 |
| 7 | 2 | 0.5 |
| 2 | 1 | 0 |
"""


@pytest.mark.parametrize(
    ("right", "planted"),
    [
        ("0.571429", "0.571431"),
        ("| 50 |", "| 60 |"),
        ("| 4 |", "| 5 |"),
        ("0.666667", "0.666"),
        ("| 7 | 2 |", "| 6 | 2 |"),
    ],
)
def test_a_native_number_is_held_against_the_one_of_its_name(right: str, planted: str) -> None:
    native = Verifier(replace(evidence(), documents={"pass_at_k": NATIVE}))
    assert wrong(native.report(NATIVE_TABLES)) == []
    assert len(wrong(native.report(NATIVE_TABLES.replace(right, planted)))) == 1


# 2 of 4 tasks sometimes pass, 3 of 4 have every repeat measured: Wilson's intervals, by hand.
SHARES = """| Bucket | Tasks | Share of new tasks (95%, Wilson) |
| --- | ---: | --- |
| S  sometimes pass | 2 | 15.0% to 85.0% |

| Tasks with | Tasks of all expected | Share of new tasks (95%, Wilson) |
| --- | ---: | --- |
| a score for every expected rollout | 75.0% (3 of 4) | 30.1% to 95.4% |
"""


@pytest.mark.parametrize(
    ("right", "planted"), [("15.0%", "25.0%"), ("85.0%", "75.0%"), ("30.1%", "40.1%"), ("(3 of 4)", "(2 of 4)")]
)
def test_a_share_of_new_tasks_is_recomputed(verifier: Verifier, right: str, planted: str) -> None:
    assert [figure["status"] for figure in verifier.report(SHARES)["figures"]] == ["confirmed"] * 8
    assert (planted.strip("()").split()[0], right.strip("()").split()[0]) in wrong(
        verifier.report(SHARES.replace(right, planted))
    )


PAIR = {
    "run_a": "p",
    "run_b": "r",
    "checks": [],
    "difference": {
        "value": -0.3,
        "tasks": 20,
        "new_tasks": {"low": -0.48, "high": -0.12},
        "these_tasks": {"low": -0.427, "high": -0.173},
        "sign_flip_p": 0.0045,
        "sign_test": {"gained": 2, "lost": 13, "tied": 5, "p": 0.0074},
        "mde": {"value": 0.255},
        "accountings": {"observed": -0.3, "failures_as_zero": -0.35, "all_as_one": -0.2},
    },
    "secondary": [{"name": "kind = x", "tasks": 7, "a": 0.75, "b": 0.125, "value": -0.625, "holm_p": 0.031}],
}
OF_PAIR = """- **Comparison:** r and p differ. A true difference of 25.5 points would be seen with 80% chance.
- **What moved:** Beyond chance in a slice: kind = x (7 tasks) went from 75.0% before to 12.5%, -62.5 points, p = 0.031.

## Cross-Model Comparison

### `r` against `p`: Different

The difference is -30.0 points (observed), -35.0 points (failures as zero), -20.0 points (all as one).

On 20 common tasks the mean difference in pass@1 is -30.0 points.
The 95% interval for new tasks of this kind is -48.0 points to -12.0 points (paired t).
The 95% interval for a rerun on these tasks is -42.7 points to -17.3 points.
The sign-flip test gives p = 0.0045; 2 tasks gained, 13 lost and 5 tied (sign test p = 0.0074).
"""


@pytest.mark.parametrize(
    ("right", "planted"),
    [
        ("difference of 25.5", "difference of 15.5"),
        ("-35.0", "-25.0"),
        ("-20.0 points (all", "-22.0 points (all"),
        ("-48.0", "-8.0"),
        ("-12.0", "-2.0"),
        ("-42.7", "-41.7"),
        ("-17.3", "-16.3"),
        ("0.0045", "0.0445"),
        ("13 lost", "12 lost"),
        ("0.0074", "0.74"),
        ("(7 tasks)", "(8 tasks)"),
        ("to 12.5%", "to 22.5%"),
        ("-62.5", "-52.5"),
        ("0.031", "0.013"),
    ],
)
def test_the_uncertainty_of_a_difference_is_held_against_its_pair(right: str, planted: str) -> None:
    paired = Verifier(replace(evidence(), documents={"run_comparison": {"pairs": [PAIR]}}))
    assert wrong(paired.report(OF_PAIR)) == []
    assert OF_PAIR.count(right) == 1
    assert len(wrong(paired.report(OF_PAIR.replace(right, planted)))) == 1


def test_reasons_of_lost_rollouts_are_those_of_the_label_that_the_step_names() -> None:
    steps = [
        {"label": "BI", "reasons": [{"reason": "timeout", "count": 2, "total": 3}]},
        {"label": "TI", "reasons": [{"reason": "timeout", "count": 1, "total": 4}]},
    ]
    planned = Verifier(replace(evidence(), documents={"root_causes": {"recommendations": steps}}))
    text = "TI: 2 of 4 tasks, at most 1.00 of 4 task scores (25.0%) to recover. Lost rollouts: 1 of 4 `timeout`.\n"
    assert ("2", "1") not in wrong(planned.report(text))
    assert ("2", "1") in wrong(planned.report(text.replace("1 of 4 `timeout`", "2 of 4 `timeout`")))


def test_ten_planted_errors_are_ten(verifier: Verifier) -> None:
    errors = [
        *PLANTED[:7],
        ("| sum | 8 |", "| sum | 9 |", None),
        ("Rollout `2-0`", "Rollout `2-9`", None),
        ("of task `2` ran", "of task `12` ran", None),
    ]
    report = REPORT
    for right, planted, _ in errors:
        assert report.count(right) == 1
        report = report.replace(right, planted)
    found = verifier.report(report)
    assert set(wrong(found)) >= {expected for *_, expected in errors[:7]}
    assert [(total["stated"], total["right"]) for total in found["totals"]] == [("9", "8")]
    assert [(cited["kind"], cited["id"]) for cited in found["ids"]] == [("rollout", "2-9"), ("task", "12")]
    assert not found["ok"]


def test_a_percentage_must_follow_from_its_ratio(verifier: Verifier) -> None:
    # 3 of 8 is 37.5 %
    assert wrong(verifier.report("It happened in 40.0% (3 of 8) of cases.")) == [("40.0%", "37.5%")]
    assert wrong(verifier.report("It happened in 3/8 cases (37.5%).")) == []


def test_a_passing_rollout_must_have_passed(verifier: Verifier) -> None:
    (found,) = verifier.report("- Passing: `1-1` (`rollouts.jsonl` line 4)\n")["ids"]
    assert (found["id"], found["problem"]) == ("1-1", "did not end so")


HUMAN = """# Demo — Failure Analysis

**pass@1:** 57%
**Consistency:** 0.25

Across 8 rollouts on 4 tasks: 0.571 pass@1.

| Bucket | Tasks |
|---|---:|
| always pass | 1 |
| sometimes pass | 2 |

| Mode | Count | % |
|---|---:|---:|
| timeout | 2 | 66.7% |

### Task 1 (1/2 pass)

We looked at rollout 1-1 and at rollout 7-3, and at task 9. Answers took 41.7 seconds on a machine from 2024-05-01.
"""


def test_a_person_s_report_is_read_too(verifier: Verifier) -> None:
    found = verifier.report(HUMAN)
    assert wrong(found) == []
    assert [(cited["kind"], cited["id"]) for cited in found["ids"]] == [("rollout", "7-3"), ("task", "9")]
    unplaced = [figure["text"] for figure in found["figures"] if figure["status"] == "unplaced"]
    assert unplaced == ["41.7"]


def test_figures_of_other_runs_are_left_open_not_contradicted(verifier: Verifier) -> None:
    found = verifier.report("## Cross-Model Comparison\n\nThe other model reaches pass@1 of 81.3%.\n")
    assert [figure["status"] for figure in found["figures"]] == ["unplaced"]


# Each says something of the run that is wrong if it were the report's own claim, and none is.
NOT_CLAIMED = [
    "Analyst: “pass@1 is 99%, 3 of 7 tasks (40.0%), see task `999` and rollout 7-99”.",
    "A note “with a tick \\` and 3 of 7 tasks (40.0%)” and `a name`.",
    "| Mode | Note |\n| --- | --- |\n| `timeout` | “The rollout files hold 77 lines: 3 rows” |",
    "### Where NeMo Gym's own numbers of agent `a` differ from ours, and why\n\n- `pass@3`: 1 of 2 measured tasks.",
    "The tool `stray \\` pass@1 is 99%\\` and rollout 7-99.",
    "## Cross-Model Comparison\n\nThe model differs (m0 3 of 7 tasks (40%)), read from see task `999`.",
    "Feature calls of `3 of 7 tasks (40.0%)` in code.",
    "| Agent | Rollouts |\n| --- | --- |\n| `x` | 5 |\n| `y` | 6 |\n| `total` | 7 |",
    "| Mode | Count |\n| --- | --- |\n| `timeout` | 2 |\n| `wrong` | 1 |\n| sum | 3 |",
    "| Task | Label | Evidence (rollouts) | Note |\n| --- | --- | --- | --- |\n"
    "| `1` | KG | `1-99` | stale label: cites 1-99, which the run does not have. |",
]


@pytest.mark.parametrize("text", NOT_CLAIMED)
def test_words_of_others_names_and_what_is_said_to_be_absent_claim_nothing(verifier: Verifier, text: str) -> None:
    assert verifier.report(f"{text}\n")["ok"]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("He wrote “fine”; pass@1 is 60.0%.", ("60.0%", "50.0%")),
        ("It ends in \\\\`timeout`; pass@1 is 60.0%.", ("60.0%", "50.0%")),
        ("| k | Best | Tasks with k measured repeats |\n| --- | --- | --- |\n| 2 | 0.5 | 3 of 5 |", ("5", "4")),
        ("| k | Best | Tasks with k measured repeats |\n| --- | --- | --- |\n| 2 | 0.5 | 2 of 4 |", ("2", "3")),
    ],
)
def test_what_stands_beside_words_of_others_is_still_read(
    verifier: Verifier, text: str, right: tuple[str, str]
) -> None:
    assert wrong(verifier.report(f"{text}\n")) == [right]


def with_column(name: str, values: list[str]) -> Verifier:
    """The verifier of the same run with another column."""
    given = evidence()
    place = given.aligned.schema.get_field_index(name)
    return Verifier(replace(given, aligned=given.aligned.set_column(place, name, pa.array(values))))


def test_in_a_run_whose_names_hold_backticks_no_sentence_with_names_is_contradicted() -> None:
    unclear = with_column("steps", ['[["tool_call", "a` pass@1 is 99% `b", 1, null, false]]'] * len(PASSED))
    assert unclear.report("It calls `a` pass@1 is 99% `b`.\n")["ok"]
    assert wrong(unclear.report("pass@1 is 99%.\n")) == [("99%", "50%")]


def test_a_date_is_no_task_of_a_run_whose_tasks_are_named_by_dates() -> None:
    dated = with_column("dataset_id", [f'"2026-10-{n:02}"' for n in range(len(PASSED))])
    assert dated.report("It ended at 2026-10-20T20:02 and began on `2026-10-19`.\n")["ok"]


@pytest.mark.parametrize("name", ["sums-0009", "sums-000x"])
def test_words_that_look_like_a_task_of_the_run_must_be_one(name: str) -> None:
    named = with_column("dataset_id", [f'"sums-{n:04}"' for n in range(len(PASSED))])
    assert [found["id"] for found in named.report(f"We read {name} and sums-0003.\n")["ids"]] == [name]


def test_a_name_that_begins_like_numbered_tasks_but_has_no_number_is_none() -> None:
    named = with_column("dataset_id", [f'"flight_{n}"' for n in range(len(PASSED))])
    found = named.report("# flight_desk BLADE Analysis Report\n\nWe read flight_3 and flight_99.\n")["ids"]
    assert [entry["id"] for entry in found] == ["flight_99"]


def test_a_metrics_sidecar_is_recomputed(verifier: Verifier) -> None:
    metrics = {
        "pass_at_1": 0.5,
        "num_rollouts": 7,
        "passed_rollouts": 5,
        "coverage": 0.875,
        "pass_at": {"2": {"value": 1.0}},  # tasks 0, 1 and 2 have two measured repeats, and each passes once
        "intervals": {"pass_at_1": {"low": 0.1}},
        "run": "r",
    }
    found = verifier.sidecar(metrics)
    assert {figure["context"]: figure["status"] for figure in found["figures"]} == {
        "pass_at_1": "confirmed",
        "num_rollouts": "confirmed",
        "passed_rollouts": "contradicted",
        "coverage": "confirmed",
        "pass_at/2/value": "confirmed",
        "intervals/pass_at_1/low": "unplaced",
    }
    assert wrong(found) == [("5", "4")]


def test_an_accounting_is_recounted_group_by_group(verifier: Verifier) -> None:
    # Of the even tasks 3 of 4 rollouts pass, of the odd ones 1 of 3; task 3 lacks its second rollout.
    accounting = {
        "measured_share": 0.875,
        "accounting": {"expected": 8, "measured": 7, "missing": 1, "lines": 7},
        "by": {
            "slice": [
                {"field": "kind", "value": "even", "passed": 3, "measured": 4},
                {"field": "kind", "value": "odd", "passed": 2, "measured": 3},
                {"field": "kind", "value": "other", "passed": 9},
            ],
            "repeat": [{"agent": "a", "repeat": 1, "missing": 2}],
            "task": [{"agent": "a", "stage": 0, "task": "3", "measured": 1, "coverage": 1.0}],
        },
    }
    found = verifier.coverage(accounting)
    assert [(figure["context"], figure["right"]) for figure in found["figures"] if figure["status"] != "confirmed"] == [
        ("by/repeat/0/missing", "1"),
        ("by/task/0/coverage", "0.5"),
        ("by/slice/1/passed", "1"),
    ]
    assert found["counts"]["confirmed"] == 8


def test_a_count_under_a_name_that_is_not_shown_is_not_judged(verifier: Verifier) -> None:
    classes = [{"class": "token [not shown]", "count": 7}, {"class": "nobody's", "count": 7}]
    found = verifier.coverage({"failures": classes})
    assert [(figure["context"], figure["status"]) for figure in found["figures"]] == [
        ("failures/1/count", "contradicted")
    ]


def test_ten_thousand_repeats_are_recomputed_at_the_k_that_are_published() -> None:
    found = Verifier(evidence({(0, repeat): repeat < 5_000 for repeat in range(10_000)})).sidecar(
        {"k": 10_000, "pass_at_1": 0.5, "pass_at": {"1": {"value": 0.5}, "2": {"value": 0.75}}}
    )
    # 1 - C(5000, 2)/C(10000, 2) = 1 - 4999/19998
    assert wrong(found) == [("0.75", "0.7500250025")]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("12 of 1,234 tasks", [(12, ""), (1234, "")]),
        ("+3.5 points, -2 pp and 4%", [(3.5, "points"), (-2, "points"), (4, "%")]),
        ("1.5 KB or 2.1e+06", [(1.5, "KB"), (2.1e6, "")]),
        ("v0.7.0, 2026-10-19, pass@4, GPT-5, F12, step_3, 10-0-a1", []),
        (f"p 3e-320, 5e9999, 8e{'9' * 5000}, {'9' * 400}, 4e99", [(3e-320, ""), (4e99, "")]),
    ],
)
def test_figures_are_numbers_and_no_parts_of_names(text: str, figures: list[tuple[float, str]]) -> None:
    assert [(figure.value, figure.unit) for figure in figures_of(text)] == figures


def test_tags_inside_code_are_part_of_a_name() -> None:
    assert said("task `<b>x</b>` <br> end").spans == ("<b>x</b>",)


def test_markup_is_taken_off_and_code_set_aside() -> None:
    words = said(r"**Dominant:** `a|b` is 5\_0 &#124; [see](x.md) [F3]")
    assert words.spans == ("a|b",)
    assert words.text == "Dominant: ⟦0⟧ is 5_0 | see"


def test_an_entity_of_the_data_stays_and_one_of_the_report_is_read() -> None:
    """The report puts a backslash before the data's own ampersand."""
    assert said("\\&#x2F;a \\&amp; b &#124; c").text == "&#x2F;a &amp; b | c"
