"""Inputs of public bug reports about comparability and two runs (``bug_reports.md``), and the right behaviour on each.

Every expected value is the one the report's entry states, or hand arithmetic beside it.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from blade_pipeline.method.comparison import compare
from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, failure, planned, rollout, write_run

COVERS = frozenset({"B01", "B02", "B15", "B34", "B35", "B36", "B37", "B38", "B39", "B40"})
"""Entries of ``bug_reports.md`` with a test here."""

Files = dict[str, Any]


def pair(tmp_path: Path, a: Files, b: Files) -> dict[str, Any]:
    for name, files in (("a", a), ("b", b)):
        configs = {key: files.pop(key) for key in list(files) if key.endswith((".yaml", ".json"))}
        folder = write_run(tmp_path / "bench" / name, **files)
        for file, content in configs.items():
            (folder / file).write_text(content)
    found = analyzed_folder(tmp_path)
    return compare(found["bench/a"].side("a"), found["bench/b"].side("b"), Profile())


def check(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(item for item in found["checks"] if item["id"] == name)


def grid(tasks: range, repeats: int) -> list[dict[str, Any]]:
    return [planned(task, repeat) for task in tasks for repeat in range(repeats)]


def saying(text: str, **extra: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}] if text else []
    message = {"type": "message", "role": "assistant", "content": content}
    return {"response": {"model": "m", "output": [message] if text else []} | extra}


def rows(rewards: dict[int, list[float]], **extra: Any) -> list[dict[str, Any]]:
    return [rollout(t, r, reward, **extra) for t, line in rewards.items() for r, reward in enumerate(line)]


def test_b01_lost_hard_tasks_are_failure_accounting_and_no_gain(tmp_path: Path) -> None:
    # tasks 0 to 7 pass, 8 and 9 fail: 8/10 = .80; without them 8/8 = 1.00, and 0 on the 8 common ones
    whole = {task: [1.0 if task < 8 else 0.0] * 4 for task in range(10)}
    kept = {task: line for task, line in whole.items() if task < 8}
    found = pair(
        tmp_path,
        {"rows": rows(whole), "inputs": grid(range(10), 4)},
        {"rows": rows(kept), "inputs": grid(range(10), 4)},
    )
    assert (found["verdict"], found["headline_check"]) == ("failure_accounting", "missing_rate")
    assert (found["mix"]["a"], found["mix"]["b"]) == (pytest.approx(0.8), 1.0)
    assert found["difference"]["value"] == 0.0
    # the 8 lost rollouts are 8 of 40: B between .8 and 1.0 against A's .8
    assert found["difference"]["bounds"] == {"low": 0.0, "high": pytest.approx(0.2), "sign_identified": False}
    assert "so hard tasks were lost" in check(found, "lost_on_hard_tasks")["note"]


def test_two_lost_tasks_of_four_are_not_said_to_be_hard(tmp_path: Path) -> None:
    # no task's score varies, and one of six choices of two tasks are just these: by chance in one case of three
    whole = {task: [1.0 if task < 2 else 0.0] * 4 for task in range(4)}
    kept = {task: line for task, line in whole.items() if task < 2}
    sides = [{"rows": rows(rewards), "inputs": grid(range(4), 4)} for rewards in (whole, kept)]
    lost = check(pair(tmp_path, *sides), "lost_on_hard_tasks")
    assert lost["status"] == "same"
    assert lost["note"] == "b lost rollouts on 2 tasks, on which a scores 0.0% against 100.0% on the others"


def test_b02_zeros_in_the_sidecar_are_no_gain(tmp_path: Path) -> None:
    expected = grid(range(4), 1)
    found = pair(
        tmp_path,
        {"rows": rows({0: [1.0], 1: [0.0], 2: [1.0], 3: [0.0]}), "inputs": expected},
        {"rows": rows({0: [1.0], 2: [1.0]}), "inputs": expected, "failures": [failure(1, 0), failure(3, 0)]},
    )
    assert (found["mix"]["a"], found["mix"]["b"]) == (0.5, 1.0)
    assert (found["difference"]["value"], found["difference"]["tasks"]) == (0.0, 2)
    assert found["verdict"] == "failure_accounting"
    assert found["difference"]["accountings"]["failures_as_zero"] == 0.0
    assert found["difference"]["accountings"]["all_as_one"] == 0.5


def test_b02_other_rules_for_failures_are_shown(tmp_path: Path) -> None:
    def configured(route: bool, counted: list[str]) -> Files:
        config = {"route_failures_to_sidecar": route, "count_failure_classes_as_zero": counted}
        return {"rows": rows({0: [1.0]}), "rollouts_resolved_config.yaml": yaml.safe_dump(config)}

    found = pair(tmp_path, configured(True, []), configured(False, ["judge_failed"]))
    assert check(found, "route_failures_to_sidecar")["status"] == "different"
    assert check(found, "count_failures_as_zero")["b"] == "judge_failed"


def test_b15_a_jump_of_empty_answers_is_no_worse_model(tmp_path: Path) -> None:
    def run(empty: int) -> Files:
        lines = [
            rollout(task, 0, 0.0 if task < empty else 1.0, **saying("" if task < empty else f"answer {task}"))
            for task in range(20)
        ]
        return {"rows": lines, "inputs": grid(range(20), 1)}

    found = pair(tmp_path, run(1), run(11))
    assert (found["verdict"], found["headline_check"]) == ("failure_accounting", "empty_answers")
    assert (check(found, "empty_answers")["a"], check(found, "empty_answers")["b"]) == ("1 of 20", "11 of 20")


def test_b34_tasks_join_by_content_and_not_by_index(tmp_path: Path) -> None:
    def run(order: list[str]) -> Files:
        asked = {"X": 1.0, "Y": 0.0}
        inputs = [
            planned(n, 0, responses_create_params={"input": [{"role": "user", "content": f"question {name}"}]})
            for n, name in enumerate(order)
        ]
        return {"rows": [rollout(n, 0, asked[name]) for n, name in enumerate(order)], "inputs": inputs}

    found = pair(tmp_path, run(["X", "Y"]), run(["Y", "X"]))
    assert found["pairing"]["method"] == "content"
    assert (found["flips"]["gained"], found["flips"]["lost"]) == (0, 0)
    # by index, as the tool joins, question X turns into Y and back: one flip each way
    peer = found["gym_compare"]["agents"][0]["flips"]
    assert (peer["pass_to_fail_count"], peer["fail_to_pass_count"]) == (1, 1)


def test_b34_tasks_that_pair_by_index_alone_are_not_compared(tmp_path: Path) -> None:
    found = pair(tmp_path, {"rows": rows({0: [1.0], 1: [0.0]})}, {"rows": rows({0: [1.0], 1: [1.0]})})
    assert (found["pairing"]["method"], found["pairing"]["common"]) == ("index", 2)
    assert (found["verdict"], found["headline_check"]) == ("insufficient_evidence", "task_set")
    assert "materialized inputs" in found["settle"][0]


def test_b35_another_chat_template_is_another_method(tmp_path: Path) -> None:
    def run(thinking: bool, passes: int) -> Files:
        model = {
            "policy_model": {"responses_api_models": {"vllm": {"chat_template_kwargs": {"enable_thinking": thinking}}}}
        }
        rewards = {task: [1.0 if task < passes else 0.0] for task in range(50)}
        return {
            "rows": rows(rewards),
            "inputs": grid(range(50), 1),
            "rollouts_resolved_config.yaml": yaml.safe_dump(model),
        }

    found = pair(tmp_path, run(False, 25), run(True, 31))
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "chat_template")
    assert found["difference"]["value"] == pytest.approx(0.12)


def test_b36_fewer_tasks_are_another_version_of_the_benchmark(tmp_path: Path) -> None:
    # 8 tasks at 3/4 and 2 broken ones at 0: 6/10 = .60; without those .75 and .75 on the common 8
    whole = {task: [1.0, 1.0, 1.0, 0.0] if task < 8 else [0.0] * 4 for task in range(10)}
    kept = {task: line for task, line in whole.items() if task < 8}
    found = pair(
        tmp_path,
        {"rows": rows(whole), "inputs": grid(range(10), 4)},
        {"rows": rows(kept), "inputs": grid(range(8), 4)},
    )
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "task_set")
    assert (found["mix"]["a"], found["mix"]["b"]) == (pytest.approx(0.60), pytest.approx(0.75))
    assert (found["difference"]["a"], found["difference"]["b"]) == (0.75, 0.75)
    assert found["pairing"]["only_a"] == 2


def test_b37_a_commit_known_on_one_side_alone_excludes_nothing(tmp_path: Path) -> None:
    whole = {"rows": rows({task: [float(task % 2)] * 2 for task in range(10)}), "inputs": grid(range(10), 2)}
    job = tmp_path / "job-a"
    write_run(job / "bench" / "artifacts", **whole)
    (job / "gym-job.json").write_text(json.dumps({"gym_commit": "a1a1a1a1"}))
    write_run(tmp_path / "job-b" / "bench" / "artifacts", **whole)
    runs = analyzed_folder(tmp_path)
    found = compare(runs["bench/job-a"].side("a"), runs["bench/job-b"].side("b"), Profile())
    assert "scoring_commit" in found["conditional_on"]
    assert "provided that the Gym commit that scored the run" in found["sentence"]
    assert check(found, "submitter_commit")["a"] == "a1a1a1a1"


def test_b38_cached_repeats_are_no_repeats(tmp_path: Path) -> None:
    def run(cached: bool) -> Files:
        lines = [
            rollout(t, r, float(t % 2), **saying(f"answer {t}" if cached else f"answer {t}, take {r}"))
            | {"responses_create_params": {"temperature": 1.0}}
            for t in range(5)
            for r in range(4)
        ]
        return {"rows": lines, "inputs": grid(range(5), 4)}

    found = pair(tmp_path, run(False), run(True))
    assert (found["verdict"], found["headline_check"]) == ("insufficient_evidence", "repeat_copies")
    assert (check(found, "repeat_copies")["a"], check(found, "repeat_copies")["b"]) == ("0 of 5", "5 of 5")


def test_b39_a_lower_limit_and_its_truncation(tmp_path: Path) -> None:
    def run(limit: int, cut: int) -> Files:
        lines = []
        for task in range(20):
            reason = {"incomplete_details": {"reason": "max_output_tokens"}} if task < cut else {}
            row = rollout(task, 0, 0.0 if task < cut else 1.0, **saying(f"answer {task}", **reason))
            lines.append(row | {"responses_create_params": {"max_output_tokens": limit}})
        return {"rows": lines, "inputs": grid(range(20), 1)}

    found = pair(tmp_path, run(4096, 1), run(1024, 8))
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "max_output_tokens")
    truncation = check(found, "truncation")
    assert (truncation["a"], truncation["b"]) == ("1 of 20", "8 of 20")


def test_b39_truncation_beyond_chance_shows_the_score_of_completed_answers(tmp_path: Path) -> None:
    def run(cut: int) -> Files:
        reason = {"incomplete_details": {"reason": "max_output_tokens"}}
        lines = [rollout(t, 0, float(t >= cut), **saying(f"a {t}", **(reason if t < cut else {}))) for t in range(20)]
        return {"rows": lines, "inputs": grid(range(20), 1)}

    # Fisher 1/20 against 11/20: p = .0012
    truncation = check(pair(tmp_path, run(1), run(11)), "truncation")
    assert truncation["status"] == "different"
    assert "on completed answers the mean score is 1 against 1" in truncation["note"]


def test_b40_another_judge_between_runs_and_within_one(tmp_path: Path) -> None:
    def run(judges: list[str]) -> Files:
        lines = [rollout(task, 0, 1.0, judge={"model": judge}) for task, judge in enumerate(judges)]
        return {"rows": lines, "inputs": grid(range(6), 1)}

    found = pair(tmp_path / "between", run(["j1"] * 6), run(["j2"] * 6))
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "judge")
    mixed = pair(tmp_path / "within", run(["j1"] * 6), run(["j1"] * 4 + ["j2"] * 2))
    assert (mixed["verdict"], mixed["headline_check"]) == ("not_comparable", "judge")
    assert (check(mixed, "judge")["a"], check(mixed, "judge")["b"]) == ("j1", "j1 (4), j2 (2)")
    assert "rows disagree: j1 (4), j2 (2)" in check(mixed, "judge")["source_b"]
