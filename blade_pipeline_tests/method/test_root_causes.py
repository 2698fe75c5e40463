"""Root causes: which rule speaks, and what it could recover."""

from typing import Any

import pytest

from blade_pipeline.method.analyst import refuse_unknown_tasks
from blade_pipeline.method.facts import Scope
from blade_pipeline.method.facts_of_failures import cause_fact
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.failure_rules import LATE_RULES, RULES
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.graded_gains import mean_score_gains
from blade_pipeline.method.recommendations import leading
from blade_pipeline.method.remedies import CALL_IT, FAULT, MESSAGE, REMEDIES, remedy
from blade_pipeline.method.responsibility import cause_of
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.models import BladeError, Profile
from blade_pipeline_tests.builders import aligned, buckets_of

ANSWERED = {"output_items": 1, "answer_length": 20, "total_tokens": 50}
SILENT = {"output_items": 0, "answer_length": 0, "total_tokens": 0}
SAME = {"response_digest": "d", "answer_length": 200}
CUT = {"incomplete_reason": "max_output_tokens"}


def _task(task: Any, *repeats: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"task": task, "repeat": n, **ANSWERED, **row} for n, row in enumerate(repeats)]


def _fail(**extra: Any) -> dict[str, Any]:
    return {"score": 0.0, **extra}


PASS: dict[str, Any] = {"score": 1.0}
ANCHOR = _task(99, PASS, PASS)


def _document(
    rows: list[dict[str, Any]], labels: list[dict[str, Any]] | None = None, profile: Profile | None = None
) -> dict[str, Any]:
    samples, profile = aligned(rows), profile or Profile()
    modes, _ = failure_modes(samples, profile)
    return root_causes(samples, buckets_of(samples), modes, {"labels": labels or []}, profile)


def _label(rows: list[dict[str, Any]], **keywords: Any) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in _document(rows + ANCHOR, **keywords)["labels"] if row["task"] == "0")
    return found


@pytest.mark.parametrize(
    ("label", "confidence", "repeats"),
    [
        ("IR", "high", [_fail(**SILENT)] * 4),
        ("IR", "high", [_fail(error_text="429 Too Many Requests")] * 2),
        ("IR", "medium", [_fail(error_text="429 Too Many Requests")]),
        ("IR", "low", [{"outcome": "missing"}] * 2),
        ("IR", "high", [{"outcome": "failed", "failure_class": "agent_request_failed"}] * 2),
        ("IR", "medium", [PASS, {"outcome": "failed", "failure_class": "judge_failed"}]),
        ("IR", "low", [_fail(output_items=0, answer_length=0, total_tokens=None)] * 2),
        ("TI", "medium", [{"outcome": "failed", "failure_class": "judge_failed"}] * 2),
        ("TI", "high", [{"outcome": "failed", "failure_class": "verifier_error"}] * 2),
        ("TI", "low", [_fail(verifier={"verifier_error": "boom"})] * 2),
        ("TI", "high", [PASS | SAME, _fail(**SAME)]),
        ("DA", "high", [PASS, {"outcome": "unscored", "reason": "conflict"}]),
        ("DA", "high", [{"outcome": "unscored", "reason": "invalid_nan"}] * 2),
        ("unlabelled", None, [{"outcome": "unscored", "reason": "invalid_null"}] * 2),
        ("unlabelled", None, [{"outcome": "unscored", "reason": "invalid_absent"}] * 4),
        ("BI", "low", [_fail(**CUT), _fail(**CUT), _fail()]),
        ("BI", "low", [PASS, _fail(numbers={"format_ok": 0})]),
        ("UK", "low", [PASS, _fail()]),
        ("UK", "low", [PASS | SAME | {"answer_length": 2}, _fail(**SAME | {"answer_length": 2})]),
        ("UK", "low", [PASS, _fail(), _fail(), _fail()]),
        ("UK", "low", [PASS, _fail(), {"outcome": "missing"}]),
        ("UK", "low", [PASS, _fail(), _fail(**CUT)]),
        ("BI", "low", [PASS, _fail(**CUT), {"outcome": "masked"}]),
        ("BI", "low", [PASS, _fail(**CUT), {"outcome": "missing"}]),
        ("IR", "low", [PASS, _fail(**CUT), {"outcome": "missing"}, {"outcome": "missing"}]),
        ("KG", "low", [_fail(), _fail()]),
        ("KG", "low", [_fail(), _fail(), _fail(**CUT)]),
        ("KG", "low", [_fail(verifier={"error_message": "expected 3 rows"})] * 4),
        ("unlabelled", None, [PASS, _fail(**CUT), _fail(error_text="connection refused")]),
        ("KG", "low", [_fail()] * 4),
        ("unlabelled", None, [_fail(verifier={"agent_error_kind": "other"})] * 4),
        ("unlabelled", None, [_fail()]),
        ("unlabelled", None, [{"outcome": "masked"}] * 2),
        ("unlabelled", None, [{"outcome": "failed", "failure_class": "agent_run_error"}]),
        ("unlabelled", None, [_fail(**CUT), _fail(error_text="connection refused")]),
    ],
)
def test_a_task_gets_the_label_that_its_records_support(
    label: str, confidence: str | None, repeats: list[dict[str, Any]]
) -> None:
    found = _label(_task(0, *repeats))
    assert (found["label"], found["confidence"], found["by"]) == (label, confidence, "rule")
    assert found["evidence"]
    assert found["note"]


def test_a_task_that_always_passes_needs_no_label() -> None:
    assert _document(ANCHOR)["labels"] == []


def test_evidence_names_the_rollouts_that_carry_the_cause() -> None:
    found = _label(_task(0, _fail(), _fail(**CUT), _fail(**CUT)))
    assert (found["label"], found["evidence"]) == ("BI", ["0-1", "0-2"])
    assert found["note"] == "2 of 3 lost rollouts, reason: `output_limit`."


@pytest.mark.parametrize(("name", "task"), [(0, 0), ("0", 0), ("a", '"a"'), ('"a"', '"a"')])
def test_an_analyst_overrides_the_rules(name: Any, task: Any) -> None:
    own = {
        "task": name,
        "root_cause": "BI",
        "note": "gave up",
        "behaviour": "thrash",
        "evidence": ["x-1"],
        "analyst": "A",
    }
    document = _document(_task(task, _fail(), _fail()), labels=[own])
    found = document["labels"][0]
    assert (found["label"], found["by"], found["note"], found["evidence"]) == (
        "BI",
        "analyst",
        "thrash; gave up",
        ["x-1"],
    )
    assert (found["analyst"], found["rule"]) == ("A", None)
    assert document["unmatched_labels"] == []
    assert document["recommendations"][0]["by_analyst"] == 1


def test_a_cause_is_taken_from_a_less_severe_mode_where_the_primary_one_names_none() -> None:
    """Ten tasks of one pass and one failure that changed the tests, of which the verifier keeps a note."""
    changed = _fail(edited_tests=1, verifier={"eval_log": "hunks below tests were taken out"})
    rows = [row for task in range(10) for row in _task(task, PASS, changed)]
    table, _ = failure_modes(aligned(rows), Profile())
    assert set(table["mode"].to_pylist()) == {"eval_log:hunks_below_tests_were_taken_out"}
    assert set(table["cause_mode"].to_pylist()) == {"edited_tests"}
    found = _document(rows)["labels"]
    assert [(row["label"], row["note"]) for row in found] == [
        ("BI", "1 of 1 lost rollouts, reason: `edited_tests`.")
    ] * 10


def test_right_answers_that_fail_for_another_reason_are_no_lack_of_knowledge() -> None:
    right = {"extracted_answer": "7", "expected_answer": "7"}
    turned_away = _fail(verifier=right | {"failure_reason": "the report lacks its second page"})
    rows = [*_task(0, turned_away, turned_away), *_task(1, PASS, _fail(), _fail())]
    found = {row["task"]: (row["label"], row["note"]) for row in _document(rows)["labels"]}
    assert found["0"] == (
        "unlabelled",
        "The answers of 2 of 2 failed rollouts are right, and the verifier gives another reason.",
    )
    assert found["1"][0] == "UK"


def test_a_label_for_no_task_is_named() -> None:
    assert _document(ANCHOR, labels=[{"task": 7, "root_cause": "KG"}])["unmatched_labels"] == ["7"]


def _stale(rows: list[dict[str, Any]], *labels: dict[str, Any]) -> list[str]:
    document = _document(rows, labels=[{"line": n + 1} | label for n, label in enumerate(labels)])
    return [f"line {entry['line']}: {entry['reason']}" for entry in document["stale_labels"]]


def test_a_label_that_no_longer_fits_its_run_is_flagged_and_holds() -> None:
    """Task 0 fails twice, as rollouts 0-0 and 0-1; the anchor's tasks all pass."""
    rows = [*_task(0, _fail(), _fail()), *ANCHOR]
    passing = ANCHOR[0]["task"]
    good = f"{passing}-{ANCHOR[0]['repeat']}"
    assert _stale(rows, {"task": 0, "root_cause": "BI", "evidence": ["0-0", good]}) == []
    assert _stale(rows, {"task": 0, "root_cause": "BI", "evidence": ["0-7"]}) == [
        "line 1: cites 0-7, which the run does not have"
    ]
    assert _stale(rows, {"task": 0, "root_cause": "BI", "evidence": [good]}) == [
        "line 1: every rollout that it cites passed"
    ]
    assert _stale(rows, {"task": passing, "root_cause": "KG"}) == ["line 1: the task passes in every repeat"]
    assert _stale(rows, {"task": passing, "root_cause": "TI"}) == []
    document = _document(rows, labels=[{"task": 0, "root_cause": "BI", "evidence": ["0-7"]}])
    assert [(x["label"], x["by"], x["stale"]) for x in document["labels"] if x["task"] == "0"] == [
        ("BI", "analyst", "cites 0-7, which the run does not have")
    ]


def test_of_two_labels_for_one_task_the_later_one_holds_and_the_first_is_stale() -> None:
    first, second = {"task": 0, "root_cause": "BI"}, {"task": "0", "root_cause": "KG"}
    rows = _task(0, _fail(), _fail())
    assert _stale(rows, first, second) == ["line 1: a later label in line 2 names the same task"]
    document = _document(rows, labels=[first, second])
    assert [x["label"] for x in document["labels"]] == ["KG"]
    assert [(x["label"], x["replaced_by"]) for x in document["stale_labels"]] == [("BI", "KG")]
    assert document["unmatched_labels"] == []


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([{"task": 12, "line": 2}], "m.yaml, line 2: the run has no task '12'; did you mean '123'?"),
        ([{"task": "gama", "line": 4}], "m.yaml, line 4: the run has no task 'gama'; did you mean 'gamma'?"),
        ([{"task": 99}], "m.yaml: the run has no task '99'; name a task by its index or by its id in the dataset."),
        (
            [{"task": 123, "line": 1}, {"task": "q", "line": 2}, {"task": "r", "line": 3}],
            "m.yaml, line 2: the run has no task 'q' (2 labels name no task of the run); name a task by its index or "
            "by its id in the dataset.",
        ),
    ],
)
def test_a_label_for_a_task_that_the_run_does_not_have_is_refused(labels: Any, sentence: str) -> None:
    rows = aligned([{"task": 123, "score": 0.0, "dataset_id": '"gamma"'}])
    with pytest.raises(BladeError) as error:
        refuse_unknown_tasks({"file": "m.yaml", "labels": labels}, rows)
    assert str(error.value) == sentence


@pytest.mark.parametrize("name", [123, "123", "gamma", '"gamma"'])
def test_a_task_is_named_by_its_index_or_its_id(name: Any) -> None:
    rows = aligned([{"task": 123, "score": 0.0, "dataset_id": '"gamma"'}])
    refuse_unknown_tasks({"file": "m.yaml", "labels": [{"task": name}]}, rows)


def test_a_declared_cause_is_certain_when_it_covers_every_lost_rollout() -> None:
    rule = {"code": "lies", "when": "score = 0", "severity": 1, "root_cause": "KG"}
    profile = Profile.model_validate({"failure_modes": [rule]})
    found = _label(_task(0, _fail(), _fail()), profile=profile)
    assert (found["label"], found["confidence"]) == ("KG", "high")


def test_recommendations_are_ordered_by_the_score_they_could_recover() -> None:
    # Task 0: two clean failures (KG, loses 1). Task 1: 1 of 4 passes (UK, loses 3/4). Task 2: passes.
    rows = _task(0, _fail(), _fail()) + _task(1, PASS, _fail(), _fail(), _fail()) + _task(2, PASS)
    document = _document(rows)
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
    silent = _fail(verifier={"extracted_answer": None})
    rows = _task(0, _fail(**CUT), _fail(**CUT), _fail()) + _task(1, silent, _fail(**CUT)) + ANCHOR
    [step] = _document(rows)["recommendations"]
    assert (step["label"], step["reasons"]) == (
        "BI",
        [{"reason": "output_limit", "count": 3, "total": 4}, {"reason": "no_answer", "count": 1, "total": 4}],
    )
    assert step["next"].startswith("Run these tasks again with a higher limit;")


OUT = _fail(error_text="429 Too Many Requests")


def test_what_a_repair_gives_counts_its_rollouts_in_tasks_of_any_label() -> None:
    """Of 5 tasks: 0 lost both rollouts to an outage, 1 one of 4 beside two wrong ones, 2 one of 2 to a missing row."""
    rows = [
        *_task(0, OUT, OUT),
        *_task(1, PASS, OUT, _fail(), _fail()),
        *_task(2, PASS, {"outcome": "missing"}),
        *_task(3, PASS, PASS),
        *_task(4, _fail(), _fail()),
    ]
    document = _document(rows)
    assert {row["task"]: row["label"] for row in document["labels"]} == {"0": "IR", "1": "UK", "2": "IR", "4": "KG"}
    [step] = [row for row in document["recommendations"] if row["label"] == "IR"]
    assert step["numerator"] == 1 + 1 / 2
    assert step["repair"] == {"rollouts": 4, "tasks": 3, "numerator": 1 + 1 / 4 + 1 / 2, "score": 1.75 / 5}
    assert step["sentence"].endswith(
        "In tasks of any label 4 lost rollouts, on 3 tasks, carry it: 1.75 of 5 task scores (35.0%) at most if all of "
        "them passed."
    )


def test_a_repair_is_recommended_also_where_it_is_the_label_of_no_task() -> None:
    document = _document(_task(0, PASS, OUT, _fail(), _fail()))
    assert [(row["label"], row["tasks"]) for row in document["recommendations"]] == [("IR", 0), ("UK", 1)]
    assert document["recommendations"][0]["sentence"] == (
        "IR: the label of no task. In tasks of any label 1 lost rollout, on 1 task, carry it: 0.25 of 1 task score "
        "(25.0%) at most if all of them passed."
    )
    assert document["recommendations"][0]["reasons"] == [{"reason": "infrastructure", "count": 1, "total": 1}]


def test_an_analyst_s_label_decides_over_all_rollouts_of_its_task() -> None:
    """The analyst calls task 0 missing knowledge, so its outage counts no more; task 1 the verifier's fault, whole."""
    labels = [{"task": 0, "root_cause": "KG", "analyst": "A"}, {"task": 1, "root_cause": "TI", "analyst": "A"}]
    document = _document(_task(0, OUT, OUT) + _task(1, PASS, _fail()), labels=labels)
    repairs = {row["label"]: row["repair"] for row in document["recommendations"]}
    assert repairs == {
        "KG": {"rollouts": 2, "tasks": 1, "numerator": 1.0, "score": 0.5},
        "TI": {"rollouts": 1, "tasks": 1, "numerator": 0.5, "score": 0.25},
    }


def test_a_label_of_a_task_that_passes_every_time_is_no_work_to_do() -> None:
    """Task 0 passes twice, so its label is stale; task 1 fails twice, and one of two tasks has something to recover."""
    rows = _task(0, PASS, PASS) + _task(1, _fail(), _fail())
    document = _document(rows, labels=[{"task": 0, "root_cause": "KG", "analyst": "A"}])
    assert [(row["task"], row["by"]) for row in document["labels"]] == [("0", "analyst"), ("1", "rule")]
    assert [row["task"] for row in document["stale_labels"]] == ["0"]
    assert document["counts"]["KG"] == 1
    [knowledge] = document["recommendations"]
    assert (knowledge["tasks"], knowledge["task_ids"], knowledge["by_analyst"]) == (1, ["1"], 0)
    assert "none of these tasks passes in any measured repeat" in knowledge["sentence"]


def test_every_place_names_the_cause_whose_rollouts_would_give_most() -> None:
    """BI is the label of 2 of 8 tasks, which lose 1; an outage took 1 of 4 rollouts of 6 others, which gives 1.5."""
    cut = [row for task in (0, 1) for row in _task(task, PASS, _fail(**CUT))]
    hit = [row for task in range(2, 8) for row in _task(task, PASS, OUT, _fail(), _fail())]
    document = _document(cut + hit)
    plan = document["recommendations"]
    assert [(row["label"], row["tasks"]) for row in plan] == [("IR", 0), ("BI", 2), ("UK", 6)]
    assert leading(plan) is plan[0]
    [fact] = cause_fact(Scope("bench", "run"), document)
    assert (fact.about, fact.numbers) == ("IR", {"rollouts": 6, "tasks": 6, "total_tasks": 8, "recoverable": 1.5})


def test_causes_by_elimination_are_told_from_those_that_were_seen() -> None:
    """UK loses 1/2 and KG 1 for want of another cause, BI 1/2 by what was seen; 4 tasks with the anchor."""
    rows = [*_task(0, PASS, _fail()), *_task(1, _fail(), _fail()), *_task(2, PASS, _fail(**CUT)), *ANCHOR]
    document = _document(rows)
    seen = {row["label"]: (row["tasks"], row["evident_tasks"], row["evident"]) for row in document["recommendations"]}
    assert seen == {"KG": (1, 0, 0), "UK": (1, 0, 0), "BI": (1, 1, 0.5)}
    assert document["without_cause"] == {
        "tasks": 2, "lost": 1.5, "passing_tasks": 1, "passing_lost": 0.5, "denominator": 4,
    }  # fmt: skip
    assert [row["label"] for row in document["recommendations"]] == ["BI", "KG", "UK"], "what was seen comes first"
    assert "For 1 of these 1 no record names a main cause" in document["recommendations"][1]["sentence"]


def test_one_wrong_answer_of_every_repeat_is_a_want_of_other_causes_too_and_recounted_as_such() -> None:
    """Tasks 1 to 3 give twelve answers between them, task 0 one and the same; nothing has a cause that was seen."""
    rows = [row for task in range(4) for row in _task(task, *(_fail() for _ in range(4)))]
    for row in rows:
        given = f"{row['task']}{row['repeat'] * bool(row['task'])}"
        row["verifier"] = {"extracted_answer": given, "expected_answer": "no number"}
    samples = aligned([*rows, *ANCHOR])
    modes, document = failure_modes(samples, Profile())
    causes = root_causes(samples, buckets_of(samples), modes, {"labels": []}, Profile())
    assert {row["rule"] for row in causes["labels"]} == {
        "never passes, and every repeat gives the same answer",
        "never passes, and no record names a cause",
    }
    [step] = causes["recommendations"]
    assert "For 4 of these 4 no record names a main cause" in step["sentence"]
    documents = {"failure_modes": document, "root_causes": causes}
    verifier = Verifier(Evidence("b", "r", samples, None, modes, buckets_of(samples), documents))
    judged = verifier.report(f"# Demo BLADE Analysis Report\n\n## Recommendations\n\n{step['sentence']}\n")
    assert [row["text"] for row in judged["figures"] if row["status"] == "contradicted"] == []


def test_a_task_with_repeats_that_nobody_measured_is_not_said_never_to_pass() -> None:
    found = _label(_task(0, _fail(), _fail(), _fail(), _fail(), {"outcome": "missing"}))
    assert (found["bucket"], found["label"], found["confidence"]) == ("indeterminate", "KG", "low")
    assert found["rule"] == "no measured repeat passes, and no record names a cause"
    assert found["note"].endswith("and 1 of 5 have no score.")


@pytest.mark.parametrize(
    ("repeats", "begins"),
    [
        ([_fail()], "Run every task at least 4 times"),
        ([_fail(), _fail()], "Read one answer of each task beside the expected one"),
        ([_fail(), PASS], "Lay a passing and a failing rollout of one task side by side"),
    ],
)
def test_what_a_wrong_answer_asks_for_depends_on_the_repeats(repeats: list[dict[str, Any]], begins: str) -> None:
    [step] = _document(_task(0, *repeats))["recommendations"]
    assert step["next"].startswith(begins)


def test_what_an_analyst_decided_gets_no_advice_from_a_rule() -> None:
    own = {"task": 0, "root_cause": "KG", "analyst": "A"}
    [step] = _document(_task(0, _fail(**CUT)), labels=[own])["recommendations"]
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
    document = _document(_task(0, PASS, {"outcome": "missing"}) + ANCHOR)
    assert document["recommendations"][0]["numerator"] == 0.5


def test_the_unlabelled_come_last() -> None:
    rows = _task(0, _fail()) + _task(1, _fail()) + _task(2, PASS, PASS, _fail())
    assert [row["label"] for row in _document(rows)["recommendations"]] == ["UK", "unlabelled"]


def test_an_empty_run_has_no_labels() -> None:
    document = _document([])
    assert (document["labels"], document["recommendations"]) == ([], [])


@pytest.mark.parametrize(
    ("name", "stage", "cause"),
    [
        ("transport_timeout", None, "IR"),
        ("sandbox:provider_unavailable", None, "IR"),
        ("verifier_error", None, "TI"),
        ("reference_missing", None, "DA"),
        ("tau2_malformed_tool_call", None, "BI"),
        ("environment_server_failed", "seed", "IR"),
        ("environment_server_failed", "verification", "TI"),
        ("environment_server_failed", "agent", None),
        ("agent_run_error", None, None),
        ("never heard of", None, None),
        (None, None, None),
    ],
)
def test_the_failure_vocabulary(name: str | None, stage: str | None, cause: str | None) -> None:
    assert cause_of(name, stage) == cause


def test_part_of_the_score_proposes_no_cause() -> None:
    for repeats in ([{"score": 0.5}] * 4, [PASS, *[{"score": 0.5}] * 3]):
        found = _label(_task(0, *repeats))
        assert (found["label"], found["rule"]) == ("unlabelled", None)
        assert "earned part of the score" in found["note"]
    assert _label(_task(0, *[_fail()] * 3, {"score": 0.5}))["label"] == "KG"


def test_a_cause_in_a_graded_run_is_worth_what_its_rollouts_lack() -> None:
    silent = _fail(**SILENT)
    rows = _task(0, {"score": 0.4}, silent, {"score": 0.6}, {"score": 0.8}) + _task(1, {"score": 0.5}, silent)
    samples = aligned(rows)
    found = mean_score_gains(samples, failure_modes(samples, Profile())[0], Profile())
    # One of four repeats at 0 in task 0, one of two in task 1: (1/4 + 1/2) / 2 tasks.
    expected = {"label": "IR", "reason": "no_activity", "rollouts": 2, "tasks": 2, "of": 2, "best": 1.0}
    assert found == [expected | {"gain": pytest.approx(0.375)}]
    binary = aligned(_task(0, PASS, silent))
    assert mean_score_gains(binary, failure_modes(binary, Profile())[0], Profile()) == []


def test_the_funnel_of_a_graded_run_ends_with_the_score() -> None:
    graded = aligned(_task(0, {"score": 0.4}, {"score": 0.6}, {"score": 0.8}))
    found = funnel(graded, Profile())
    assert "passed" not in [phase["phase"] for phase in found["phases"]] and found["largest_drop"] is None
    assert funnel(aligned(_task(0, PASS, _fail())), Profile())["phases"][-1]["phase"] == "passed"
