"""Failure modes counted by hand."""

import json
from typing import Any

import pytest

from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned
from blade_pipeline_tests.method.rollouts_of_modes import CALL, CLOSING, FAILED_CALL, failed, modes_of, passed


@pytest.mark.parametrize(
    ("mode", "cause", "row"),
    [
        ("infrastructure", "IR", {"error_text": "429 Too Many Requests"}),
        ("infrastructure", "IR", {"error_text": "last model call failed: 402 payment failed", "output_items": 20}),
        ("infrastructure", "IR", {"error_text": "ConnectError: connection refused"}),
        ("infrastructure", "IR", {"verifier": {"error_message": "ErrImagePull: manifest unknown"}}),
        ("infrastructure", "IR", {"failure_kind": "provider_quota_exhausted"}),
        ("infrastructure", "IR", {"error_text": "container was OOM killed"}),
        ("environment_gave_way", "IR", {"error_lines": '[["environment_error","OSError: No space left on device"]]'}),
        ("wrong_answer", None, {"error_lines": '[["tool_error","OSError: No space left on device"]]'}),
        ("wrong_answer", None, {"error_lines": '[["environment_met","OSError: No space left on device"]]'}),
        ("environment_gave_way", "IR", {"error_lines": '[["environment_answer","APIConnectionError: refused"]]'}),
        ("evaluation_gave_way", "IR", {"error_lines": '[["build_output","ld: No space left on device"]]'}),
        ("evaluation_gave_way", "IR", {"verifier": {"checker": {"stderr": "Killed (exit code 137)"}}}),
        ("infrastructure", "IR", {"verifier": {"db_error": "database is locked (busy_timeout 9 ms)"}}),
        ("wrong_answer", None, {"verifier": {"info": {"message": "busy_timeout 5000 ms, timeout: 30, x"}}}),
        ("wrong_answer", None, {"verifier": {"run": {"stderr": "curl: connect to localhost: Connection refused"}}}),
        ("timeout", "BI", {"verifier": {"run": {"stderr": "Timeout 30000ms exceeded."}}}),
        ("timeout", "BI", {"verifier": {"run": {"stderr": "subprocess.TimeoutExpired: Command 'a' timed out"}}}),
        ("timeout", "BI", {"verifier": {"status": "agent_timeout"}}),
        ("verifier_failed", "TI", {"verifier": {"checker": {"log": "run.sh: line 3: Killed"}}}),
        ("verifier_failed", "TI", {"numbers": {"verifier_exit_code": 137}}),
        ("no_activity", "IR", {"output_items": 0, "answer_length": 0, "total_tokens": 0}),
        ("cut_off", "BI", {"output_tokens": 1024, "max_output_tokens": 1024}),
        ("wrong_answer", None, {"output_tokens": 1570, "max_output_tokens": 1024}),  # several responses together
        ("verifier_failed", "TI", {"verifier": {"verifier_error": "boom"}}),
        ("verifier_failed", "TI", {"numbers": {"evaluation_completed": 0}}),
        ("verifier_failed", "TI", {"numbers": {"eval_timed_out": 1}}),
        ("judge_failed", "IR", {"failure_kind": "judge_failed"}),
        ("judge_failed", "IR", {"failure_reason": "judge_failed", "numbers": {"invalid_judge_response": 1}}),
        ("infrastructure", "IR", {"error_text": "upstream judge answered 529 (overloaded) 7 times"}),
        ("repeated_text", "BI", {"output_items": 18, "repeated_turns": 3}),
        ("wrong_answer", None, {"output_items": 19, "repeated_turns": 3}),
        ("wrong_answer", None, {"output_items": 3, "repeated_turns": 2}),
        ("repeated_text", "BI", {"repeated_sentences": 5, "incomplete_reason": "max_output_tokens"}),
        ("output_limit", "BI", {"incomplete_reason": "max_output_tokens"}),
        ("output_limit", "BI", {"verifier": {"finish_reason": "length"}}),
        ("context_limit", "BI", {"numbers": {"context_length_exceeded_error": 1}}),
        ("context_limit", "BI", {"error_text": "error 400: prompt is too long"}),
        ("content_filter", None, {"incomplete_reason": "content_filter"}),
        ("timeout", "BI", {"numbers": {"agent_timed_out": 1}}),
        ("timeout", "BI", {"numbers": {"agent_timeout_error": 1}}),
        ("timeout", "BI", {"verifier": {"execution": {"exit_code": 124, "stderr": ""}}}),
        ("timeout", "BI", {"verifier": {"execution": {"exit_code": -9}}}),
        ("timeout", "BI", {"verifier": {"runs": [{"result": {"returncode": 137}}]}}),
        ("timeout", "BI", {"numbers": {"exit_code": 143}}),
        ("timeout", "BI", {"numbers": {"exit_code": 143, "steps": 1e30}}),
        ("timeout", "BI", {"verifier": {"execution": {"exit_code": 1, "stderr": "Timed out after 30 s"}}}),
        ("timeout", "BI", {"verifier": {"sandbox": {"log": "run.sh: line 3: Killed"}}}),
        ("timeout", "BI", {"verifier": {"execution": {"timed_out": True}}}),
        ("timeout", "BI", {"verifier": {"details": {"case": {"timeout": True}}}}),
        ("timeout", "BI", {"verifier": {"status": "TLE"}}),
        ("timeout", "BI", {"verifier": {"execution": {"wall_time": 30.02, "timeout_s": 30}}}),
        ("verifier_failed", "TI", {"verifier": {"evaluation": {"timed_out": True}}}),
        ("infrastructure", "IR", {"verifier": {"sandbox": {"error": {"message": "503 Service Unavailable"}}}}),
        ("memory_limit", None, {"numbers": {"memory_limit_exceeded_error": 1}}),
        ("step_limit", "BI", {"numbers": {"truncated": 1}}),
        ("step_limit", "BI", {"verifier": {"termination_reason": "max_steps"}}),
        ("step_limit", "BI", {"numbers": {"turns_used": 30, "max_turns": 30}}),
        ("wrong_answer", None, {"numbers": {"turns_used": 29, "max_turns": 30}}),
        ("output_limit", "BI", {"verifier": {"generation_info": {"done_reason": "length"}}}),
        ("unfinished", "BI", {"numbers": {"finished_naturally": 0}}),
        ("no_answer", "BI", {"verifier": {"extracted_answer": None}}),
        ("no_answer", "BI", {"numbers": {"no_answer": 1}}),
        ("no_answer", "BI", {"verifier": {"pred": None}}),
        ("no_answer", "BI", {"verifier": {"prediction": "  "}}),
        ("no_answer", "BI", {"verifier": {"parsed_answer": "None"}}),
        ("no_answer", "BI", {"verifier": {"grading": {"extracted_choice": None}}}),
        ("no_answer", "BI", {"verifier": {"extracted": None}}),
        ("bad_format", "BI", {"numbers": {"format_ok": 0}}),
        ("bad_format", "BI", {"failure_reason": "model_output_invalid"}),
        ("bad_format", "BI", {"numbers": {"parse_failed": 1}}),
        ("patch_missing", "BI", {"numbers": {"patch_exists": 0}}),
        ("patch_missing", "BI", {"patched_files": 0, "numbers": {"patch_exists": 1}}),
        ("wrong_answer", None, {"patched_files": 2, "output_items": 0, "answer_length": 0, "total_tokens": None}),
        ("patch_refused", "BI", {"numbers": {"apply_failed": 1}}),
        ("patch_refused", "BI", {"verifier": {"report": {"patch_successfully_applied": False}}}),
        ("empty_answer", "BI", {"answer_length": 0}),
        ("not_attempted", None, {"numbers": {"is_not_attempted": 1}}),
        ("tool_errors", "BI", {"tool_calls": 9, "tool_errors": 3}),
        ("tool_errors", "BI", {"tool_calls": 1, "tool_errors": 1}),
        ("stopped_at_error", "BI", {"tool_calls": 1, "tool_errors": 1, "steps": [*FAILED_CALL, CLOSING]}),
        ("stopped_at_error", "BI", {"tool_calls": 4, "tool_errors": 2, "steps": FAILED_CALL}),
        ("tool_errors", "BI", {"tool_calls": 4, "tool_errors": 3, "steps": FAILED_CALL}),
        ("wrong_answer", None, {"tool_calls": 2, "tool_errors": 1, "steps": [*FAILED_CALL, *CALL, CLOSING]}),
        ("repeated_calls", "BI", {"tool_calls": 10, "repeated_calls": 0, "similar_calls": 5}),
        ("wrong_answer", None, {"tool_calls": 11, "repeated_calls": 0, "similar_calls": 5}),
        ("no_output", None, {"output_items": 0, "answer_length": 0, "total_tokens": None}),
        ("partial_credit", None, {"score": 0.5}),
        ("wrong_answer", None, {}),
        ("unexplained", None, {"output_items": None, "answer_length": None, "total_tokens": None}),
    ],
)
def test_one_symptom_names_one_mode(mode: str, cause: str | None, row: dict[str, Any]) -> None:
    table, document = failure_modes(aligned([passed(0), failed(1, **row)]), Profile())
    assert table["mode"].to_pylist() == [mode]
    assert table["root_cause"].to_pylist() == [cause]
    entry = document["modes"][0]
    assert (entry["code"], entry["count"], entry["total_failed"], entry["share"]) == (mode, 1, 1, 1.0)
    assert entry["examples"][0]["evidence"]
    assert "[secret]" not in entry["examples"][0]["evidence"], "our own words are taken for a secret"


@pytest.mark.parametrize(
    ("mode", "row"), [("edited_tests", {"edited_tests": 1}), ("declined_in_words", {"declines": True})]
)
def test_a_habit_is_a_mode_only_beyond_chance(mode: str, row: dict[str, Any]) -> None:
    # 4 of 4 against 0 of 4: p = 2 / C(8, 4) = 2 / 70; 3 of 3 against 0 of 3: p = 2 / C(6, 3) = 0.1.
    four, three = ([passed(n) for n in range(k)] + [failed(k + n, **row) for n in range(k)] for k in (4, 3))
    assert modes_of(four) == [(mode, None)] * 4
    assert modes_of(three) == [("wrong_answer", mode)] * 3


@pytest.mark.parametrize(
    "row",
    [
        {"error_lines": '[["environment_met","Error: 429 Too Many Requests"]]'},
        {"error_text": "ReadTimeout: judge request timed out after 120.0s"},
        {"verifier": {"steps": [{"result": {"stderr": "dial tcp 10.2.3.4:2375: connect: connection refused"}}]}},
    ],
)
def test_that_nothing_gave_way_is_said_only_where_no_text_says_so(row: dict[str, Any]) -> None:
    def told(**more: Any) -> set[str]:
        rows = [passed(n, response_status="completed") for n in range(3)]
        rows += [failed(3 + n, response_status="completed") for n in range(3)]
        _, document = failure_modes(aligned([*rows, failed(9, **more)]), Profile())
        return {entry["code"] for entry in document["absent"]}

    assert "infrastructure" in told()
    assert "infrastructure" not in told(**row)


def test_a_tasks_own_network_words_are_no_infrastructure() -> None:
    log = {"verifier": {"run": {"stderr": "probe: Connection refused"}}}
    rows = [passed(n, **log) for n in range(5)] + [failed(5 + n, **log) for n in range(5)]
    assert modes_of(rows) == [("wrong_answer", "evaluation_gave_way")] * 5


@pytest.mark.parametrize(
    "text",
    ["assertion failed at line 429", "expected 500 got 402", "ValueError: bad token", "test_connection failed"],
)
def test_numbers_in_ordinary_messages_are_no_infrastructure(text: str) -> None:
    assert modes_of([passed(0), failed(1, error_text=text)]) == [("wrong_answer", None)]


def test_the_more_severe_symptom_is_primary_and_the_others_stay() -> None:
    cut = {"incomplete_reason": "max_output_tokens", "verifier": {"extracted_answer": ""}, "answer_length": 0}
    assert modes_of([passed(0), failed(1, **cut)]) == [("output_limit", "no_answer,empty_answer")]


@pytest.mark.parametrize("reason", ["max_output_tokens", "length", "content_filter", "context_window_exceeded"])
def test_a_response_that_names_another_limit_did_not_run_out_of_steps(reason: str) -> None:
    cut = {"incomplete_reason": reason, "response_status": "incomplete", "answer_length": 5}
    assert modes_of([passed(0), failed(1, **cut)])[0][1] is None
    assert modes_of([passed(0), failed(1, **cut | {"incomplete_reason": "stopped"})]) == [("step_limit", None)]


def test_further_modes_are_counted_over_the_failed_rollouts() -> None:
    # Of 3 failed rollouts one is cut and left without answer and text, one has no answer, one shows nothing.
    cut = {"incomplete_reason": "max_output_tokens", "verifier": {"extracted_answer": ""}, "answer_length": 0}
    rows = [passed(0), failed(1, **cut), failed(2, verifier={"extracted_answer": ""}), failed(3)]
    found = failure_modes(aligned(rows), Profile())[1]["secondary"]
    assert [(row["code"], row["count"], row["total_failed"]) for row in found] == [
        ("no_answer", 1, 3),
        ("empty_answer", 1, 3),
    ]


def test_a_symptom_that_passed_rollouts_show_as_often_explains_nothing() -> None:
    # 1 of 2 failed and 1 of 2 passed rollouts are truncated: not twice as frequent.
    rows = [passed(0), passed(1, numbers={"truncated": 1}), failed(2), failed(3, numbers={"truncated": 1})]
    table, document = failure_modes(aligned(rows), Profile())
    assert table["mode"].to_pylist() == ["wrong_answer", "wrong_answer"]
    assert table["secondary"].to_pylist() == [None, "step_limit"]
    demoted = document["not_discriminating"][0]
    assert demoted == {
        "code": "step_limit",
        "label": "cut short by a limit on steps",
        "failed_with": 1,
        "total_failed": 2,
        "passed_with": 1,
        "total_passed": 2,
    }


def test_twice_as_frequent_is_enough() -> None:
    # 2 of 2 failed against 1 of 2 passed.
    cut = {"numbers": {"truncated": 1}}
    rows = [passed(0), passed(1, **cut), failed(2, **cut), failed(3, **cut)]
    assert [mode for mode, _ in modes_of(rows)] == ["step_limit", "step_limit"]


def test_a_symptom_that_passed_rollouts_show_must_be_beyond_chance_where_it_can_be() -> None:
    # Of 6 failed and 12 passed, 2 and 1 are truncated: p = 0.24. With 6 of 6 it would be below 0.001.
    cut = {"numbers": {"truncated": 1}}
    rows = [passed(n) for n in range(11)] + [passed(11, **cut)]
    rows += [failed(12 + n, **(cut if n < 2 else {})) for n in range(6)]
    assert {mode for mode, _ in modes_of(rows)} == {"wrong_answer"}


def test_infrastructure_zeros_are_counted_apart_and_bounded() -> None:
    # Ten zeros, six of them "429", and two passes: 2/12 shown, 2/6 without, bounds [2/12, 8/12].
    rows = [failed(n, error_text="429 Too Many Requests" if n < 6 else None) for n in range(10)]
    rows += [passed(10), passed(11)]
    _, document = failure_modes(aligned(rows), Profile())
    found = document["infrastructure"]
    assert (found["suspects"], found["failed"], found["passed"], found["measured"]) == (6, 10, 2, 12)
    assert found["score_shown"] == pytest.approx(2 / 12)
    assert found["score_without"] == pytest.approx(2 / 6)
    assert (found["low"], found["high"]) == (pytest.approx(2 / 12), pytest.approx(8 / 12))


def test_no_activity_says_nothing_where_passed_rollouts_leave_no_output_either() -> None:
    silent = {"output_items": 0, "answer_length": 0, "total_tokens": 0}
    assert [mode for mode, _ in modes_of([passed(0, **silent), failed(1, **silent)])] == ["unexplained"]


@pytest.mark.parametrize(
    ("labels", "mode"),
    [
        (["[[A!=B]]"], "wrong_answer"),
        (["[[A=B]]", "[[A!=B]]"], "wrong_answer"),
        ([None], "failure_reason:judge_evaluation_failed"),
        (["[[A=B]]", None], "failure_reason:judge_evaluation_failed"),
    ],
)
def test_a_judge_that_said_no_did_not_fail(labels: list[Any], mode: str) -> None:
    # text_to_sql gives the same reason whether its judge said no or nothing.
    told = {"failure_reason": "judge_evaluation_failed", "judge_evaluations": [{"verdict_label": x} for x in labels]}
    assert modes_of([passed(0), *(failed(n, verifier=told) for n in (1, 2))]) == [(mode, None)] * 2


def test_an_answer_field_counts_as_empty_only_where_passed_rollouts_fill_it() -> None:
    # `pred` is filled in both passed rollouts and empty in one failed one; `final_answer` is empty in all.
    rows = [passed(n, verifier={"pred": "B", "final_answer": None}) for n in range(2)]
    rows += [failed(2, verifier={"pred": None, "final_answer": "a text"}), failed(3, verifier={"pred": "C"})]
    assert [mode for mode, _ in modes_of(rows)] == ["no_answer", "wrong_answer"]


@pytest.mark.parametrize(
    ("extracted", "mode"), [("a or b", "unmapped_answer"), (None, "no_answer"), (True, "no_answer")]
)
def test_an_answer_that_fits_no_option_was_extracted_all_the_same(extracted: Any, mode: str) -> None:
    # spartqa: `extracted` holds what the text says, `predicted_label` the option that it stands for.
    good = {"extracted": "a", "predicted_label": "a"}
    bad = {"extracted": extracted, "predicted_label": None}
    assert modes_of([passed(0, verifier=good), failed(1, verifier=bad)]) == [(mode, None)]


def test_profile_rules_come_first_by_their_severity() -> None:
    profile = Profile.model_validate(
        {
            "failure_modes": [
                {"code": "mild", "when": "answer_length < 100", "severity": 1, "root_cause": "BI"},
                {"code": "grave", "when": "verifier->>'verdict' = 'lie'", "severity": 9, "note": "made it up"},
            ]
        }
    )
    rows = [failed(0, verifier={"verdict": "lie"}, error_text="429 Too Many Requests"), failed(1)]
    assert modes_of(rows, profile) == [("grave", "mild,infrastructure"), ("mild", None)]
    _, document = failure_modes(aligned(rows), profile)
    grave = next(mode for mode in document["modes"] if mode["code"] == "grave")
    assert (grave["source"], grave["rule"]) == ("profile", "verifier->>'verdict' = 'lie' (made it up)")


@pytest.mark.parametrize(
    ("when", "verifier", "evidence"),
    [
        ("verifier->>'note' like '%differ%'", {"note": "figures differ: 12 and 13"}, "note=figures differ: N and N"),
        ("verifier->>'note' like '%by%'", {"note": "seen by ana@example.org"}, "note=seen by [address]"),
        ("incomplete_reason is null and verifier->>'pred' is null", {}, "incomplete_reason is empty, pred is empty"),
        ("coalesce(verifier->>'pred', verifier->>'why') = 'no line'", {"why": "no line"}, "why=no line"),
        ("verifier->>'hits' = '0'", {"hits": 0}, None),
        ("not passed", {"note": "figures differ"}, None),
    ],
)
def test_an_example_of_a_declared_mode_shows_the_fields_that_it_reads(
    when: str, verifier: dict[str, Any], evidence: str | None
) -> None:
    profile = Profile.model_validate({"failure_modes": [{"code": "own", "when": when, "severity": 1}]})
    _, document = failure_modes(aligned([failed(0, verifier=verifier)]), profile)
    assert [(mode["code"], mode["examples"][0]["evidence"]) for mode in document["modes"]] == [("own", evidence)]


def test_a_profile_rule_replaces_the_generic_one_of_its_name() -> None:
    rule = {"code": "timeout", "when": "error_text like 'slow%'", "severity": 1, "root_cause": "IR"}
    profile = Profile.model_validate({"failure_modes": [rule]})
    rows = [failed(0, numbers={"agent_timed_out": 1}), failed(1, error_text="slow service")]
    assert [mode for mode, _ in modes_of(rows, profile)] == ["wrong_answer", "timeout"]


def test_what_was_not_measured_is_listed_apart() -> None:
    rows = [
        failed(0),
        {"task": 1, "outcome": "masked", "reason": "masked"},
        {"task": 2, "outcome": "failed", "reason": "judge_failed", "failure_class": "judge_failed"},
        {"task": 2, "repeat": 1, "outcome": "failed", "reason": "judge_failed", "failure_class": "judge_failed"},
        {"task": 3, "outcome": "missing", "reason": "no row"},
        {"task": 4, "outcome": "unscored", "reason": "invalid_null"},
    ]
    table, document = failure_modes(aligned(rows), Profile())
    assert table.num_rows == document["total_failed"] == 1
    assert document["not_measured"] == [
        {"outcome": "failed", "reason": "judge_failed", "count": 2, "tasks": 1},
        {"outcome": "masked", "reason": "masked", "count": 1, "tasks": 1},
        {"outcome": "missing", "reason": "no row", "count": 1, "tasks": 1},
        {"outcome": "unscored", "reason": "invalid_null", "count": 1, "tasks": 1},
    ]


def test_examples_take_different_tasks_first() -> None:
    rows = [failed(task, repeat=repeat) for task in range(3) for repeat in range(4)]
    _, document = failure_modes(aligned(rows), Profile())
    examples = document["modes"][0]["examples"]
    assert [(row["task"], row["repeat"]) for row in examples] == [
        ("0", "0"),
        ("1", "0"),
        ("2", "0"),
        ("0", "1"),
        ("1", "1"),
    ]
    assert (examples[0]["file"], examples[0]["line"], examples[0]["rollout"]) == ("rollouts.jsonl", 1, "0-0")


def test_a_slice_in_which_a_mode_concentrates_stands_out() -> None:
    # 8 of 8 tasks of "hard" fail, 0 of 8 of "easy": Fisher p = 2 / C(16, 8) = 2 / 12870, two tests per mode.
    rows = [failed(n, slices={"level": "hard"}) for n in range(8)]
    rows += [passed(8 + n, slices={"level": "easy"}) for n in range(8)]
    _, document = failure_modes(aligned(rows), Profile())
    first = document["slices"][0]
    assert first["p"] == pytest.approx(2 / 12870)
    assert first["q"] == pytest.approx(2 / 12870)
    hard = next(row for row in document["slices"] if row["value"] == "hard" and row["mode"] == "any failure")
    assert (hard["with"], hard["tasks"], hard["rest_with"], hard["rest_tasks"]) == (8, 8, 0, 8)


def test_nothing_measured_and_nothing_at_all_give_empty_documents() -> None:
    for rows in ([], [{"task": 1, "outcome": "masked", "reason": "masked"}]):
        table, document = failure_modes(aligned(rows), Profile())
        assert table.num_rows == 0
        assert (document["modes"], document["total_failed"], document["infrastructure"]) == ([], 0, None)


def test_no_evidence_holds_a_secret() -> None:
    secret = "nvapi-Zx81kQwErTyUiOp00112233"
    rows = [
        failed(n, error_text=f"sandbox {secret} failed to start on 10.0.0.{n}", verifier={"error": f"at /home/eve/{n}"})
        for n in range(3)
    ]
    _, document = failure_modes(aligned(rows), Profile())
    for private in (secret, "10.0.0", "/home/eve"):
        assert private not in str(document)


def test_who_declines_leaves_no_answer_to_extract() -> None:
    """Of 12 rollouts without an extracted answer 6 declined: of these that is said, of the others what is missing."""
    empty = {"verifier": {"extracted_answer": None}}
    rows = [failed(n, declines=n < 6, **empty) for n in range(12)]
    rows += [passed(n, verifier={"extracted_answer": "4"}) for n in range(12, 40)]
    table, _ = failure_modes(aligned(rows), Profile())
    assert table["mode"].to_pylist() == ["declined_in_words"] * 6 + ["no_answer"] * 6
    assert table["cause_mode"].to_pylist() == table["mode"].to_pylist()
    assert table["secondary"].to_pylist() == ["no_answer"] * 6 + [None] * 6


def _met(line: str) -> dict[str, Any]:
    return {"tool_calls": 9, "tool_errors": 1, "error_lines": json.dumps([["tool_error", line]])}


def test_a_file_that_every_repeat_of_a_task_lacks_is_missing_from_the_task() -> None:
    """Task 0 lacks one and the same file three times; task 1 three different ones; task 2 the same, and passes once."""
    absent = "FileNotFoundError: [Errno 2] No such file or directory: '/data/{}.csv'"
    rows = [failed(0, repeat=n, **_met(absent.format("a"))) for n in range(3)]
    rows += [failed(1, repeat=n, **_met(absent.format(n))) for n in range(3)]
    rows += [(failed if n else passed)(2, repeat=n, **_met(absent.format("c"))) for n in range(4)]
    table, _ = failure_modes(aligned(rows), Profile())
    assert table["mode"].to_pylist()[:3] == ["missing_input"] * 3
    assert table["root_cause"].to_pylist() == ["DA"] * 3 + [None] * 6
    assert "missing_input" not in table["mode"].to_pylist()[3:]


@pytest.mark.parametrize(
    "line",
    [
        "ModuleNotFoundError: No module named 'pwn'",
        "bash: line 1: gdb: command not found",
        "Proof.lean:1:0: error: unknown module prefix 'Mathlib.Order'",
        "fatal error: Eigen/Core: No such file or directory",
        "./solve: error while loading shared libraries: libgmp.so.10: cannot open shared object file",
        "Error in library(lme4) : there is no package called 'lme4'",
    ],
)
def test_software_that_every_repeat_of_a_task_lacks_is_a_fault_of_the_task(line: str) -> None:
    """Task 0 lacks it three times; task 1 lacks it three times and passes once; task 2 meets it in one of three."""
    rows = [failed(0, repeat=n, **_met(line)) for n in range(3)]
    rows += [(passed if n == 3 else failed)(1, repeat=n, **_met(line)) for n in range(4)]
    rows += [failed(2, repeat=n, **(_met(line) if n == 0 else {})) for n in range(3)]
    table, _ = failure_modes(aligned(rows), Profile())
    assert table["mode"].to_pylist()[:3] == ["missing_dependency"] * 3
    assert table["root_cause"].to_pylist()[:3] == ["TI"] * 3
    assert "missing_dependency" not in table["mode"].to_pylist()[3:]


def test_errors_of_tools_at_large_give_way_to_the_one_error_that_all_of_them_met() -> None:
    """Of 12 rollouts 6 stopped at the error and 6 met it throughout: it names all 12, which stay behaviour."""
    line = [["tool_error", "ValidationError: days must be a whole number"]]
    told = {"error_lines": json.dumps(line)}
    stopped = told | {"tool_calls": 4, "tool_errors": 1, "steps": [*FAILED_CALL, CLOSING]}
    often = told | {"tool_calls": 3, "tool_errors": 3}
    rows = [failed(n, **(often if n % 2 else stopped)) for n in range(12)] + [passed(n) for n in range(12, 40)]
    table, _ = failure_modes(aligned(rows), Profile())
    name = "tool_error:validationerror_days_must_be_a_whole_number"
    assert table["mode"].to_pylist() == [name] * 12
    assert table["cause_mode"].to_pylist() == [name] * 12
    assert table["root_cause"].to_pylist() == ["BI"] * 12
