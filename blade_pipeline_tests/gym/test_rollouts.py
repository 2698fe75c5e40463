import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade_pipeline.gym import read_rollouts, rollout_batches
from blade_pipeline.gym import rollouts as rollouts_module
from blade_pipeline.tables import RAW_ROLLOUTS
from blade_pipeline_tests.gym.run_folder import answer, jsonl, rollout, write_run


def rows_of(folder: Path, *rows: Any) -> list[dict[str, Any]]:
    return read_rollouts(write_run(folder, jsonl(*rows))).to_pylist()


def row_of(folder: Path, row: Any) -> dict[str, Any]:
    [found] = rows_of(folder, row)
    return found


def test_every_physical_line_is_a_row_of_the_table(tmp_path: Path) -> None:
    content = jsonl(rollout(0, 0, 1.0), b"", b"junk{", rollout(0, 1, 0.0)) + b'{"_ng_task'
    table = read_rollouts(write_run(tmp_path, content))
    assert table.schema.equals(RAW_ROLLOUTS)
    assert table["line_class"].to_pylist() == ["row", "blank", "invalid_json", "row", "torn"]
    assert table["reward"].to_pylist() == [1.0, None, None, 0.0, None]
    for row in table.to_pylist():
        part = content[row["offset"] : row["offset"] + row["length"]]
        assert part == content.split(b"\n")[row["line"] - 1]
        assert (row["task"] is None) == (row["line_class"] != "row")


@pytest.mark.parametrize(
    ("reward", "value", "status"),
    [
        (b"1", 1.0, "scored"),
        (b"-0.25", -0.25, "scored"),
        (b"true", 1.0, "scored"),
        (b"null", None, "invalid_null"),
        (b"NaN", None, "invalid_nan"),
        (b"-Infinity", None, "invalid_inf"),
        (b"1e400", None, "invalid_inf"),
        (b"9" * 400, None, "too_large"),
        (b"9" * 101, None, "too_large"),
        (b"1.7e308", None, "too_large"),
        (b"-1e100", None, "too_large"),
        (b"-1e99", -1e99, "scored"),
        (b'"1.0"', None, "invalid_type"),
        (b"[1.0]", None, "invalid_type"),
        (b'{"value": 1}', None, "invalid_type"),
    ],
)
def test_a_reward_is_a_finite_number_or_says_why_not(
    tmp_path: Path, reward: bytes, value: float | None, status: str
) -> None:
    found = row_of(tmp_path, b'{"_ng_task_index":0,"_ng_rollout_index":0,"reward":' + reward + b"}")
    assert (found["reward"], found["reward_status"], found["line_class"]) == (value, status, "row")


def test_an_absent_reward_is_another_reason_than_a_null_one(tmp_path: Path) -> None:
    assert row_of(tmp_path, {"_ng_task_index": 0, "_ng_rollout_index": 0})["reward_status"] == "invalid_absent"


@pytest.mark.parametrize(
    ("extra", "masked", "source"),
    [
        ({}, False, None),
        ({"mask_sample": True}, True, "mask_sample"),
        ({"mask_sample": 1}, True, "mask_sample"),
        ({"mask_sample": 0.0}, False, None),
        ({"mask_sample": False}, False, None),
        ({"mask_sample": None}, False, None),
        ({"mask_sample": None, "instance_config": {"mask_sample": True}}, True, "instance_config.mask_sample"),
        ({"mask_sample": "false"}, False, "mask_sample!"),
        ({"mask_sample": "true"}, False, "mask_sample!"),
        ({"mask_sample": [1]}, False, "mask_sample!"),
        ({"instance_config": {"mask_sample": True}}, True, "instance_config.mask_sample"),
        ({"instance_config": {"mask_sample": "x"}}, False, "instance_config.mask_sample!"),
        ({"mask_sample": False, "instance_config": {"mask_sample": True}}, False, None),
    ],
)
def test_b05_a_mask_is_a_boolean_or_number_and_its_carrier_is_named(
    tmp_path: Path, extra: dict[str, Any], masked: bool, source: str | None
) -> None:
    found = row_of(tmp_path, rollout(0, 0, 1.0, **extra))
    assert (found["masked"], found["mask_source"]) == (masked, source)


@pytest.mark.parametrize(
    ("literal", "task"),
    [
        (b"7", "7"),
        (b'"7"', '"7"'),
        (b'"007"', '"007"'),
        (b"7.0", "7.0"),
        (b"true", "true"),
        (b'{"b": 1, "a": "x"}', '{"a":"x","b":1}'),
        (b"[1, 2]", "[1,2]"),
        (b"123456789012345678901234567890", "123456789012345678901234567890"),
        (b"123456789012345678901234567891", "123456789012345678901234567891"),
    ],
)
def test_an_id_is_the_literal_of_the_file(tmp_path: Path, literal: bytes, task: str) -> None:
    found = row_of(tmp_path, b'{"_ng_rollout_index":0,"reward":1.0,"_ng_task_index":' + literal + b"}")
    assert (found["task"], found["indexed"]) == (task, True)


@pytest.mark.parametrize("literal", [b"null", b"NaN", b"1e999"])
def test_an_id_without_a_value_counts_as_absent(tmp_path: Path, literal: bytes) -> None:
    found = row_of(tmp_path, b'{"_ng_rollout_index":0,"reward":1.0,"_ng_task_index":' + literal + b"}")
    assert (found["task"], found["indexed"]) == ("line:rollouts.jsonl:1", False)


def test_rows_without_indices_are_told_by_content_then_by_id_then_by_place(tmp_path: Path) -> None:
    def asked(text: str) -> dict[str, Any]:
        return {"responses_create_params": {"input": text}, "reward": 1.0}

    found = rows_of(tmp_path, asked("a"), asked("b"), asked("a"), {"reward": 0.0, "id": 3}, {"reward": 0.0})
    tasks = [row["task"] for row in found]
    assert tasks[0] == tasks[2] != tasks[1]
    assert tasks[0] == f"digest:{found[0]['task_digest'][:16]}"
    assert tasks[3].startswith("digest:")
    assert tasks[4] == "line:rollouts.jsonl:5"
    assert [row["repeat"] for row in found] == ["0", "0", "1", "0", "0"]
    assert not any(row["indexed"] for row in found)


def test_ranks_of_index_less_rows_go_on_over_spans_and_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts_module, "SPAN_BYTES", 50)
    row = {"question": "q", "reward": 1.0}
    run = write_run(tmp_path, jsonl(row, row, row), others={"rollouts-2.jsonl": jsonl(row, row)})
    table = read_rollouts(run)
    assert table["file"].to_pylist() == ["rollouts-2.jsonl"] * 2 + ["rollouts.jsonl"] * 3
    assert table["repeat"].to_pylist() == ["0", "1", "2", "3", "4"]


def test_columns_that_are_one_value_in_a_span_or_left_out_of_it_are_whole_in_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spans of one to two lines: of each column some spans have one value, others several or none."""
    rows = [
        rollout(0, 0, 0.0, mask_sample=True, score=1),
        rollout(0, 1, -0.0, response=answer("done", usage={"input_tokens": 7}), score=2),
        b"junk{",
        rollout(1, 0, 1.0, response=answer("", model="n", status="completed"), server="x"),
        rollout(1, 1, 1.0, response={"output": []}),
    ]
    monkeypatch.setattr(rollouts_module, "SPAN_BYTES", 200)
    table = read_rollouts(write_run(tmp_path, jsonl(*rows)))
    assert table["line"].to_pylist() == [1, 2, 3, 4, 5]
    assert table["model"].to_pylist() == ["m", "m", None, "n", None]
    assert table["masked"].to_pylist() == [True, False, None, False, False]
    assert [str(reward) for reward in table["reward"].to_pylist()] == ["0.0", "-0.0", "None", "1.0", "1.0"]
    assert table["response_status"].to_pylist() == [None, None, None, "completed", None]
    assert table["usage"].to_pylist() == [None, [("input_tokens", 7.0)], None, None, None]
    assert table["numbers"].to_pylist() == [[("score", 1.0)], [("score", 2.0)], None, [], []]
    assert table["rollout_id"].to_pylist() == ["0-0", "0-1", None, "1-0", "1-1"]


def test_b24_equal_lines_have_equal_payload_digests(tmp_path: Path) -> None:
    first, same, other = rows_of(tmp_path, rollout(0, 0, 1.0), rollout(0, 0, 1.0), rollout(0, 0, 0.0))
    assert first["payload_digest"] == same["payload_digest"] != other["payload_digest"]


def test_b29_a_field_of_some_rows_is_kept_for_those_rows(tmp_path: Path) -> None:
    rows = [rollout(0, n, 1.0, **({"finish_reason": "length"} if n < 2 else {})) for n in range(4)]
    known = [json.loads(row["verifier"] or "{}").get("finish_reason") for row in rows_of(tmp_path, *rows)]
    assert known == ["length", "length", None, None]


def test_b30_repeats_that_are_copies_have_equal_response_digests(tmp_path: Path) -> None:
    rows = [rollout(0, n, 1.0, response=answer("same" if n < 3 else "other", id=f"r{n}")) for n in range(4)]
    digests = [row["response_digest"] for row in rows_of(tmp_path, *rows)]
    assert digests[0] == digests[1] == digests[2] != digests[3]


def test_b41_a_lone_surrogate_keeps_its_row_scored_and_every_text_valid(tmp_path: Path) -> None:
    line = rb'{"_ng_task_index":"\ud800","_ng_rollout_index":0,"reward":1.0,"verdict":"a\ud83d b"'
    line += rb',"agent_ref":{"name":"\udfff"}}'
    found = row_of(tmp_path, line)
    assert (found["reward"], found["task"], found["agent"]) == (1.0, '"\ufffd"', "\ufffd")
    assert json.loads(found["verifier"]) == {"verdict": "a\ufffd b"}


def test_b44_a_key_first_seen_in_the_last_rows_is_seen(tmp_path: Path) -> None:
    rows = [{"_ng_task_index": n, "_ng_rollout_index": 0, "reward": 1.0} for n in range(24_990)]
    late = [{**row, "_ng_task_index": 24_990 + n, "mask_sample": True} for n, row in enumerate(rows[:10])]
    table = read_rollouts(write_run(tmp_path, jsonl(*rows, *late)))
    assert Counter(table["masked"].to_pylist()) == {False: 24_990, True: 10}


def test_wrong_types_anywhere_leave_a_row(tmp_path: Path) -> None:
    strange: list[Any] = ["text", 7, 1.5, True, None, [1], {"a": [1]}, [[{"b": 1}]]]
    keys = (
        "_ng_task_index _ng_rollout_index _ng_attempt_index agent_ref stage_index response responses_create_params "
        "ng_perf ng_trajectory instance_config verifier_metadata failure_kind failure_reason error judge_evaluations "
        "task_id expected_answer question"
    ).split()
    rows = [{**rollout(0, 0, 1.0), key: value} for key in keys for value in strange]
    inner = "output usage model status temperature created_at incomplete_details error reasoning tools".split()
    rows += [rollout(0, 0, 1.0, response={**answer("x"), key: value}) for key in inner for value in strange]
    asked = "input instructions tools temperature top_p max_output_tokens reasoning".split()
    rows += [rollout(0, 0, 1.0, responses_create_params={key: value}) for key in asked for value in strange]
    items = "type role content summary output arguments call_id name status tool_calls".split()
    for kind in ("message", "reasoning", "function_call", "function_call_output", "web_search_call", None):
        rows += [
            rollout(0, 0, 1.0, response={"output": [{"type": kind, key: value}]}) for key in items for value in strange
        ]
    table = read_rollouts(write_run(tmp_path, jsonl(*rows)))
    assert set(table["line_class"].to_pylist()) == {"row"}
    assert table["reward_status"].to_pylist() == ["scored"] * len(rows)


def test_numbers_are_the_numeric_fields_without_reward_mask_and_stamps(tmp_path: Path) -> None:
    extra = {
        "judge_score": 0.5,
        "resolved": True,
        "turns": 3,
        "name": "x",
        "nested": {"a": 1},
        "_ng_x": 4,
        "none": None,
    }
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    row = rollout(0, 0, 1.0, mask_sample=False, **extra, response=answer("x", usage=usage), ng_perf={"num_turns": 2})
    found = row_of(tmp_path, row)
    assert dict(found["numbers"]) == {"judge_score": 0.5, "resolved": 1.0, "turns": 3.0}
    assert dict(found["usage"]) == {"input_tokens": 10.0, "output_tokens": 5.0, "total_tokens": 15.0}
    assert dict(found["perf"]) == {"num_turns": 2.0}
    assert [found[f"{kind}_tokens"] for kind in ("input", "output", "total", "reasoning")] == [10, 5, 15, 2]


def test_a_name_that_is_too_long_for_one_is_no_score(tmp_path: Path) -> None:
    """It would stand in each of the run's metrics: one of 15 MB made 630 MB of scores and ended the analysis."""
    longest, too_long = "n" * 500, "m" * 501
    found = row_of(tmp_path, rollout(0, 0, 1.0, **{longest: 1, too_long: 2}, response=answer("x", usage={too_long: 3})))
    assert (dict(found["numbers"]), found["usage"]) == ({longest: 1.0}, [])
    assert json.loads(found["verifier"])[too_long] == 2


def test_maps_are_null_where_the_row_has_no_such_object(tmp_path: Path) -> None:
    found = row_of(tmp_path, {"_ng_task_index": 0, "_ng_rollout_index": 0, "reward": 1.0})
    assert (found["numbers"], found["usage"], found["perf"]) == ([], None, None)


def test_the_verifier_column_holds_short_fields_and_no_transcript(tmp_path: Path) -> None:
    secret = "SECRET-PROMPT-TEXT"
    row = rollout(
        0,
        0,
        1.0,
        verdict="A" * 400,
        extracted_answer="42",
        no_answer=None,
        small=[1, 2],
        big=list(range(1000)),
        question=secret,
        judge_response=secret,
        model_output=secret,
        generation=secret,
        responses_create_params={"input": secret},
        response=answer(secret),
    )
    found = row_of(tmp_path, row)
    fields = json.loads(found["verifier"])
    assert fields == {
        "verdict": "A" * 300,
        "extracted_answer": "42",
        "no_answer": None,
        "small": [1, 2],
        "…dropped": ["big"],
    }
    assert secret not in json.dumps(found)


def test_long_texts_keep_their_last_line_and_large_objects_what_is_short(tmp_path: Path) -> None:
    secret = "SECRET-OUTPUT"
    row = rollout(
        0,
        0,
        1.0,
        traceback="x" * 400 + "\nKeyError: 'name'\n",
        execution={
            "exit_code": 124,
            "stderr": "y" * 600 + "\nKilled after 30 s",
            "stdout": secret,
            "report": secret * 99,
        },
        cases=[{"status": "late", "log": "z" * 600, "seconds": 3}],
        values=[{"text": secret * 99}],
        error="w" * 400 + "\nValueError: no rows",
    )
    found = row_of(tmp_path, row)
    fields = json.loads(found["verifier"])
    assert fields["traceback"].startswith("xxx")
    assert fields["traceback"].endswith("xxx\n…\nKeyError: 'name'")
    assert len(fields["traceback"]) == 300
    assert fields["execution"] == {"exit_code": 124, "stderr": "Killed after 30 s", "stdout": secret}
    assert fields["cases"] == [{"status": "late", "seconds": 3}]
    assert "values" not in fields
    assert fields["…dropped"] == ["execution", "cases", "values"]
    assert found["error_text"].endswith("www\n…\nValueError: no rows")


def test_the_verifier_column_is_bounded_and_names_what_it_drops(tmp_path: Path) -> None:
    row = rollout(0, 0, 1.0, **{f"field_{n:02}": "x" * (100 + n) for n in range(60)}, verdict="A")
    text = row_of(tmp_path, row)["verifier"]
    assert len(text.encode()) <= 4000
    fields = json.loads(text)
    assert fields["verdict"] == "A"
    assert fields["…dropped"][0] == "field_59"


def test_sampling_comes_from_the_request_else_from_the_echo(tmp_path: Path) -> None:
    asked = rollout(0, 0, 1.0, responses_create_params={"temperature": 0.6, "top_p": None})
    asked["response"] |= {"temperature": 1.0, "top_p": 0.9, "max_output_tokens": 512, "reasoning": {"effort": "high"}}
    filled = rollout(0, 1, 1.0, response=answer("x", temperature=0.0, top_p=0.0, max_output_tokens=0))
    first, second = rows_of(tmp_path, asked, filled)
    keys = ("temperature", "top_p", "max_output_tokens", "reasoning_effort")
    assert [first[key] for key in keys] == [0.6, 0.9, 512, "high"]
    assert [second[key] for key in keys] == [None] * 4


def test_errors_of_the_row_the_response_and_the_last_model_call_are_gathered(tmp_path: Path) -> None:
    calls = [{"status": 200}, {"status": 402, "error_category": "quota"}]
    row = rollout(0, 0, 0.0, error="boom", error_kind=None, ng_trajectory={"turns": [], "model_calls": calls})
    row["response"]["error"] = {"code": "server_error"}
    assert row_of(tmp_path, row)["error_text"] == ('boom; {"code":"server_error"}; last model call failed: 402 quota')


def test_a_row_without_errors_has_none(tmp_path: Path) -> None:
    row = rollout(0, 0, 1.0, error=None, error_kind="", verifier_error=False, ng_trajectory={"model_calls": [{}]})
    assert row_of(tmp_path, row)["error_text"] is None


def test_what_a_judge_wrote_that_left_no_verdict_is_an_error(tmp_path: Path) -> None:
    said = {"judge_text": "503 of the judge", "judge_error": None}
    assert row_of(tmp_path / "none", rollout(0, 0, 0.0, **said, judge_rating=None))["error_text"] == "503 of the judge"
    assert row_of(tmp_path / "zero", rollout(0, 0, 0.0, **said, judge_rating=0))["error_text"] is None
    assert row_of(tmp_path / "alone", rollout(0, 0, 0.0, **said))["error_text"] is None


@pytest.mark.parametrize(
    ("text", "tokens", "told"),
    [
        ("API Error: Connection refused - a proxy may be blocking it (ConnectionRefused)", 0, True),
        ("litellm.exceptions.RateLimitError: quota", 0, True),
        ("API Error: Connection refused", 12, False),
        ("The error is in line 3.", 0, False),
        ("", 0, False),
    ],
)
def test_an_error_that_a_harness_wrote_in_place_of_an_answer_is_one(
    text: str, tokens: int, told: bool, tmp_path: Path
) -> None:
    row = rollout(0, 0, 0.0, response=answer(text, usage={"output_tokens": tokens}))
    assert row_of(tmp_path, row)["error_text"] == (text if told else None)


def test_integers_beyond_64_bits_become_null_where_a_column_cannot_hold_them(tmp_path: Path) -> None:
    row = rollout(0, 0, 1.0, stage_index=2**70, response=answer("x", usage={"input_tokens": 2**70}))
    found = row_of(tmp_path, row)
    assert (found["stage"], found["input_tokens"]) == (0, None)


def test_the_creation_time_is_in_seconds_whatever_its_unit(tmp_path: Path) -> None:
    times = [1790000000.5, 1790000000500, 0.0, "now", 1790000000_500_000_000]
    found = rows_of(tmp_path, *[rollout(0, n, 1.0, response={"created_at": at}) for n, at in enumerate(times)])
    assert [row["created_at"] for row in found] == [1790000000.5, 1790000000.5, None, None, 1790000000.5]


def test_judges_named_in_rows_are_found(tmp_path: Path) -> None:
    named: list[dict[str, Any]] = [
        {"judge": {"model": "j1"}},
        {"judge_model": "j1"},
        {"judge_evaluations": [{"response": {"model": "j1"}}]},
        {"judge_evaluations": None},
        {"judge_response": "free text"},
    ]
    found = rows_of(tmp_path, *[rollout(0, n, 1.0, **extra) for n, extra in enumerate(named)])
    assert [row["judge"] for row in found] == ["j1", "j1", "j1", None, None]


def test_batches_hold_the_rows_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts_module, "BATCH_ROWS", 300)
    monkeypatch.setattr(rollouts_module, "SPAN_BYTES", 10_000)
    run = write_run(tmp_path, jsonl(*[rollout(n, 0, 1.0) for n in range(1000)]))
    batches = list(rollout_batches(run))
    assert all(300 <= batch.num_rows < 400 for batch in batches[:-1])
    assert pa.Table.from_batches(batches).equals(read_rollouts(run))


_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    "_ng_task_index _ng_rollout_index reward mask_sample response responses_create_params agent_ref id question "
    "expected_answer verifier_metadata ng_trajectory ng_perf error judge stage_index output input usage model type "
    "role content tool_calls function turns model_calls".split()
)


@given(st.lists(st.dictionaries(_KEYS, st.one_of(_VALUES, st.dictionaries(_KEYS, _VALUES, max_size=4))), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_any_object_is_read_as_a_row(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    table = read_rollouts(write_run(tmp_path, jsonl(rollout(0, 0, 1.0), *rows)))
    assert table["line_class"].to_pylist() == ["row"] * (len(rows) + 1)
    table.validate(full=True)
