"""The stories of another hand write valid runs whose truth fits their rows; how they fare is only reported."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from blade_pipeline.example.stories import STORIES, UNSEEN, write_story
from blade_pipeline.gym import discover
from blade_pipeline_tests.stories.claims import Json, Key
from blade_pipeline_tests.stories.matching import rollouts_of

SIGNS: dict[str, Callable[[Json], bool]] = {
    "judged-by-length": lambda row: not row["judge_evaluations"][0]["comment"].startswith("Compared"),
    "argument-refused": lambda row: row["termination_reason"] == "agent_stop",
    "declined-in-language": lambda row: row["pred"] is None,
    "package-timeout": lambda row: row["execution"]["duration_s"] >= 30,
    "edited-tests": lambda row: row["model_patch"].startswith("--- a/tests/"),
}
"""What shows the planted failure mode in a row."""


def _lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _key(row: Json) -> Key:
    return row["_ng_task_index"], row["_ng_rollout_index"]


def _tools(row: Json) -> set[str]:
    return {item["name"] for item in row["response"]["output"] if item["type"] == "function_call"}


def _story(folder: Path, name: str) -> tuple[Path, dict[Key, Json], list[Json]]:
    written = write_story(folder, STORIES[name], seed=11)
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["truth"]
    return written, {_key(row): row for row in _lines(written / "rollouts.jsonl")}, truth


def test_each_has_a_benchmark_of_its_own() -> None:
    settings = [STORIES[name].setting for name in UNSEEN]
    assert len({setting.benchmark.name for setting in settings if setting}) == len(UNSEEN) == 5


@pytest.mark.parametrize("name", UNSEEN)
def test_the_run_is_whole(name: str, tmp_path: Path) -> None:
    folder, rows, _ = _story(tmp_path, name)
    assert [run.benchmark for run in discover(folder).runs] == [folder.parent.name]
    assert sorted(rows) == [(task, repeat) for task in range(60) for repeat in range(4)]
    for asked in _lines(folder / "rollouts_materialized_inputs.jsonl"):
        row = rows[_key(asked)]
        assert {key: row[key] for key in asked if key != "responses_create_params"} == {
            key: value for key, value in asked.items() if key != "responses_create_params"
        }
    for row in rows.values():
        calls = [item["call_id"] for item in row["response"]["output"] if item["type"] == "function_call"]
        results = [item["call_id"] for item in row["response"]["output"] if item["type"] == "function_call_output"]
        assert calls == results
        assert len(set(calls)) == len(calls)


@pytest.mark.parametrize("name", UNSEEN)
def test_the_truth_fits_the_rows(name: str, tmp_path: Path) -> None:
    _, rows, truth = _story(tmp_path, name)
    showing = {key for key, row in rows.items() if SIGNS[name](row) and row["reward"] == 0}
    by_kind = {statement["kind"]: statement for statement in truth}
    assert showing
    assert rollouts_of(by_kind["mode"]) == showing
    for statement in truth:
        where = statement["where"]
        if statement["kind"] == "concentration":
            inside = {key for key in showing if rows[key][where["field"]] == where["value"]}
            assert rollouts_of(statement) == inside
            assert len(inside) >= 0.8 * len(showing)
        if statement["kind"] == "skipped_tool":
            assert rollouts_of(statement) == {key for key, row in rows.items() if where["tool"] not in _tools(row)}
        if statement["kind"] == "verifier_conflict":
            wronged = {key for key in showing if rows[key]["extracted_answer"] == rows[key]["expected_answer"]}
            assert rollouts_of(statement) == wronged
