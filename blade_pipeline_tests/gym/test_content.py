from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.gym import discover, read_expected, read_rollouts
from blade_pipeline_tests.gym.run_folder import jsonl, write_run

MATERIALIZED = ["cvdp/example", "fukuyamabench/example", "litmus_agent/example", "proof_judge/example"]
MATERIALIZED += ["proof_verification/example", "synthetic/seed11", "synthetic/seed12"]


def request(text: str, **params: Any) -> dict[str, Any]:
    return {"responses_create_params": {"input": [{"role": "user", "content": text}], **params}}


def contents(folder: Path, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    """Digests of materialized input rows."""
    run = write_run(folder, b"", materialized_inputs=jsonl(*rows))
    return read_expected(run).to_pylist()


def digests(folder: Path, first: dict[str, Any], second: dict[str, Any], column: str = "task_digest") -> list[str]:
    return [row[column] for row in contents(folder, first, second)]


@pytest.mark.parametrize(
    "method",
    [
        {"responses_create_params": {"input": [{"role": "user", "content": "q"}], "temperature": 1.0, "top_p": 0.5}},
        {"responses_create_params": {"input": [{"role": "user", "content": "q"}], "max_output_tokens": 9}},
        {"responses_create_params": {"input": [{"role": "user", "content": "q"}], "tools": [{"name": "bash"}]}},
        {"responses_create_params": {"input": [{"role": "user", "content": "q"}], "instructions": "Be brief."}},
        {"responses_create_params": {"input": [{"role": "user", "content": "q"}], "metadata": {"extra_body": "{}"}}},
        {
            "responses_create_params": {
                "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q"}]
            }
        },
        {"responses_create_params": {"input": "q"}},
        {"responses_create_params": {"input": [{"role": "user", "content": [{"type": "input_text", "text": "q"}]}]}},
        {"responses_create_params": {"input": [{"type": "message", "role": "user", "content": "q", "id": None}]}},
        {"agent_ref": {"name": "other"}},
        {"_ng_environment_server": "other"},
        {"_ng_task_index": 9, "_ng_rollout_index": 3},
        {"seed": 7},
        {"jsonl_fpath": "/data/a.jsonl", "work_dir": "/home/x"},
        {"task_source": "train", "skills_ref": {"hash": "x"}},
        {"optional": None},
    ],
)
def test_method_and_bookkeeping_leave_the_task_the_same(tmp_path: Path, method: dict[str, Any]) -> None:
    plain = {**request("q"), "expected_answer": "4", "_ng_task_index": 0, "_ng_rollout_index": 0}
    for column in ("task_digest", "prompt_digest"):
        first, second = digests(tmp_path, plain, {**plain, **method}, column)
        assert first == second is not None


@pytest.mark.parametrize(
    "change",
    [
        request("another question"),
        {"expected_answer": "5"},
        {"expected_answer": 4},
        {"category": "other"},
        {"verifier_metadata": {"difficulty": 3}},
        {"task_id": "t2"},
    ],
)
def test_what_the_task_is_changes_its_digest(tmp_path: Path, change: dict[str, Any]) -> None:
    plain = {**request("q"), "expected_answer": "4", "category": "c", "task_id": "t1"}
    first, second = digests(tmp_path, plain, {**plain, **change})
    assert first != second


def test_the_prompt_digest_covers_question_and_expected_answer_only(tmp_path: Path) -> None:
    plain = {**request("q"), "expected_answer": "4", "category": "c"}
    moved = {**plain, "category": "d", "verifier_metadata": {"a": 1}}
    rows = contents(tmp_path, plain, moved, {**plain, "expected_answer": "5"})
    prompts = [row["prompt_digest"] for row in rows]
    assert prompts[0] == prompts[1] != prompts[2]


def test_paths_inside_metadata_belong_to_the_machine(tmp_path: Path) -> None:
    plain = {**request("q"), "verifier_metadata": {"image_path": "/a/1.png", "label": "x"}}
    moved = {**request("q"), "verifier_metadata": {"image_path": "/b/1.png", "label": "x"}}
    first, second = digests(tmp_path, plain, moved)
    assert first == second


def test_turns_of_the_conversation_count_with_their_roles(tmp_path: Path) -> None:
    def turns(role: str) -> dict[str, Any]:
        items = [{"role": "user", "content": "a"}, {"role": role, "content": "b"}]
        return {"responses_create_params": {"input": items}}

    first, second = digests(tmp_path, turns("assistant"), turns("user"))
    assert first != second


def test_embedded_images_count_and_their_addresses_do_not(tmp_path: Path) -> None:
    def picture(url: str) -> dict[str, Any]:
        parts = [{"type": "input_text", "text": "what?"}, {"type": "input_image", "image_url": url}]
        return {"responses_create_params": {"input": [{"role": "user", "content": parts}]}}

    rows = contents(
        tmp_path,
        picture("data:image/png;base64,AAAA"),
        picture("data:image/png;base64,BBBB"),
        picture("https://a.example/x/1.png?sig=1"),
        picture("https://b.example/y/1.png?sig=2"),
    )
    found = [row["task_digest"] for row in rows]
    assert found[0] != found[1]
    assert found[2] == found[3]


def test_a_row_that_says_nothing_of_its_task_has_no_digest(tmp_path: Path) -> None:
    [row] = contents(tmp_path, {"_ng_task_index": 0, "_ng_rollout_index": 0, "category": "c", "expected_answer": "4"})
    assert (row["task_digest"], row["prompt_digest"]) == (None, None)
    assert row["answer_key_digest"] is not None


def test_system_prompt_and_tools_have_digests_of_their_own(tmp_path: Path) -> None:
    def asked(**params: Any) -> dict[str, Any]:
        return request("q", **params)

    bare, empty, prompted, other, tooled, echoed = contents(
        tmp_path,
        asked(),
        asked(tools=[], instructions=None),
        asked(instructions="Be brief."),
        asked(instructions="Be long."),
        asked(tools=[{"name": "bash"}]),
        asked(tools=[{"name": "bash", "description": None}]),
    )
    assert bare["system_digest"] is empty["system_digest"] is bare["tools_digest"] is empty["tools_digest"] is None
    assert prompted["system_digest"] != other["system_digest"]
    assert tooled["tools_digest"] == echoed["tools_digest"]
    assert tooled["tools_digest"].startswith("1:")


def test_dataset_ids_are_typed_and_taken_in_the_order_of_the_collector(tmp_path: Path) -> None:
    rows = contents(
        tmp_path,
        {"id": 3, "task_id": "t", **request("a")},
        {"id": 3, "task_id": None, **request("a")},
        {"task_id": {"taskset": "s", "task_id": 1}, **request("a")},
        {"verifier_metadata": {"problem_id": "p"}, **request("a")},
        request("a"),
    )
    assert [row["dataset_id"] for row in rows] == ['"t"', "3", '{"task_id":1,"taskset":"s"}', '"p"', None]


@pytest.mark.parametrize("name", MATERIALIZED)
def test_inputs_and_rows_of_real_runs_agree_on_the_prompt(shared: Path, name: str) -> None:
    [run] = discover(shared / "corpus" / "runs" / name).runs
    expected = {(row["task"], row["repeat"]): row for row in read_expected(run).to_pylist()}
    for row in read_rollouts(run).to_pylist():
        planned = expected[row["task"], row["repeat"]]
        for column in ("prompt_digest", "system_digest", "answer_key_digest", "tools_digest"):
            assert row[column] == planned[column]
        if name.startswith("synthetic"):
            assert row["task_digest"] == planned["task_digest"] is not None
