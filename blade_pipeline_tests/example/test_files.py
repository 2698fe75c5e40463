"""The files have NeMo Gym's names, keys and order."""

import json
import re
import statistics
from pathlib import Path

import pytest

from blade_pipeline.example import write_example
from blade_pipeline_tests.example.conftest import Json, lines_of, truth_of

COLLECTOR = {"_ng_task_index", "_ng_rollout_index", "agent_ref", "_ng_environment_server"}
VERIFIER = {
    "ledger_math": {"extracted_answer", "expected_answer", "category", "difficulty", "library_reward"}
    | {"judge_evaluations", "judge_comment", "problem_id"},
    "shop_tools": {"resolved", "turns_used", "termination_reason", "verifier_message", "category", "instance_id"},
}
PRIVATE = re.compile(r"://|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b|@|/(?:home|root|work|tmp|Users)/|\bsk-|hf_|nvapi")


def _runs(root: Path) -> list[tuple[Path, Json]]:
    return [(root / run["directory"], run) for run in truth_of(root)["runs"]]


def test_the_answer_names_the_folders_of_the_rollouts_in_order(tmp_path: Path) -> None:
    folders = write_example(tmp_path, tasks=2, repeats=1)
    assert folders == [folder for folder, _ in _runs(tmp_path)]
    assert all((folder / "rollouts.jsonl").is_file() for folder in folders)


def test_names_of_files_in_both_layouts(small: Path) -> None:
    stem = {"rollouts.jsonl", "rollouts_failures.jsonl", "rollouts_materialized_inputs.jsonl"}
    stem |= {"rollouts_aggregate_metrics.json", "rollouts_resolved_config.yaml"}
    for folder, run in _runs(small):
        extra = {"quality_summary.json", "rollout_verdicts.jsonl"} if run["counts"]["masked"] else set()
        assert {path.name for path in folder.iterdir()} == stem | extra
        if run["layout"] == "submit":
            job = folder.parent.parent
            assert re.fullmatch(r"gym-job-\d{8}T\d{6}Z-[0-9a-f]{6}", job.name)
            assert (folder.name, folder.parent.name, run["run"]) == ("artifacts", "shop_tools", job.name)
            assert {path.name for path in job.iterdir() if path.is_file()} == {"gym-job.json", "resolved-config.yaml"}
        else:
            assert (folder.name, folder.parent.name) == (run["run"], "ledger_math")


def test_rows_have_the_keys_of_the_collector_and_of_the_verifier(small: Path) -> None:
    for folder, run in _runs(small):
        for row in lines_of(folder / "rollouts.jsonl"):
            assert set(row) >= COLLECTOR | VERIFIER[run["benchmark"]] | {"reward", "responses_create_params"}
            response = row["response"]
            assert set(response) >= {"id", "created_at", "model", "status", "output", "usage", "incomplete_details"}
            assert response["model"] == run["model"]
            usage = response["usage"]
            assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
            assert usage["output_tokens_details"]["reasoning_tokens"] <= usage["output_tokens"]
            assert usage["input_tokens_details"]["cached_tokens"] <= usage["input_tokens"]


def test_lines_are_compact_and_end_with_a_newline(small: Path) -> None:
    for folder, _ in _runs(small):
        text = (folder / "rollouts.jsonl").read_bytes()
        assert text.endswith(b"\n")
        assert b"\r" not in text
        first = text.split(b"\n")[0].decode()
        assert first == json.dumps(json.loads(first), separators=(",", ":"), ensure_ascii=False)


def test_inputs_are_in_dataset_order_and_rows_in_the_order_of_completion(small: Path) -> None:
    for folder, run in _runs(small):
        inputs = lines_of(folder / "rollouts_materialized_inputs.jsonl")
        keys = [(row["_ng_task_index"], row["_ng_rollout_index"]) for row in inputs]
        assert keys == [(task, repeat) for task in range(12) for repeat in range(4)]
        assert all("_ng_attempt_index" not in row for row in inputs)
        rows = lines_of(folder / "rollouts.jsonl")
        written = [(row["_ng_task_index"], row["_ng_rollout_index"]) for row in rows]
        times = [row["response"]["created_at"] for row in rows]
        assert times == sorted(times)
        assert written != sorted(written)
        assert len(set(written)) == len(written) == run["counts"]["measured"] + run["counts"]["masked"]


def test_truncated_answers_name_their_reason_and_use_their_budget(small: Path) -> None:
    seen = 0
    for folder, run in _runs(small):
        modes = {(r["task"], r["repeat"]): r["mode"] for r in run["rollouts"] if r["outcome"] == "measured"}
        for row in lines_of(folder / "rollouts.jsonl"):
            mode = modes.get((row["_ng_task_index"], row["_ng_rollout_index"]))
            reason = (row["response"]["incomplete_details"] or {}).get("reason")
            assert (mode == "truncated") == (reason == "max_output_tokens")
            if reason:
                seen += 1
                budget = row["responses_create_params"]["max_output_tokens"]
                assert row["response"]["usage"]["output_tokens"] == budget
                assert row["response"]["status"] == "incomplete"
    assert seen > 0


def test_tool_calls_and_their_outputs_are_paired(small: Path) -> None:
    for folder, run in _runs(small):
        for row in lines_of(folder / "rollouts.jsonl"):
            output = row["response"]["output"]
            calls = [item["call_id"] for item in output if item["type"] == "function_call"]
            results = [item["call_id"] for item in output if item["type"] == "function_call_output"]
            assert calls == results
            assert bool(calls) == (run["benchmark"] == "shop_tools")
            if calls:
                assert row["ng_perf"]["num_tool_calls"] == len(calls) <= 6
                offered = {tool["name"] for tool in row["responses_create_params"]["tools"]}
                assert {item["name"] for item in output if item["type"] == "function_call"} <= offered


def test_reward_and_verifier_agree(small: Path) -> None:
    for folder, run in _runs(small):
        for row in lines_of(folder / "rollouts.jsonl"):
            if run["benchmark"] == "shop_tools":
                assert row["resolved"] == (row["reward"] == 1.0) == (row["assertions_passed"] == 3)
                continue
            judged = row["judge_evaluations"]
            same = judged is not None and judged[0]["verdict"] == "same"
            assert row["reward"] == float(row["library_reward"] == 1.0 or same)
            assert (row["library_reward"] == 1.0) == (row["extracted_answer"] == row["expected_answer"])
            assert (judged is not None) == (row["extracted_answer"] is not None and row["library_reward"] == 0.0)


def _worked_out(category: str, n: list[int]) -> float:
    """The answer from the numbers of the question, in the order in which they stand there."""
    if category == "totals":
        return sum(n)
    if category == "discounts":
        return n[0] * (100 - n[1]) / 100
    return n[0] * n[1] * n[2] / 100 if category == "interest" else n[0] * n[1] + n[2]


def test_ledger_questions_have_the_answers_they_claim(small: Path) -> None:
    rows = lines_of(small / "ledger_math" / "lumen-8b" / "rollouts_materialized_inputs.jsonl")
    assert {row["category"] for row in rows} == {"totals", "discounts", "interest", "exchange"}
    for row in rows:
        question = row["responses_create_params"]["input"][1]["content"]
        numbers = [int(number) for number in re.findall(r"\d+", question)]
        assert float(row["expected_answer"]) == _worked_out(row["category"], numbers)


def test_recovered_rollouts_carry_their_attempt(small: Path) -> None:
    for folder, run in _runs(small):
        recovered = {(r["task"], r["repeat"]) for r in run["rollouts"] if r["recovered"]}
        rows = lines_of(folder / "rollouts.jsonl")
        retried = {(r["_ng_task_index"], r["_ng_rollout_index"]) for r in rows if r.get("_ng_attempt_index") == 1}
        assert retried == recovered


def test_failures_are_given_up_after_three_attempts_or_are_final(small: Path) -> None:
    folder, run = next((folder, run) for folder, run in _runs(small) if run["counts"]["failed"])
    for rollout in run["rollouts"]:
        if rollout["outcome"] != "failed":
            continue
        rows = [
            row
            for row in lines_of(folder / "rollouts_failures.jsonl")
            if (row["_ng_task_index"], row["_ng_rollout_index"]) == (rollout["task"], rollout["repeat"])
        ]
        assert [row.get("_ng_attempt_index", 0) for row in rows] == list(range(rollout["attempts"]))
        assert {row["_ng_failure_class"] for row in rows} == {rollout["failure_class"]}
        assert len(rows) == 3 or rows[-1]["_ng_failure_terminal"]


def test_the_aggregate_is_honest(small: Path) -> None:
    for folder, run in _runs(small):
        [entry] = json.loads((folder / "rollouts_aggregate_metrics.json").read_text(encoding="utf-8"))
        rows = [row for row in lines_of(folder / "rollouts.jsonl") if not row.get("mask_sample")]
        rewards = [row["reward"] for row in rows]
        metrics = entry["agent_metrics"]
        assert metrics["mean/reward"] == pytest.approx(sum(rewards) / len(rewards), abs=1e-12)
        assert metrics["std/reward"] == pytest.approx(statistics.stdev(rewards), abs=1e-12)
        total = sum(row["response"]["usage"]["total_tokens"] for row in rows)
        assert metrics["mean/total_tokens"] == pytest.approx(total / len(rows), abs=1e-9)
        assert entry["key_metrics"]["mean/reward"] == metrics["mean/reward"]
        assert metrics.get("coverage/masked_rollouts", 0) == run["counts"]["masked"]
        assert sum(group["num_rollouts"] for group in entry["group_level_metrics"]) == len(rows)


def test_the_health_check_speaks_of_the_rows(small: Path) -> None:
    [folder] = [folder for folder, _ in _runs(small) if (folder / "quality_summary.json").exists()]
    rows = lines_of(folder / "rollouts.jsonl")
    verdicts = lines_of(folder / "rollout_verdicts.jsonl")
    keys = sorted((row["_ng_task_index"], row["_ng_rollout_index"]) for row in rows)
    assert [(verdict["_ng_task_index"], verdict["_ng_rollout_index"]) for verdict in verdicts] == keys
    masked = {(r["_ng_task_index"], r["_ng_rollout_index"]) for r in rows if r.get("mask_sample")}
    unhealthy = {(v["_ng_task_index"], v["_ng_rollout_index"]) for v in verdicts if v["verdict"] == "unhealthy"}
    assert unhealthy == masked
    summary = json.loads((folder / "quality_summary.json").read_text(encoding="utf-8"))
    assert summary["run"]["artifacts"]["records"] == len(rows)
    assert summary["run"]["verdicts"] == {
        "healthy": 0,
        "unhealthy": len(masked),
        "unobserved": len(rows) - len(masked),
    }
    assert summary["run"]["issues"]["rollout_ended_on_failed_model_call"] == len(masked)
    assert sum(task["repeats"] for task in summary["tasks"].values()) == len(rows)


def test_nothing_private_or_secret_is_written(small: Path) -> None:
    for path in small.rglob("*"):
        if path.is_file():
            assert PRIVATE.search(path.read_text(encoding="utf-8")) is None, path


def test_collector_keys_are_those_of_a_written_case(small: Path, shared: Path) -> None:
    case = shared / "cases/run_dirs/submitted/gym-job-20261103T080910Z-0a1b2c/sums/artifacts/rollouts.jsonl"
    for folder, _ in _runs(small):
        row, known = lines_of(folder / "rollouts.jsonl")[0], lines_of(case)[0]
        assert set(row) >= set(known)
        assert set(row["response"]) >= set(known["response"])
        assert set(row["response"]["usage"]) >= set(known["response"]["usage"])
