"""Root causes: which rule speaks, and what it could recover."""

from typing import Any

import pytest

from blade_pipeline.method.analyst import refuse_unknown_tasks
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.graded_gains import mean_score_gains
from blade_pipeline.method.responsibility import cause_of
from blade_pipeline.method.root_causes import root_causes
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.models import BladeError, Profile
from blade_pipeline_tests.builders import aligned, buckets_of
from blade_pipeline_tests.method.lost_tasks import ANCHOR, CUT, PASS, SAME, SILENT, causes_of, failed, task_of


def _label(rows: list[dict[str, Any]], **keywords: Any) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in causes_of(rows + ANCHOR, **keywords)["labels"] if row["task"] == "0")
    return found


@pytest.mark.parametrize(
    ("label", "confidence", "repeats"),
    [
        ("IR", "high", [failed(**SILENT)] * 4),
        ("IR", "high", [failed(error_text="429 Too Many Requests")] * 2),
        ("IR", "medium", [failed(error_text="429 Too Many Requests")]),
        ("IR", "low", [{"outcome": "missing"}] * 2),
        ("IR", "high", [{"outcome": "failed", "failure_class": "agent_request_failed"}] * 2),
        ("IR", "medium", [PASS, {"outcome": "failed", "failure_class": "judge_failed"}]),
        ("IR", "low", [failed(output_items=0, answer_length=0, total_tokens=None)] * 2),
        ("TI", "medium", [{"outcome": "failed", "failure_class": "judge_failed"}] * 2),
        ("TI", "high", [{"outcome": "failed", "failure_class": "verifier_error"}] * 2),
        ("TI", "low", [failed(verifier={"verifier_error": "boom"})] * 2),
        ("TI", "high", [PASS | SAME, failed(**SAME)]),
        ("DA", "high", [PASS, {"outcome": "unscored", "reason": "conflict"}]),
        ("DA", "high", [{"outcome": "unscored", "reason": "invalid_nan"}] * 2),
        ("unlabelled", None, [{"outcome": "unscored", "reason": "invalid_null"}] * 2),
        ("unlabelled", None, [{"outcome": "unscored", "reason": "invalid_absent"}] * 4),
        ("BI", "low", [failed(**CUT), failed(**CUT), failed()]),
        ("BI", "low", [PASS, failed(numbers={"format_ok": 0})]),
        ("UK", "low", [PASS, failed()]),
        ("UK", "low", [PASS | SAME | {"answer_length": 2}, failed(**SAME | {"answer_length": 2})]),
        ("UK", "low", [PASS, failed(), failed(), failed()]),
        ("UK", "low", [PASS, failed(), {"outcome": "missing"}]),
        ("UK", "low", [PASS, failed(), failed(**CUT)]),
        ("BI", "low", [PASS, failed(**CUT), {"outcome": "masked"}]),
        ("BI", "low", [PASS, failed(**CUT), {"outcome": "missing"}]),
        ("IR", "low", [PASS, failed(**CUT), {"outcome": "missing"}, {"outcome": "missing"}]),
        ("KG", "low", [failed(), failed()]),
        ("KG", "low", [failed(), failed(), failed(**CUT)]),
        ("KG", "low", [failed(verifier={"error_message": "expected 3 rows"})] * 4),
        ("unlabelled", None, [PASS, failed(**CUT), failed(error_text="connection refused")]),
        ("KG", "low", [failed()] * 4),
        ("unlabelled", None, [failed(verifier={"agent_error_kind": "other"})] * 4),
        ("unlabelled", None, [failed()]),
        ("unlabelled", None, [{"outcome": "masked"}] * 2),
        ("unlabelled", None, [{"outcome": "failed", "failure_class": "agent_run_error"}]),
        ("unlabelled", None, [failed(**CUT), failed(error_text="connection refused")]),
    ],
)
def test_a_task_gets_the_label_that_its_records_support(
    label: str, confidence: str | None, repeats: list[dict[str, Any]]
) -> None:
    found = _label(task_of(0, *repeats))
    assert (found["label"], found["confidence"], found["by"]) == (label, confidence, "rule")
    assert found["evidence"]
    assert found["note"]


def test_a_task_that_always_passes_needs_no_label() -> None:
    assert causes_of(ANCHOR)["labels"] == []


def test_evidence_names_the_rollouts_that_carry_the_cause() -> None:
    found = _label(task_of(0, failed(), failed(**CUT), failed(**CUT)))
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
    document = causes_of(task_of(task, failed(), failed()), labels=[own])
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
    changed = failed(edited_tests=1, verifier={"eval_log": "hunks below tests were taken out"})
    rows = [row for task in range(10) for row in task_of(task, PASS, changed)]
    table, _ = failure_modes(aligned(rows), Profile())
    assert set(table["mode"].to_pylist()) == {"eval_log:hunks_below_tests_were_taken_out"}
    assert set(table["cause_mode"].to_pylist()) == {"edited_tests"}
    found = causes_of(rows)["labels"]
    assert [(row["label"], row["note"]) for row in found] == [
        ("BI", "1 of 1 lost rollouts, reason: `edited_tests`.")
    ] * 10


def test_right_answers_that_fail_for_another_reason_are_no_lack_of_knowledge() -> None:
    right = {"extracted_answer": "7", "expected_answer": "7"}
    turned_away = failed(verifier=right | {"failure_reason": "the report lacks its second page"})
    rows = [*task_of(0, turned_away, turned_away), *task_of(1, PASS, failed(), failed())]
    found = {row["task"]: (row["label"], row["note"]) for row in causes_of(rows)["labels"]}
    assert found["0"] == (
        "unlabelled",
        "The answers of 2 of 2 failed rollouts are right, and the verifier gives another reason.",
    )
    assert found["1"][0] == "UK"


def test_a_label_for_no_task_is_named() -> None:
    assert causes_of(ANCHOR, labels=[{"task": 7, "root_cause": "KG"}])["unmatched_labels"] == ["7"]


def _stale(rows: list[dict[str, Any]], *labels: dict[str, Any]) -> list[str]:
    document = causes_of(rows, labels=[{"line": n + 1} | label for n, label in enumerate(labels)])
    return [f"line {entry['line']}: {entry['reason']}" for entry in document["stale_labels"]]


def test_a_label_that_no_longer_fits_its_run_is_flagged_and_holds() -> None:
    """Task 0 fails twice, as rollouts 0-0 and 0-1; the anchor's tasks all pass."""
    rows = [*task_of(0, failed(), failed()), *ANCHOR]
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
    document = causes_of(rows, labels=[{"task": 0, "root_cause": "BI", "evidence": ["0-7"]}])
    assert [(x["label"], x["by"], x["stale"]) for x in document["labels"] if x["task"] == "0"] == [
        ("BI", "analyst", "cites 0-7, which the run does not have")
    ]


def test_of_two_labels_for_one_task_the_later_one_holds_and_the_first_is_stale() -> None:
    first, second = {"task": 0, "root_cause": "BI"}, {"task": "0", "root_cause": "KG"}
    rows = task_of(0, failed(), failed())
    assert _stale(rows, first, second) == ["line 1: a later label in line 2 names the same task"]
    document = causes_of(rows, labels=[first, second])
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
    found = _label(task_of(0, failed(), failed()), profile=profile)
    assert (found["label"], found["confidence"]) == ("KG", "high")


def test_one_wrong_answer_of_every_repeat_is_a_want_of_other_causes_too_and_recounted_as_such() -> None:
    """Tasks 1 to 3 give twelve answers between them, task 0 one and the same; nothing has a cause that was seen."""
    rows = [row for task in range(4) for row in task_of(task, *(failed() for _ in range(4)))]
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
    found = _label(task_of(0, failed(), failed(), failed(), failed(), {"outcome": "missing"}))
    assert (found["bucket"], found["label"], found["confidence"]) == ("indeterminate", "KG", "low")
    assert found["rule"] == "no measured repeat passes, and no record names a cause"
    assert found["note"].endswith("and 1 of 5 have no score.")


def test_an_empty_run_has_no_labels() -> None:
    document = causes_of([])
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
        found = _label(task_of(0, *repeats))
        assert (found["label"], found["rule"]) == ("unlabelled", None)
        assert "earned part of the score" in found["note"]
    assert _label(task_of(0, *[failed()] * 3, {"score": 0.5}))["label"] == "KG"


def test_part_of_the_score_proposes_no_cause_beside_a_message_either() -> None:
    told = failed(score=0.6, verifier={"judge_feedback": "the source is not cited"})
    assert _label(task_of(0, *[told] * 4))["label"] == "unlabelled"


def test_a_cause_in_a_graded_run_is_worth_what_its_rollouts_lack() -> None:
    silent = failed(**SILENT)
    rows = task_of(0, {"score": 0.4}, silent, {"score": 0.6}, {"score": 0.8}) + task_of(1, {"score": 0.5}, silent)
    samples = aligned(rows)
    found = mean_score_gains(samples, failure_modes(samples, Profile())[0], Profile())
    # One of four repeats at 0 in task 0, one of two in task 1: (1/4 + 1/2) / 2 tasks.
    expected = {"label": "IR", "reason": "no_activity", "rollouts": 2, "tasks": 2, "of": 2, "best": 1.0}
    assert found == [expected | {"gain": pytest.approx(0.375)}]
    binary = aligned(task_of(0, PASS, silent))
    assert mean_score_gains(binary, failure_modes(binary, Profile())[0], Profile()) == []


def test_the_funnel_of_a_graded_run_ends_with_the_score() -> None:
    graded = aligned(task_of(0, {"score": 0.4}, {"score": 0.6}, {"score": 0.8}))
    found = funnel(graded, Profile())
    assert "passed" not in [phase["phase"] for phase in found["phases"]] and found["largest_drop"] is None
    assert funnel(aligned(task_of(0, PASS, failed())), Profile())["phases"][-1]["phase"] == "passed"
