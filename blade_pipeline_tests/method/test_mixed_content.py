"""Inputs that are of another run, shards that each number from 0, stages, servers: identity by what was answered."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.gym import discover
from blade_pipeline.gym.failures import read_failures
from blade_pipeline.method.comparison import compare
from blade_pipeline.method.facts import Scope
from blade_pipeline.method.facts_of_counts import recovery_fact
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, failure, planned, rollout, write_run


def asked(text: str) -> dict[str, Any]:
    return {"responses_create_params": {"input": [{"role": "user", "content": text}]}}


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_inputs_of_another_run_identify_nothing(tmp_path: Path) -> None:
    inputs = [planned(t, 0, **asked(f"new {t}")) for t in range(8)]
    for run, said in (("a", "old"), ("b", "new")):
        rows = [rollout(t, 0, float(run == "b"), **asked(f"{said} {t}")) for t in range(8)]
        write_run(tmp_path / "bench" / run, rows, inputs)
    runs = analyzed_folder(tmp_path)
    assert any("8 rows open with another prompt" in note for note in runs["bench/a"].coverage["assumptions"])
    assert not any("another prompt" in note for note in runs["bench/b"].coverage["assumptions"])
    found = compare(runs["bench/a"].side("a"), runs["bench/b"].side("b"), Profile())
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "task_set")


def test_an_environment_may_add_to_the_prompt(tmp_path: Path) -> None:
    def extended(task: int) -> dict[str, Any]:
        turns = [{"role": "user", "content": f"play {task}"}, {"role": "user", "content": "board after reset"}]
        return {"responses_create_params": {"input": turns}}

    rows = [rollout(t, 0, **extended(t)) for t in range(3)]
    write_run(tmp_path / "bench" / "run", rows, [planned(t, 0, **asked(f"play {t}")) for t in range(3)])
    run = analyzed_folder(tmp_path)["bench/run"]
    assert not any("another prompt" in note for note in run.coverage["assumptions"])
    assert run.per_task["pair_digest"].to_pylist()[0].startswith("inputs:")


def test_shards_that_each_number_from_0_are_different_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "bench" / "run"
    folder.mkdir(parents=True)
    for chunk in (0, 1):
        words = [f"chunk {chunk} question {t}" for t in range(5)]
        rows = [rollout(t, 0, float(chunk == 0 and t < 4), **asked(words[t])) for t in range(5)]
        (folder / f"rollouts-chunk{chunk}.jsonl").write_text(lines(rows))
        inputs = [planned(t, 0, **asked(words[t])) for t in range(5)]
        (folder / f"rollouts-chunk{chunk}_materialized_inputs.jsonl").write_text(lines(inputs))
    run = analyzed_folder(tmp_path)["bench/run"]
    count = run.coverage["accounting"]
    assert (count["expected"], count["measured"], count["duplicates"]) == (10, 10, 0)
    assert run.scores["pass_at_1"] == pytest.approx(0.4)
    assert any("share an index with a task of other content" in note for note in run.coverage["assumptions"])


def test_one_question_under_several_systems_is_several_tasks_where_no_index_tells(tmp_path: Path) -> None:
    """Three systems, the first with two repeats: tasks pass 1 of 2, 0 of 1 and 1 of 1, and so in both runs."""
    systems = (("gravity", 1.0), ("springs", 0.0), ("gravity", 0.0), ("heat", 1.0))
    for run in ("a", "b"):
        rows = [rollout(0, 0, reward, **asked("Find the law.")) for _, reward in systems]
        for row, (system, _) in zip(rows, systems, strict=True):
            row["responses_create_params"]["input"].insert(0, {"role": "system", "content": f"A world of {system}."})
            del row["_ng_task_index"], row["_ng_rollout_index"]
        write_run(tmp_path / "bench" / run, rows if run == "a" else rows[::-1], [])
    runs = analyzed_folder(tmp_path)
    run = runs["bench/a"]
    assert run.scores["pass_at_1"] == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert any("told apart by their system prompt" in note for note in run.coverage["assumptions"])
    found = compare(run.side("a"), runs["bench/b"].side("b"), Profile())
    assert (found["difference"]["tasks"], found["difference"]["value"]) == (3, pytest.approx(0))


def test_a_system_prompt_of_its_own_in_every_row_tells_no_tasks_apart(tmp_path: Path) -> None:
    rows = [rollout(0, 0, float(minute < 2), **asked("Find the law.")) for minute in range(4)]
    for minute, row in enumerate(rows):
        row["responses_create_params"]["input"].insert(0, {"role": "system", "content": f"It is 12:0{minute}."})
        del row["_ng_task_index"], row["_ng_rollout_index"]
    write_run(tmp_path / "bench" / "run", rows, [])
    run = analyzed_folder(tmp_path)["bench/run"]
    assert (run.coverage["accounting"]["measured"], run.scores["num_tasks"], run.scores["pass_at_1"]) == (4, 1, 0.5)


def test_failures_of_shards_that_each_number_from_0_are_of_their_own_shard(tmp_path: Path) -> None:
    folder = tmp_path / "bench" / "run"
    folder.mkdir(parents=True)
    for chunk in (0, 1):
        rows = [rollout(t, 0, **asked(f"chunk {chunk} question {t}")) for t in range(3) if (chunk, t) != (1, 2)]
        (folder / f"rollouts-chunk{chunk}.jsonl").write_text(lines(rows))
        inputs = [planned(t, 0, **asked(f"chunk {chunk} question {t}")) for t in range(3)]
        (folder / f"rollouts-chunk{chunk}_materialized_inputs.jsonl").write_text(lines(inputs))
    (folder / "rollouts-chunk1_failures.jsonl").write_text(lines([failure(2, 0, "timeout")]))
    coverage = analyzed_folder(tmp_path)["bench/run"].coverage
    count = coverage["accounting"]
    assert (count["expected"], count["measured"], count["failed"]) == (6, 5, 1)
    assert (count["missing"], count["unexpected"]) == (0, 0)
    assert [(row["class"], row["count"]) for row in coverage["failures"]] == [("timeout", 1)]


@pytest.mark.parametrize("inputs", [True, False])
def test_recovered_rollouts_of_shards_that_each_number_from_0_are_counted(tmp_path: Path, inputs: bool) -> None:
    """Chunk 1 failed on its tasks 0 and 1 before they left a row, chunk 0 on its task 2: 3 rollouts, no other."""
    folder = tmp_path / "bench" / "run"
    folder.mkdir(parents=True)
    for chunk, failed in ((0, [2]), (1, [0, 1, 1])):
        prompts = [asked(f"chunk {chunk} question {task}") for task in range(3)]
        stem = f"rollouts-chunk{chunk}"
        (folder / f"{stem}.jsonl").write_text(lines([rollout(task, 0, **prompts[task]) for task in range(3)]))
        (folder / f"{stem}_failures.jsonl").write_text(lines([failure(task, 0, "timeout") for task in failed]))
        if inputs:
            path = folder / f"{stem}_materialized_inputs.jsonl"
            path.write_text(lines([planned(task, 0, **prompts[task]) for task in range(3)]))
    run = analyzed_folder(tmp_path)["bench/run"]
    assert run.coverage["failures"] == [{"class": "timeout", "attempts": 4, "terminal": 0, "recovered": 3, "count": 0}]
    assert sum(run.aligned["recovered"].to_pylist()) == 3
    [fact] = recovery_fact(Scope("bench", "run"), run.coverage)
    [directory] = discover(tmp_path).runs
    tables = {"failed_attempts": read_failures(directory), "aligned_samples": run.aligned}
    columns = {name: of_the_run(table) for name, table in tables.items()}
    assert query(fact.query, **columns).to_pylist() == [{"attempts": 4, "most": 4, "recovered": 3}]


def of_the_run(table: pa.Table) -> pa.Table:
    """With the columns by which a view of the store tells runs apart."""
    for column, name in (("benchmark", "bench"), ("run", "run")):
        table = table.append_column(column, pa.array([name] * len(table)))
    return table


def test_inputs_without_stages_are_expected_in_every_stage(tmp_path: Path) -> None:
    rows = [rollout(t, 0, float(stage == 2), stage_index=stage) for t in range(4) for stage in range(3)]
    write_run(tmp_path / "bench" / "run", rows, [planned(t, 0) for t in range(4)])
    run = analyzed_folder(tmp_path)["bench/run"]
    count = run.coverage["accounting"]
    assert (count["expected"], count["measured"], count["unexpected"]) == (12, 12, 0)
    assert run.scores["pass_at_1"] == pytest.approx(1 / 3)


def test_the_server_tells_rows_apart_that_name_no_agent(tmp_path: Path) -> None:
    rows = [
        {"_ng_task_index": t, "_ng_rollout_index": 0, "_ng_environment_server": server, "reward": float(server == "x")}
        for t in range(3)
        for server in ("x", "y")
    ]
    write_run(tmp_path / "bench" / "run", rows)
    run = analyzed_folder(tmp_path)["bench/run"]
    assert run.coverage["accounting"]["duplicates"] == 0
    assert {name: agent["pass_at_1"] for name, agent in run.scores["agents"].items()} == {"x": 1.0, "y": 0.0}


def test_failures_without_an_agent_are_counted_once(tmp_path: Path) -> None:
    keys = [(agent, t) for agent in ("a", "b") for t in range(2)]
    rows = [rollout(t, 0, agent_ref={"name": agent}) for agent, t in keys]
    lost = [
        {key: value for key, value in failure(t, 0, _ng_failure_terminal=t == 0).items() if key != "agent_ref"}
        for t in range(2)
    ]
    write_run(tmp_path / "bench" / "run", rows, [planned(t, 0, agent_ref={"name": a}) for a, t in keys], lost)
    [failures] = analyzed_folder(tmp_path)["bench/run"].coverage["failures"]
    assert (failures["attempts"], failures["terminal"]) == (2, 1)


def test_the_last_failure_of_a_rollout_is_the_last_over_all_files(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "bench" / "run", [rollout(1, 0)], [planned(0, 0), planned(1, 0)])
    early = [failure(7, 0, "unplanned"), failure(0, 0, "timeout")]
    (folder / "rollouts-chunk0_failures.jsonl").write_text(lines(early))
    (folder / "rollouts-chunk1_failures.jsonl").write_text(lines([failure(0, 0, "judge_failed")]))
    found = analyzed_folder(tmp_path)["bench/run"].coverage["failures"]
    lost = {row["class"]: row["count"] for row in found}
    assert lost == {"judge_failed": 1, "timeout": 0, "unplanned": 0}
