"""The executive summary: what it says, what it leaves to the sections, and what it does not claim."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from blade_pipeline.reporting import ReportInputs, build_report
from blade_pipeline.reporting.blocks import say
from blade_pipeline.reporting.view.graded import graded_next
from blade_pipeline.reporting.view.scores import interval_title, interval_words
from blade_pipeline_tests.reporting.samples import mixed_run


def summary(inputs: ReportInputs) -> str:
    """The section as Markdown."""
    report = build_report(inputs)["report.md"].decode()
    return report.split("## Executive Summary")[1].split("\n## ")[0]


def with_scores(**changed: Any) -> ReportInputs:
    inputs = mixed_run()
    return replace(inputs, scores=inputs.scores | changed)


NOTHING = {"tasks": 0, "lost": 0.0, "passing_tasks": 0, "passing_lost": 0.0, "denominator": 10}


def with_plan(*plan: dict[str, Any], **without: Any) -> ReportInputs:
    inputs = mixed_run()
    changed = {"recommendations": list(plan), "without_cause": NOTHING | without}
    return replace(inputs, causes=inputs.causes | changed)


def step(label: str, tasks: int, numerator: float, *, seen: bool = True) -> dict[str, Any]:
    """A recommendation of 10 tasks, each of which lost 3 rollouts where its cause was seen."""
    repair = {"rollouts": 3 * tasks, "tasks": tasks, "numerator": numerator, "score": numerator / 10} if seen else None
    gain = {"recoverable_score": numerator / 10, "numerator": numerator, "denominator": 10, "repair": repair}
    evident = {"evident_tasks": tasks * seen, "evident": numerator * seen, "by_rule": tasks}
    return {"label": label, "action": f"Mend {label}.", "tasks": tasks, "task_ids": []} | evident | gain


def test_the_headline_tells_score_gap_reach_and_lever() -> None:
    text = summary(mixed_run())
    assert "pass@1 is 50.0%, the mean over 10 tasks; 52.8% over rollouts: 19 of 36 rollouts pass." in text
    assert "25.0% (12 of 48 expected rollouts) carry no score" in text
    assert "Taken alone, 10 tasks say little about others of the kind, which could give 24.0% to 76.0%." in text
    assert (
        "Most to gain where a cause is seen: missing knowledge (KG), which an analyst found for 4 lost rollouts "
        "on 1 of 10 tasks, at most 10.0 points of pass@1. More was lost elsewhere: no record names a "
        "main cause for 6 of 10 tasks, which lost 42.5 points of pass@1."
    ) in text


@pytest.mark.parametrize(("gain", "first"), [(0.013, "read the worst scores of"), (0.05, "is seen most")])
def test_a_graded_run_starts_where_more_of_the_mean_score_is_missing(gain: float, first: str) -> None:
    """Ten of 60 tasks score 0.35 and the others 0.58: at their level the mean would be 10/60 * 0.23 = 0.038 higher."""
    cause = {"label": "BI", "reason": "empty_answer", "rollouts": 3, "tasks": 2, "of": 60, "gain": gain}
    rest = {"score": 0.35, "rest": 0.58, "rest_tasks": 50, "p": 1e-6, "q": 1e-5}
    row = {"field": "language", "value": "swh", "num_tasks": 10, "num_rollouts": 40, "passed_rollouts": 0}
    causes = {"mean_score_gains": [cause], "ablation": None, "recommendations": []}
    scores = {"slices": [row | {"against_rest": rest}], "mean_reward_scale": {"worst": 0.0, "best": 1.0}}
    evidence: Any = SimpleNamespace(inputs=SimpleNamespace(causes=causes, scores=scores), repeats=4)
    assert first in str(graded_next(evidence))
    scores["mean_reward_scale"] = {"worst": 1.0, "best": 0.0}
    assert "is seen most" in str(graded_next(evidence))


def test_a_narrow_interval_is_no_reason_to_warn() -> None:
    inputs = mixed_run()
    narrow = inputs.scores["intervals"]["pass_at_1"] | {"low": 0.4, "high": 0.6}
    assert "Taken alone" not in summary(with_scores(intervals=inputs.scores["intervals"] | {"pass_at_1": narrow}))


def test_most_was_lost_where_no_record_says_why() -> None:
    text = summary(with_plan(step("TI", 1, 1.0), step("unlabelled", 3, 3.0, seen=False), tasks=3, lost=3.0))
    assert (
        "Most to gain where a cause is seen: the task or its verifier (TI), which a rule proposes for 3 lost rollouts "
        "on 1 of 10 tasks"
    ) in text
    assert "More was lost elsewhere: no record names a main cause for 3 of 10 tasks, which lost 30.0 points" in text
    assert "Read and label the 3 tasks without a cause. Beside that: Mend TI. (TI, 1 of 10 tasks.)" in text


@pytest.mark.parametrize(("label", "whose"), [("TI", "labelled TI"), ("unlabelled", "without a label")])
def test_lost_rollouts_of_the_next_step_are_said_to_be_those_of_its_tasks(label: str, whose: str) -> None:
    """17 rollouts failed in all; the 4 lost ones belong to the tasks of this step alone."""
    reasons = [{"reason": "timeout", "count": 3, "total": 4}]
    text = summary(
        with_plan(step(label, 2, 2.0, seen=label != "unlabelled") | {"reasons": reasons, "next": "Give it time."})
    )
    assert f"`timeout` in 3 of 4 lost rollouts of the tasks {whose}: Give it time. ({label}, 2 of 10 tasks.)" in text


def test_what_disturbs_the_score_stands_beside_it_and_an_outage_is_mended_first() -> None:
    inputs = with_plan(step("TI", 1, 1.0))
    assert "Caution" not in summary(replace(inputs, coverage=inputs.coverage | {"findings": []}))
    kinds = ("an outage in one repeat", "stale aggregate", "stale aggregate", "one repeat differs")
    found = [{"kind": kind, "sentence": f"Sentence {place}.", "numbers": {}} for place, kind in enumerate(kinds)]
    text = summary(replace(inputs, coverage=inputs.coverage | {"findings": found}))
    assert "- **Caution:** Sentence 0. Also: stale aggregate, one repeat differs. See [Aggregate" in text
    assert "- **Do next:** Run again what the outage took. Beside that: Mend TI. (TI, 1 of 10 tasks.)" in text


def test_without_any_cause_the_symptom_comes_first_or_someone_reads() -> None:
    plan = [step("UK", 2, 1.0, seen=False), step("unlabelled", 1, 1.0, seen=False)]
    text = summary(with_plan(*plan, tasks=3, lost=2.0, passing_tasks=2, passing_lost=1.0))
    assert "Most to gain" not in text
    assert (
        "No cause stands out: no record names a main cause for 3 of 10 tasks, which lost 20.0 points of pass@1: "
        "10.0 points on 2 that pass in some repeat, 10.0 points on 1 that pass in no measured one."
    ) in text


def test_a_cause_that_was_seen_leads_before_one_that_rests_on_a_want_of_others() -> None:
    """UK lost 4 of 10 task scores and has no evidence; 6 outage rollouts of tasks of other labels would give 2."""
    outage = step("IR", 0, 0.0) | {"repair": {"rollouts": 6, "tasks": 5, "numerator": 2.0, "score": 0.2}}
    text = summary(
        with_plan(step("UK", 5, 4.0, seen=False), outage, tasks=5, lost=4.0, passing_tasks=5, passing_lost=4.0)
    )
    assert (
        "Most to gain where a cause is seen: infrastructure (IR), which a rule proposes for 6 lost rollouts on 5 of 10 "
        "tasks, at most 20.0 points of pass@1. More was lost elsewhere: no record names a main cause for 5 of 10 "
        "tasks, which lost 40.0 points of pass@1."
    ) in text
    assert "Mend IR. (IR, 6 lost rollouts of tasks with another label.)" in text


def test_a_score_that_is_not_pass_or_fail_is_told_with_its_threshold() -> None:
    text = summary(with_scores(score_is_binary=False, mean_reward=0.708, pass_threshold=1.0))
    assert "19 of 36 rollouts reach a score of 1, the mean score is 0.708." in text


def test_findings_are_neither_easy_to_guess_nor_told_before() -> None:
    # F1 is low, F2 stands in the box as the dominant failure; F3 is high.
    findings = summary(mixed_run()).split("### Key findings")[1]
    assert "[F3]" in findings
    assert "[F1]" not in findings
    assert "[F2]" not in findings


def test_of_thousands_of_native_numbers_three_hundred_are_shown_and_the_rest_counted() -> None:
    native = {"mean/reward": 0.5} | {f"mean/field_{number:03}": 1.0 for number in range(310)}
    inputs = mixed_run()
    agents = {name: agent | {"native": native} for name, agent in inputs.scores["agents"].items()}
    report = build_report(with_scores(agents=agents))["report.md"].decode()
    assert len(agents) == 1
    assert report.count("| `mean/field_") == 299
    assert "| `mean/reward` | 0.5 |" in report
    assert "11 further numbers stand in [metrics.json](metrics.json)." in report


def test_one_measured_repeat_is_no_consistency() -> None:
    report = build_report(with_scores(k=1, pass_at_k=0.5, consistency=0.5, retry_value=0.0))["report.md"].decode()
    scores = report.split("\nScores:")[1].split("\n### ")[0]
    assert "| consistency |" not in scores
    assert "Cannot be supported: consistency and retry value." in scores


@pytest.mark.parametrize(("words", "once"), [("never pass", False), ("failed its only rollout", True)])
def test_tasks_that_ran_once_neither_always_nor_never_pass(words: str, once: bool) -> None:
    inputs = mixed_run()
    if once:
        rows = [row for row in inputs.aligned.to_pylist() if row["rank"] == 0]
        first = inputs.aligned.from_pylist(rows, schema=inputs.aligned.schema)
        buckets = inputs.buckets.to_pylist()
        one = [row | {"planned": 1} for row in buckets]
        inputs = replace(inputs, aligned=first, buckets=inputs.buckets.from_pylist(one, schema=inputs.buckets.schema))
    report = build_report(inputs)["report.md"].decode()
    assert f"N  {words} |" in report


def test_a_design_that_could_see_no_difference_says_so() -> None:
    """No two scores differ by more than 100 points."""
    inputs = mixed_run()
    [pair, *others] = inputs.comparison["pairs"]
    wide = pair | {"difference": pair["difference"] | {"mde": pair["difference"]["mde"] | {"value": 1.401}}}
    comparison = {**inputs.comparison, "pairs": [wide, *others]}
    text = build_report(replace(inputs, comparison=comparison))["report.md"].decode()
    assert "No true difference would be seen with 80% chance: the runs share too little." in text
    assert "| smallest detectable | none | with 80% power |" in text
    assert "140.1 points" not in text


def test_an_interval_in_words_or_why_there_is_none() -> None:
    interval = {"low": -0.57219, "high": 1.6467, "level": 0.95, "question": "new_tasks"}
    scores = {"intervals": {"mean_reward": interval, "pass_at_1": interval}}
    assert interval_words(scores, "mean_reward") == say("-0.5722 to 1.6467 (new tasks)")
    assert interval_words(scores, "pass_at_1") == say("-57.2% to 164.7% (new tasks)")
    single = {"low": None, "high": None, "question": "new_tasks", "reason": "one task has no spread between tasks"}
    again = {"low": 0.1, "high": 0.9, "question": "these_tasks"}
    words = interval_words({"intervals": {"pass_at_1": single, "pass_at_1_these_tasks": again}}, "pass_at_1")
    assert words == say("none for new tasks: one task has no spread between tasks; 10.0% to 90.0% (these tasks)")
    assert interval_title(scores) == "Interval at 95% (speaks of)"
