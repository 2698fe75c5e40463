"""Pairs of runs with one planted cause each: the headline names it and claims nothing beyond it."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.method.comparison import compare
from blade_pipeline.models import Factor, Profile
from blade_pipeline_tests.method.chain import analyzed_folder, failure, planned, rollout, write_run

Rows = list[dict[str, Any]]
TASKS, REPEATS = 40, 4


def rates(seed: int = 3) -> list[float]:
    """Success rates of the tasks, as a benchmark with easy and hard tasks has them."""
    source = random.Random(seed)
    return [source.betavariate(0.6, 0.6) for _ in range(TASKS)]


def drawn(seed: int, shift: float = 0.0, repeats: int = REPEATS) -> Rows:
    source = random.Random(seed)
    return [
        rollout(task, repeat, float(source.random() < min(1.0, rate + shift)), responses_create_params=params(0.6))
        for task, rate in enumerate(rates())
        for repeat in range(repeats)
    ]


def params(temperature: float, task: int | None = None) -> dict[str, Any]:
    settings: dict[str, Any] = {"temperature": temperature, "max_output_tokens": 2048}
    return settings if task is None else settings | {"input": [{"role": "user", "content": f"question {task}"}]}


def inputs(temperature: float = 0.6, repeats: int = REPEATS) -> Rows:
    return [
        planned(task, repeat, responses_create_params=params(temperature, task))
        for task in range(TASKS)
        for repeat in range(repeats)
    ]


def pair(
    tmp_path: Path, a: dict[str, Rows], b: dict[str, Rows], varying: Factor | None = None, margin: float | None = None
) -> dict[str, Any]:
    write_run(tmp_path / "bench" / "a", **a)
    write_run(tmp_path / "bench" / "b", **b)
    runs = analyzed_folder(tmp_path)
    return compare(runs["bench/a"].side("a"), runs["bench/b"].side("b"), Profile(), varying=varying, margin=margin)


def plain(seed: int, shift: float = 0.0) -> dict[str, Rows]:
    return {"rows": drawn(seed, shift), "inputs": inputs()}


def edited(files: dict[str, Rows], change: Callable[[dict[str, Any]], Any], which: str = "rows") -> dict[str, Rows]:
    for row in files[which]:
        change(row)
    return files


def test_the_same_system_twice_is_no_change(tmp_path: Path) -> None:
    found = pair(tmp_path, plain(1), plain(2))
    assert found["verdict"] in ("no_detectable_change", "equivalent")
    assert found["headline_check"] == "noise"
    assert found["pairing"] == {"method": "content", "common": 40, "only_a": 0, "only_b": 0, "changed_content": 0}


def test_a_large_true_change_is_one(tmp_path: Path) -> None:
    found = pair(tmp_path, plain(1), plain(2, shift=0.5))
    assert (found["verdict"], found["headline_check"]) == ("model_change", None)
    assert found["difference"]["new_tasks"]["low"] > 0
    assert "scoring_commit" in found["conditional_on"]
    assert "provided that" in found["sentence"]


def test_another_temperature_is_another_method(tmp_path: Path) -> None:
    hot = edited(plain(2, shift=0.5), lambda row: row["responses_create_params"].update(temperature=1.0))
    hot = edited(hot, lambda row: row["responses_create_params"].update(temperature=1.0), "inputs")
    found = pair(tmp_path, plain(1), hot)
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "temperature")
    assert found["pairing"]["common"] == TASKS


def test_the_temperature_may_be_the_factor_under_study(tmp_path: Path) -> None:
    hot = edited(plain(2, shift=0.5), lambda row: row["responses_create_params"].update(temperature=1.0))
    found = pair(tmp_path, plain(1), hot, varying="sampling")
    assert found["verdict"] == "sampling_change"


def test_three_changed_prompts_are_another_benchmark(tmp_path: Path) -> None:
    def change(row: dict[str, Any]) -> None:
        if row["_ng_task_index"] < 3:
            row["responses_create_params"]["input"][0]["content"] += " (revised)"

    found = pair(tmp_path, plain(1), edited(plain(2, shift=0.5), change, "inputs"))
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "prompts")
    assert found["pairing"]["changed_content"] == 3


def test_renumbered_tasks_pair_by_content(tmp_path: Path) -> None:
    def renumber(row: dict[str, Any]) -> None:
        row["_ng_task_index"] = TASKS - 1 - row["_ng_task_index"]

    other = edited(edited(plain(1), renumber), renumber, "inputs")
    found = pair(tmp_path, plain(1), other)
    assert found["pairing"] == {"method": "content", "common": 40, "only_a": 0, "only_b": 0, "changed_content": 0}
    assert found["difference"]["value"] == 0.0
    assert found["flips"]["unchanged"] == TASKS


def test_zeros_moved_to_the_sidecar_are_failure_accounting(tmp_path: Path) -> None:
    scored = plain(1)
    moved = [row for row in scored["rows"] if row["reward"] == 0.0][::2]
    lost = [failure(row["_ng_task_index"], row["_ng_rollout_index"]) for row in moved]
    kept = [row for row in scored["rows"] if not any(row is other for other in moved)]
    found = pair(tmp_path, plain(1), {"rows": kept, "inputs": inputs(), "failures": lost})
    assert (found["verdict"], found["headline_check"]) == ("failure_accounting", "error_rate")
    assert found["difference"]["accountings"]["failures_as_zero"] == pytest.approx(0.0, abs=1e-12)


def test_an_earlier_cause_stays_the_headline(tmp_path: Path) -> None:
    hot = edited(plain(2), lambda row: row["responses_create_params"].update(temperature=1.0))
    hot["rows"] = [row for row in hot["rows"] if row["_ng_task_index"] > 5]
    found = pair(tmp_path, plain(1), hot)
    assert found["headline_check"] == "temperature"
    assert {check["id"] for check in found["checks"] if check["status"] == "different"} >= {"accounting_rules"}


def test_disjoint_tasks_cannot_be_compared(tmp_path: Path) -> None:
    def shift(row: dict[str, Any]) -> None:
        row["_ng_task_index"] += TASKS
        text = row["responses_create_params"].get("input")
        if text:
            text[0]["content"] = f"another {row['_ng_task_index']}"

    found = pair(tmp_path, plain(1), edited(edited(plain(2), shift), shift, "inputs"))
    assert (found["verdict"], found["headline_check"]) == ("not_comparable", "task_set")
    assert found["pairing"]["common"] == 0


def test_index_pairing_alone_is_insufficient(tmp_path: Path) -> None:
    def bare(seed: int) -> dict[str, Rows]:
        return {"rows": [rollout(task, 0, float(task % 2)) for task in range(20)]}

    found = pair(tmp_path, bare(1), bare(2))
    assert (found["verdict"], found["headline_check"]) == ("insufficient_evidence", "task_set")


def test_a_single_repeat_has_no_rerun_interval(tmp_path: Path) -> None:
    single = {"rows": drawn(1, repeats=1), "inputs": inputs(repeats=1)}
    found = pair(tmp_path, single, {"rows": drawn(2, repeats=1), "inputs": inputs(repeats=1)})
    assert found["difference"]["these_tasks"]["low"] is None
    assert found["difference"]["these_tasks"]["reason"]
    assert found["difference"]["mde"]["value"] is None
