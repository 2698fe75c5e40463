"""Which fields of a task are slices when no profile names them."""

import json
from pathlib import Path
from typing import Any

from blade_pipeline.models import Profile
from blade_pipeline_tests.method.chain import analyzed_folder, planned, rollout, write_run

FIELDS: dict[str, Any] = {"level": [1, 2], "timed": [True, False], "topic": ["a", "b"], "task_index_of_set": [1, 2]}


def _slices(folder: Path) -> dict[str, Any]:
    [data] = analyzed_folder(folder).values()
    texts = data.aligned["slices"].to_pylist()
    return json.loads(texts[0]) if texts[0] else {}


def _values(task: int) -> dict[str, Any]:
    return {name: values[task % 2] for name, values in FIELDS.items()} | {"seed_value": task}


def test_whole_numbers_and_flags_of_the_inputs_are_slices_and_counters_are_not(tmp_path: Path) -> None:
    keys = [(task, repeat) for task in range(4) for repeat in range(2)]
    write_run(
        tmp_path / "b" / "r",
        [rollout(*key, 1.0, resolved=True) for key in keys],
        [planned(*key, **_values(key[0])) for key in keys],
    )
    assert _slices(tmp_path) == {"level": "1", "timed": "true", "topic": "a"}


def test_without_inputs_what_differs_within_a_task_is_a_result(tmp_path: Path) -> None:
    keys = [(task, repeat) for task in range(4) for repeat in range(2)]
    rows = [rollout(*key, float(key[1]), **_values(key[0]), resolved=key[1] == 1) for key in keys]
    write_run(tmp_path / "b" / "r", rows)
    assert _slices(tmp_path) == {"level": "1", "timed": "true", "topic": "a"}


def test_without_inputs_and_mixed_tasks_numbers_may_be_results(tmp_path: Path) -> None:
    rows = [rollout(task, 0, float(task % 2), topic="ab"[task % 2], resolved=task % 2 == 1) for task in range(4)]
    write_run(tmp_path / "b" / "r", rows)
    assert _slices(tmp_path) == {"topic": "a"}


def test_a_profile_names_its_own(tmp_path: Path) -> None:
    rows = [rollout(task, 0, 1.0, level=task % 2, topic="ab"[task % 2]) for task in range(4)]
    write_run(tmp_path / "b" / "r", rows)
    [data] = analyzed_folder(tmp_path, Profile(slices=("level",))).values()
    assert json.loads(data.aligned["slices"].to_pylist()[0]) == {"level": "0"}


def test_a_number_of_many_values_is_cut_into_quarters_of_the_tasks(tmp_path: Path) -> None:
    """Sizes 3, 6, ... 60 of 20 tasks: quarters of five; what is expected, and a running number, are cut by no one."""
    sizes = [3 * n for n in range(1, 21)]
    rows = [rollout(task, 0, 1.0) for task in range(20)]
    fields = [{"size": size, "expected_answer": 7.5 * size, "case": task} for task, size in enumerate(sizes)]
    write_run(tmp_path / "b" / "r", rows, [planned(task, 0, **own) for task, own in enumerate(fields)])
    [data] = analyzed_folder(tmp_path).values()
    found = [json.loads(text) for text in data.aligned["slices"].to_pylist()]
    assert found == [{"size": f"{first} to {first + 12}"} for first in (3, 18, 33, 48) for _ in range(5)]
