"""What each root cause could give back, in which order, and what to do about it."""

from typing import Any

import pytest

from blade_pipeline.method.facts import Scope
from blade_pipeline.method.facts_of_failures import cause_fact
from blade_pipeline.method.failure_rules import LATE_RULES, RULES
from blade_pipeline.method.recommendations import leading
from blade_pipeline.method.remedies import CALL_IT, FAULT, MESSAGE, REMEDIES, remedy
from blade_pipeline_tests.method.lost_tasks import ANCHOR, CUT, PASS, SAME, causes_of, failed, task_of

OUT = failed(error_text="429 Too Many Requests")


def test_recommendations_are_ordered_by_the_score_they_could_recover() -> None:
    # Task 0: two clean failures (KG, loses 1). Task 1: 1 of 4 passes (UK, loses 3/4). Task 2: passes.
    rows = task_of(0, failed(), failed()) + task_of(1, PASS, failed(), failed(), failed()) + task_of(2, PASS)
    document = causes_of(rows)
    found = [(row["label"], row["numerator"], row["denominator"]) for row in document["recommendations"]]
    assert found == [("KG", 1.0, 3), ("UK", 0.75, 3)]
    assert document["recommendations"][1]["recoverable_score"] == pytest.approx(0.25)
    assert document["recommendations"][1]["sentence"].startswith(
        "UK: 1 of 3 tasks, at most 0.75 of 3 task scores (25.0%)"
    )
    # Only task 1 passes in some repeat, so only what it lost is in reach.
    assert [row["reachable"] for row in document["recommendations"]] == [0, 0.75]
    assert document["counts"] == {"KG": 1, "UK": 1, "BI": 0, "TI": 0, "IR": 0, "DA": 0, "unlabelled": 0}


def test_a_recommendation_says_why_its_rollouts_were_lost_and_what_to_do_about_the_first_reason() -> None:
    # Both BI: task 0 by two rollouts that were cut and one that was not, task 1 by one that left no answer and one cut.
    silent = failed(verifier={"extracted_answer": None})
    rows = task_of(0, failed(**CUT), failed(**CUT), failed()) + task_of(1, silent, failed(**CUT)) + ANCHOR
    [step] = causes_of(rows)["recommendations"]
    assert (step["label"], step["reasons"]) == (
        "BI",
        [{"reason": "output_limit", "count": 3, "total": 4}, {"reason": "no_answer", "count": 1, "total": 4}],
    )
    assert step["next"].startswith("Run these tasks again with a higher limit;")


def test_what_a_repair_gives_counts_its_rollouts_in_tasks_of_any_label() -> None:
    """Of 5 tasks: 0 lost both rollouts to an outage, 1 one of 4 beside two wrong ones, 2 one of 2 to a missing row."""
    rows = [
        *task_of(0, OUT, OUT),
        *task_of(1, PASS, OUT, failed(), failed()),
        *task_of(2, PASS, {"outcome": "missing"}),
        *task_of(3, PASS, PASS),
        *task_of(4, failed(), failed()),
    ]
    document = causes_of(rows)
    assert {row["task"]: row["label"] for row in document["labels"]} == {"0": "IR", "1": "UK", "2": "IR", "4": "KG"}
    [step] = [row for row in document["recommendations"] if row["label"] == "IR"]
    assert step["numerator"] == 1 + 1 / 2
    assert step["repair"] == {"rollouts": 4, "tasks": 3, "numerator": 1 + 1 / 4 + 1 / 2, "score": 1.75 / 5}
    assert step["sentence"].endswith(
        "In tasks of any label 4 lost rollouts, on 3 tasks, carry it: 1.75 of 5 task scores (35.0%) at most if all of "
        "them passed."
    )


def test_a_repair_is_recommended_also_where_it_is_the_label_of_no_task() -> None:
    document = causes_of(task_of(0, PASS, OUT, failed(), failed()))
    assert [(row["label"], row["tasks"]) for row in document["recommendations"]] == [("IR", 0), ("UK", 1)]
    assert document["recommendations"][0]["sentence"] == (
        "IR: the label of no task. In tasks of any label 1 lost rollout, on 1 task, carry it: 0.25 of 1 task score "
        "(25.0%) at most if all of them passed."
    )
    assert document["recommendations"][0]["reasons"] == [{"reason": "infrastructure", "count": 1, "total": 1}]


def test_an_analyst_s_label_decides_over_all_rollouts_of_its_task() -> None:
    """The analyst calls task 0 missing knowledge, so its outage counts no more; task 1 the verifier's fault, whole."""
    labels = [{"task": 0, "root_cause": "KG", "analyst": "A"}, {"task": 1, "root_cause": "TI", "analyst": "A"}]
    document = causes_of(task_of(0, OUT, OUT) + task_of(1, PASS, failed()), labels=labels)
    repairs = {row["label"]: row["repair"] for row in document["recommendations"]}
    assert repairs == {
        "KG": {"rollouts": 2, "tasks": 1, "numerator": 1.0, "score": 0.5},
        "TI": {"rollouts": 1, "tasks": 1, "numerator": 0.5, "score": 0.25},
    }


def test_a_label_of_a_task_that_passes_every_time_is_no_work_to_do() -> None:
    """Task 0 passes twice, so its label is stale; task 1 fails twice, and one of two tasks has something to recover."""
    rows = task_of(0, PASS, PASS) + task_of(1, failed(), failed())
    document = causes_of(rows, labels=[{"task": 0, "root_cause": "KG", "analyst": "A"}])
    assert [(row["task"], row["by"]) for row in document["labels"]] == [("0", "analyst"), ("1", "rule")]
    assert [row["task"] for row in document["stale_labels"]] == ["0"]
    assert document["counts"]["KG"] == 1
    [knowledge] = document["recommendations"]
    assert (knowledge["tasks"], knowledge["task_ids"], knowledge["by_analyst"]) == (1, ["1"], 0)
    assert "none of these tasks passes in any measured repeat" in knowledge["sentence"]


def test_every_place_names_the_cause_whose_rollouts_would_give_most() -> None:
    """BI is the label of 2 of 8 tasks, which lose 1; an outage took 1 of 4 rollouts of 6 others, which gives 1.5."""
    cut = [row for task in (0, 1) for row in task_of(task, PASS, failed(**CUT))]
    hit = [row for task in range(2, 8) for row in task_of(task, PASS, OUT, failed(), failed())]
    document = causes_of(cut + hit)
    plan = document["recommendations"]
    assert [(row["label"], row["tasks"]) for row in plan] == [("IR", 0), ("BI", 2), ("UK", 6)]
    assert leading(plan) is plan[0]
    [fact] = cause_fact(Scope("bench", "run"), document)
    assert (fact.about, fact.numbers) == ("IR", {"rollouts": 6, "tasks": 6, "total_tasks": 8, "recoverable": 1.5})


def test_causes_by_elimination_are_told_from_those_that_were_seen() -> None:
    """UK loses 1/2 and KG 1 for want of another cause, BI 1/2 by what was seen; 4 tasks with the anchor."""
    rows = [*task_of(0, PASS, failed()), *task_of(1, failed(), failed()), *task_of(2, PASS, failed(**CUT)), *ANCHOR]
    document = causes_of(rows)
    seen = {row["label"]: (row["tasks"], row["evident_tasks"], row["evident"]) for row in document["recommendations"]}
    assert seen == {"KG": (1, 0, 0), "UK": (1, 0, 0), "BI": (1, 1, 0.5)}
    assert document["without_cause"] == {
        "tasks": 2, "lost": 1.5, "passing_tasks": 1, "passing_lost": 0.5, "denominator": 4,
    }  # fmt: skip
    assert [row["label"] for row in document["recommendations"]] == ["BI", "KG", "UK"], "what was seen comes first"
    assert "For 1 of these 1 no record names a main cause" in document["recommendations"][1]["sentence"]


@pytest.mark.parametrize(
    ("repeats", "begins"),
    [
        ([failed()], "Run every task at least 4 times"),
        ([failed(), failed()], "Read one answer of each task beside the expected one"),
        ([failed(), PASS], "Lay a passing and a failing rollout of one task side by side"),
    ],
)
def test_what_a_wrong_answer_asks_for_depends_on_the_repeats(repeats: list[dict[str, Any]], begins: str) -> None:
    [step] = causes_of(task_of(0, *repeats))["recommendations"]
    assert step["next"].startswith(begins)


def test_what_an_analyst_decided_gets_no_advice_from_a_rule() -> None:
    own = {"task": 0, "root_cause": "KG", "analyst": "A"}
    [step] = causes_of(task_of(0, failed(**CUT)), labels=[own])["recommendations"]
    assert (step["reasons"][0]["reason"], step["next"]) == ("output_limit", None)


def test_every_generic_mode_has_a_remedy() -> None:
    modes = {rule.code for rule in (*RULES, *LATE_RULES)}
    assert {code for code in modes if not remedy(code, repeated=True, mixed=False)} == set()
    assert set(REMEDIES) - modes == {"agent_run_error", "no row", "conflict", "masked"}
    for message in ("verdict:wrong_unit", "verdict:failure", "failure_reason:judge_evaluation_failed"):
        assert remedy(message, repeated=True, mixed=False) == MESSAGE
    for message in ("error:keyerror", "agent_error_kind:other"):
        assert remedy(message, repeated=True, mixed=False) == FAULT
    assert remedy("leaves out search", repeated=True, mixed=False) == CALL_IT
    assert remedy("agent_request_failed", repeated=True, mixed=False) is None


def test_an_unmeasured_repeat_counts_as_lost() -> None:
    # One pass, one missing of two planned: 1 - 1/2.
    document = causes_of(task_of(0, PASS, {"outcome": "missing"}) + ANCHOR)
    assert document["recommendations"][0]["numerator"] == 0.5


def test_the_unlabelled_come_last() -> None:
    rows = task_of(0, failed()) + task_of(1, failed()) + task_of(2, PASS, PASS, failed())
    assert [row["label"] for row in causes_of(rows)["recommendations"]] == ["UK", "unlabelled"]


def test_a_trifle_that_was_seen_does_not_come_first() -> None:
    """One missing row of four, 0.25 of a task's score, beside five tasks that never pass: less than a tenth of them."""
    rows = [row for task in range(5) for row in task_of(task, failed(), failed())]
    plan = causes_of([*rows, *task_of(5, PASS, PASS, PASS, {"outcome": "missing"})])["recommendations"]
    assert [row["label"] for row in plan] == ["KG", "IR"]
    assert leading(plan) is None


def test_one_output_with_both_verdicts_asks_for_the_verifier_and_not_for_a_comparison() -> None:
    [step] = causes_of(task_of(0, PASS | SAME, failed(**SAME)) + ANCHOR)["recommendations"]
    assert step["label"] == "TI"
    assert step["next"].startswith("Score one of these outputs several times:")
