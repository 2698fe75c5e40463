import json
import os
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.gym import (
    DigestCache,
    read_aggregates,
    read_expected,
    read_failures,
    read_health,
    read_rollouts,
    source_digest,
)
from blade_pipeline.models import BladeError
from blade_pipeline.tables import EXPECTED_ROLLOUTS, FAILED_ATTEMPTS, HEALTH_FINDINGS
from blade_pipeline_tests.gym.run_folder import jsonl, only_run, rollout, write_run

KEY = {"_ng_task_index": 0, "_ng_rollout_index": 1}


def test_every_line_of_the_inputs_is_a_row(tmp_path: Path) -> None:
    first = {"_ng_task_index": 5, "_ng_rollout_index": 0, "category": "x", "agent_ref": {"name": "a"}}
    second = {"_ng_task_index": 2, "_ng_rollout_index": 0, "difficulty": 3}
    table = read_expected(write_run(tmp_path, b"", materialized_inputs=jsonl(first, b"", second, first) + b"{"))
    assert table.schema.equals(EXPECTED_ROLLOUTS)
    assert table["line_class"].to_pylist() == ["row", "blank", "row", "row", "torn"]
    assert table["task"].to_pylist() == ["5", None, "2", "5", None]
    assert table["order"].to_pylist() == [0, None, 1, 0, None]
    assert [json.loads(text) if text else None for text in table["fields"].to_pylist()] == [
        {"category": "x"},
        None,
        {"difficulty": 3},
        {"category": "x"},
        None,
    ]


def test_without_inputs_nothing_is_expected(tmp_path: Path) -> None:
    assert read_expected(write_run(tmp_path, jsonl(rollout(0, 0, 1.0)))).num_rows == 0


def test_inputs_of_shards_are_read_together(tmp_path: Path) -> None:
    chunks = {f"rollouts-{n}_materialized_inputs.jsonl": jsonl({**KEY, "_ng_task_index": n}) for n in range(3)}
    table = read_expected(write_run(tmp_path, b"", others=chunks))
    assert table["task"].to_pylist() == ["0", "1", "2"]
    assert table["order"].to_pylist() == [0, 1, 2]


def test_failed_attempts_keep_their_order_and_their_key(tmp_path: Path) -> None:
    rows = [
        {
            **KEY,
            "_ng_failure_class": "agent_request_failed",
            "_ng_failure_http_status": 504,
            "_ng_failure_message": "m",
        },
        {**KEY, "_ng_attempt_index": 1, "_ng_failure_class": "judge_failed", "reward": 0.0, "mask_sample": True},
        {"_ng_failure_class": "verifier_error", "_ng_failure_terminal": True, "_ng_failure_stage": "verification"},
        {**KEY, "error_class": "Odd"},
        {**KEY},
        {**KEY, "_ng_omitted_rollout": True},
    ]
    table = read_failures(write_run(tmp_path, b"", failures=jsonl(*rows)))
    assert table.schema.equals(FAILED_ATTEMPTS)
    found = table.to_pylist()
    classes = ["agent_request_failed", "judge_failed", "verifier_error", "Odd", "unknown", "unknown"]
    assert [row["failure_class"] for row in found] == classes
    assert [row["line_class"] for row in found] == ["row"] * 5 + ["omitted"]
    assert [row["task"] for row in found] == ["0", "0", None, "0", "0", "0"]
    assert [row["terminal"] for row in found] == [False, False, True, False, False, False]
    assert (found[0]["http_status"], found[1]["attempt"], found[1]["reward"], found[1]["masked"]) == (504, 1, 0.0, True)
    assert found[0]["message_digest"] is not None
    assert found[1]["message_digest"] is None


def test_messages_of_failures_keep_nothing_private(tmp_path: Path) -> None:
    rows = [{**KEY, "_ng_failure_class": "x", "_ng_failure_message": "http://10.0.0.1:8000 refused", "error": "p4ss"}]
    text = str(read_failures(write_run(tmp_path, b"", failures=jsonl(*rows))).to_pylist())
    assert "10.0.0.1" not in text
    assert "p4ss" not in text
    assert "refused" in text


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ('{"error": {"message": "Invalid schema for\\nfunction \'f\'", "code": 3}}', "Invalid schema for function 'f'"),
        ('{"detail": "busy"}', "busy"),
        ('{"error": {"code": 3}}', '{"error": {"code": 3}}'),
        ("<html>bad gateway</html>", "<html>bad gateway</html>"),
        ("", "400, message='Bad Request'"),
        ("x" * 900, "x" * 300),
    ],
)
def test_what_the_server_said_goes_before_what_the_caller_made_of_it(tmp_path: Path, body: str, shown: str) -> None:
    row = {**KEY, "_ng_failure_message": "400, message='Bad Request'", "_ng_failure_response_body": body}
    assert read_failures(write_run(tmp_path, b"", failures=jsonl(row)))["message"].to_pylist() == [shown]


def verdict(task: Any, repeat: Any, word: str, *findings: dict[str, Any]) -> dict[str, Any]:
    return {"_ng_task_index": task, "_ng_rollout_index": repeat, "verdict": word, "findings": list(findings)}


def test_verdicts_become_findings_per_rollout(tmp_path: Path) -> None:
    failed = {"check": "model_call_failed", "detail": {"status": 503, "body": "x" * 500}, "locator": "call-1"}
    lines = jsonl(verdict(0, 0, "healthy"), verdict(0, 1, "unhealthy", failed, {"check": "agent_turn_hollow"}))
    table = read_health(write_run(tmp_path, b"", others={"rollout_verdicts.jsonl": lines}), 2)
    assert table.schema.equals(HEALTH_FINDINGS)
    found = table.to_pylist()
    assert [(row["task"], row["repeat"], row["verdict"], row["check"]) for row in found] == [
        ("0", "0", "healthy", None),
        ("0", "1", "unhealthy", "model_call_failed"),
        ("0", "1", "unhealthy", "agent_turn_hollow"),
    ]
    assert json.loads(found[1]["detail"]) == {"locator": "call-1", "status": 503}
    assert [row["stale"] for row in found] == [None] * 3


def test_verdicts_of_unreadable_lines_do_not_make_the_rest_stale(tmp_path: Path) -> None:
    lines = jsonl(verdict(0, 0, "healthy"), verdict("__unreadable_record__:input-0:line-2", 0, "unhealthy"))
    run = write_run(tmp_path, b"", others={"rollout_verdicts.jsonl": lines})
    assert read_health(run, 1)["stale"].to_pylist() == [None, None]
    stale = "rollout_verdicts.jsonl holds 2 verdicts, the rollouts 5 rows"
    assert read_health(run, 5)["stale"].to_pylist() == [stale] * 2


def summary(records: int, **issues: int) -> str:
    counts = {"healthy": records, "unhealthy": 0, "unobserved": 0}
    return json.dumps({"run": {"artifacts": {"records": records}, "verdicts": counts, "issues": issues}})


def test_the_summary_tells_its_issues_and_whose_rows_it_speaks_of(tmp_path: Path) -> None:
    run = write_run(
        tmp_path, b"", others={"quality_summary.json": summary(5, model_call_failed=2, agent_turn_hollow=0)}
    )
    found = read_health(run, 9).to_pylist()
    assert [(row["task"], row["check"]) for row in found] == [(None, None), (None, "model_call_failed")]
    assert {row["stale"] for row in found} == {"quality_summary.json speaks of 5 records, the file has 9 rows"}
    assert {row["stale"] for row in read_health(run, 5).to_pylist()} == {None}


def test_health_files_older_than_the_rows_are_stale(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)), others={"quality_summary.json": summary(1)})
    os.utime(run.having("quality_summary")[0].path, (1_000_000, 1_000_000))
    run = only_run(tmp_path)
    assert read_health(run, 1)["stale"].to_pylist() == ["quality_summary.json is older than the rollouts"]


@pytest.mark.parametrize("text", ["{", "[]", '{"run": 7}', '{"run": {"issues": [], "artifacts": null}}', ""])
def test_a_broken_summary_is_told_and_never_raises(tmp_path: Path, text: str) -> None:
    run = write_run(tmp_path, b"", others={"quality_summary.json": text})
    assert read_health(run, 1).num_rows == 1


def test_the_aggregate_gives_numbers_per_agent(tmp_path: Path) -> None:
    entries = [
        {"agent_ref": {"name": "a"}, "agent_metrics": {"mean/reward": 0.5, "x": None}, "key_metrics": {"k": 1}},
        {"agent_metrics": {"mean/reward": 1.0, "per_sample_aggregate": {"a": [1]}}},
        "junk",
    ]
    run = write_run(tmp_path, b"", others={"rollouts_aggregate_metrics.json": json.dumps(entries)})
    [found] = read_aggregates(run)
    assert found["agents"] == {"a": {"mean/reward": 0.5, "k": 1.0}, "agent": {"mean/reward": 1.0}}
    assert (found["file"], found["older"], found["problem"]) == ("rollouts_aggregate_metrics.json", None, None)


def test_the_profilers_numbers_are_an_aggregate_of_their_own(tmp_path: Path) -> None:
    collected, profiled = [{"agent_metrics": {"mean/reward": 0.5}}], [{"agent_ref": {"name": "a"}, "mean/reward": 1.0}]
    others = {
        "rollouts_aggregate_metrics.json": json.dumps(collected),
        "rollouts_agent_metrics.json": json.dumps(profiled),
    }
    found = read_aggregates(write_run(tmp_path, b"", others=others))
    assert [entry["agents"] for entry in found] == [{"a": {"mean/reward": 1.0}}, {"agent": {"mean/reward": 0.5}}]


def test_a_half_written_aggregate_is_a_problem_not_an_error(tmp_path: Path) -> None:
    run = write_run(tmp_path, b"", others={"rollouts_aggregate_metrics.json": '[{"agent'})
    [found] = read_aggregates(run)
    assert found["agents"] == {}
    assert found["problem"] == "rollouts_aggregate_metrics.json is not readable JSON; it may be half written"


def test_a_run_that_kept_only_its_reward_profile_is_read_from_it(tmp_path: Path) -> None:
    infos = [{"_ng_rollout_index": n, "rollout_id": f"0:{n}", "reward": float(n), "score": 2} for n in range(2)]
    sample = {"agent_ref": {"name": "a"}, "question": "q", "expected_answer": "4"}
    profile = {"_ng_task_index": 0, "sample": sample, "rollout_infos": infos, "mean/reward": 0.5}
    run = write_run(tmp_path, reward_profiling=jsonl(profile, b"", {"rollout_infos": []}))
    found = read_rollouts(run).to_pylist()
    assert [(row["line"], row["line_class"], row["task"], row["repeat"], row["reward"]) for row in found] == [
        (1, "row", "0", "0", 0.0),
        (1, "row", "0", "1", 1.0),
        (2, "blank", None, None, None),
        (3, "not_object", None, None, None),
    ]
    assert found[0]["agent"] == "a"
    assert found[0]["prompt_digest"] is not None
    assert dict(found[0]["numbers"]) == {"score": 2.0}
    assert found[0]["payload_digest"] != found[1]["payload_digest"]


def test_the_source_digest_covers_the_named_roles_and_their_bytes(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)), failures=b"")
    before = source_digest(run, ["rollouts"])
    (run.path / "rollouts_failures.jsonl").write_bytes(b"{}\n")
    assert source_digest(only_run(tmp_path), ["rollouts"]) == before
    assert source_digest(only_run(tmp_path), ["rollouts", "failures"]) != before
    run.rollouts[0].write_bytes(jsonl(rollout(0, 0, 0.0)))
    assert source_digest(only_run(tmp_path), ["rollouts"]) != before


def test_the_digest_does_not_depend_on_where_the_run_lies(tmp_path: Path) -> None:
    first = write_run(tmp_path / "a", jsonl(rollout(0, 0, 1.0)))
    second = write_run(tmp_path / "b", jsonl(rollout(0, 0, 1.0)))
    assert source_digest(first, ["rollouts"]) == source_digest(second, ["rollouts"])


def test_a_known_file_is_trusted_until_its_stamp_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    cache = DigestCache()
    # FIPS 180-2, appendix B.1: the SHA-256 of "abc"
    assert cache.sha256(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with monkeypatch.context() as patched:
        patched.setattr("blade_pipeline.gym.digests._hash", lambda _: pytest.fail("was read again"))
        assert cache.sha256(path).startswith("ba7816bf")
    path.write_bytes(b"abd")
    os.utime(path, (1, 1))
    assert not cache.sha256(path).startswith("ba7816bf")


def test_a_vanished_file_is_a_sentence(tmp_path: Path) -> None:
    run = write_run(tmp_path, jsonl(rollout(0, 0, 1.0)))
    run.rollouts[0].unlink()
    for read in (read_rollouts, lambda gone: source_digest(gone, ["rollouts"])):
        with pytest.raises(BladeError, match=r"rollouts\.jsonl cannot be read \(No such file"):
            read(run)


PROFILED = [
    {"_ng_rollout_index": 0, "reward": 1.0},
    {"_ng_rollout_index": 2, "reward": 0.0},
    {"_ng_rollout_index": 3, "reward": 1.0},
]


def profile_line(task: int, expected: object, *infos: dict[str, object]) -> dict[str, object]:
    sample = {"agent_ref": {"name": "a"}, "responses_create_params": {"input": f"question {task}"}}
    return {"_ng_task_index": task, "sample": sample, "rollout_infos": infos, "expected_num_rollouts": expected}


def test_a_reward_profile_says_how_many_rollouts_were_expected(tmp_path: Path) -> None:
    lines = profile_line(0, 5, *PROFILED), profile_line(1, 1, PROFILED[0])
    run = write_run(tmp_path, reward_profiling=jsonl(*lines))
    found = [(row["task"], row["repeat"], row["line_class"]) for row in read_expected(run).to_pylist()]
    # five of task 0: the three that are there, and the lowest free indices
    assert found == [("0", n, "profiled") for n in ("0", "2", "3", "1", "4")] + [("1", "0", "profiled")]


@pytest.mark.parametrize("expected", [None, "4", -1, 1.5, 10**9])
def test_a_profile_that_counts_no_expected_rollouts_leaves_them_unknown(tmp_path: Path, expected: object) -> None:
    lines = profile_line(0, 4, *PROFILED), profile_line(1, expected, PROFILED[0])
    assert read_expected(write_run(tmp_path, reward_profiling=jsonl(*lines))).num_rows == 0


def test_a_profile_beside_materialized_inputs_expects_nothing_of_its_own(tmp_path: Path) -> None:
    inputs = {"_ng_task_index": 0, "_ng_rollout_index": 0}
    profile = jsonl(profile_line(0, 4, *PROFILED))
    run = write_run(tmp_path, reward_profiling=profile, materialized_inputs=jsonl(inputs))
    assert [row["line_class"] for row in read_expected(run).to_pylist()] == ["row"]
