"""What a report says of the repeats of tasks, with errors planted one by one."""

from typing import Any

import pytest

from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline_tests.builders import NO_MODES, aligned, buckets_of

SCORES = {
    (0, 0): 0.2, (0, 1): 0.6, (0, 2): 0.7,
    (1, 0): 0.1, (1, 1): 0.5, (1, 2): 0.3,
    (2, 0): 0.4, (2, 1): 0.4, (2, 2): None,
}  # fmt: skip
# Means .5, .3, .4. Best of 2: (.6 + 2 * .7)/3, (.3 + 2 * .5)/3 and .4. Variances .07, .04, 0: within .11/3; of the
# means .01; luck of the means (.07/3 + .04/3 + 0/2)/3 = .11/9, above it. Two repeats lie sqrt(.22/3) = .271 apart.
# Ranks of the two tasks with all three: 1 2 3 and 1 3 2: sums 2 5 5 about 4: (4 + 1 + 1) * 2/4 = 3, tail exp(-1.5).
GRADED = """# Demo BLADE Analysis Report

## Aggregate Results

Scores:

| Metric | Value | Is |
| --- | ---: | --- |
| best of 2 | 0.5 | expected best score of 2 rollouts of a task, mean over 3 measured tasks |
| retry gain | 0.1 | how much better that is than the mean score |

Best score of k repeats:

| k | Expected best score | Tasks with k measured repeats |
| ---: | ---: | --- |
| 2 | 0.5 | 3 of 3 |

Mean score under each rule for rollouts without a score:

| Rule | Mean score | Means |
| --- | ---: | --- |
| `observed` | 0.4 | only measured rollouts count |
| `all_unscored_as_zero` | 0.3556 | every rollout without a score counts as the worst, 0 |
| `all_as_one` | 0.4667 | every rollout without a score counts as the best, 1 |

Where the spread of scores comes from:

| Part | Value | Over | Means |
| --- | ---: | --- | --- |
| within tasks | 0.0367 | 3 tasks with two measured repeats | variance between repeats of one task |
| noise in the task means | 122.2% | 3 tasks | share of their variance |

Agreement of repeats:

| Measure | Value | Over | Means |
| --- | ---: | --- | --- |
| measured repeats of a task | 2 / 3 / 3 | 3 tasks | least, median and most; planned: 3 / 3 / 3 |
| difference of two repeats | 0.271 | 3 tasks with two measured repeats | standard deviation |
| Friedman's test over repeats | 3 (p = 0.223) | 2 tasks with all usual repeats measured | 2 degrees of freedom |

By repeat:

| Repeat | Rollouts | With a score | Mean score | Standard deviation |
| --- | ---: | ---: | ---: | ---: |
| 0 | 3 | 100.0% (3 of 3) | 0.233 | 0.153 |
| 2 | 3 | 66.7% (2 of 3) | 0.5 | 0.283 |
"""
DOCUMENT = {"headline_metric": "mean_reward", "mean_reward_scale": {"worst": 0.0, "best": 1.0}}
# Passes fpp, ppp, fff: agreement (1/3 + 1 + 1)/3; variances 1/3, 0, 0; means 2/3, 1, 0 with variance 7/27. Only one
# task's repeats differ, so there is no test.
PASSING = """# Demo BLADE Analysis Report

## Aggregate Results

| Part | Value | Over | Means |
| --- | ---: | --- | --- |
| within tasks | 0.1111 | 3 tasks with two measured repeats | variance between repeats of one task |
| between tasks | 0.2222 | 3 tasks | variance of the tasks' true success rates |

| Measure | Value | Over | Means |
| --- | ---: | --- | --- |
| agreement of two repeats | 77.8% | 3 tasks with two measured repeats | chance that two repeats agree |
| tasks with one output | 50.0% (1 of 2) | 2 tasks with two outputs | every repeat gave the same output |
"""


def _wrong(text: str, rows: list[dict[str, Any]], document: dict[str, Any]) -> list[str]:
    samples = aligned(rows)
    evidence = Evidence("demo", "one", samples, None, NO_MODES, buckets_of(samples), {"pass_at_k": document})
    figures = Verifier(evidence).report(text)["figures"]
    return [figure["text"] for figure in figures if figure["status"] == "contradicted"]


def _graded(text: str) -> list[str]:
    rows = [
        {"task": task, "repeat": repeat, "score": score, "outcome": "missing" if score is None else "measured"}
        for (task, repeat), score in SCORES.items()
    ]
    return _wrong(text, rows, DOCUMENT)


def _passing(text: str) -> list[str]:
    marks, said = ("011", "111", "000"), ("abc", "ddd", "e..")
    rows = [
        {"task": task, "repeat": repeat, "score": float(mark), "response_digest": text_of, "output_items": 1}
        for task, (row, texts) in enumerate(zip(marks, said, strict=True))
        for repeat, (mark, text_of) in enumerate(zip(row, texts, strict=True))
    ]
    for row in rows:
        row["output_items"] = 0 if row["response_digest"] == "." else 1
    return _wrong(text, rows, {})


def test_right_figures_are_borne_out() -> None:
    assert _graded(GRADED) == []
    assert _passing(PASSING) == []


@pytest.mark.parametrize(("tasks", "contradicted"), [("0 tasks", []), ("3 tasks", ["3"])])
def test_no_task_is_whole_where_no_repeat_is_measured_by_half_of_the_tasks(tasks: str, contradicted: list[str]) -> None:
    rows = [
        {"task": task, "repeat": repeat, "rank": repeat, "score": 1.0 if task == repeat else None}
        | {"outcome": "measured" if task == repeat else "missing"}
        for task in range(3)
        for repeat in range(3)
    ]
    head = PASSING[: PASSING.index("| Part |")]
    table = f"""| Measure | Value | Over | Means |
| --- | ---: | --- | --- |
| Cochran's Q over repeats | none | {tasks} with all usual repeats measured | nothing to test |
"""
    assert _wrong(head + table, rows, {}) == contradicted


@pytest.mark.parametrize(
    ("right", "wrong", "figure"),
    [
        ("best of 2 | 0.5", "best of 2 | 0.6", "0.6"),
        ("retry gain | 0.1", "retry gain | 0.2", "0.2"),
        ("| 2 | 0.5 |", "| 2 | 0.52 |", "0.52"),
        ("`all_unscored_as_zero` | 0.3556", "`all_unscored_as_zero` | 0.3656", "0.3656"),
        ("as the best, 1", "as the best, 2", "2"),
        ("within tasks | 0.0367", "within tasks | 0.0467", "0.0467"),
        ("means | 122.2%", "means | 112.2%", "112.2%"),
        ("2 / 3 / 3", "1 / 3 / 3", "1"),
        ("planned: 3 / 3 / 3", "planned: 3 / 3 / 4", "4"),
        ("repeats | 0.271", "repeats | 0.281", "0.281"),
        ("repeats | 3 (p", "repeats | 4 (p", "4"),
        ("(p = 0.223)", "(p = 0.023)", "0.023"),
        ("| 2 tasks with all", "| 3 tasks with all", "3"),
        ("| 2 degrees", "| 3 degrees", "3"),
        ("| 0.233 |", "| 0.333 |", "0.333"),
        ("| 0.283 |", "| 0.293 |", "0.293"),
    ],
)
def test_an_error_about_graded_repeats_is_found(right: str, wrong: str, figure: str) -> None:
    assert GRADED.count(right) == 1
    assert _graded(GRADED.replace(right, wrong)) == [figure]


@pytest.mark.parametrize(
    ("right", "wrong", "figure"),
    [
        ("0.1111", "0.1211", "0.1211"),
        ("0.2222", "0.2322", "0.2322"),
        ("77.8%", "67.8%", "67.8%"),
        ("50.0% (1 of 2)", "100.0% (2 of 2)", "2"),
        ("50.0% (1 of 2)", "33.3% (1 of 3)", "3"),
    ],
)
def test_an_error_about_passing_repeats_is_found(right: str, wrong: str, figure: str) -> None:
    assert PASSING.count(right) == 1
    assert _passing(PASSING.replace(right, wrong)) == [figure]
