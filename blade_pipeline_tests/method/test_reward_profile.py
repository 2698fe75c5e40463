"""A run that kept only its reward profile: physical lines, and what the profile expects. Counts by hand."""

import json
from pathlib import Path
from typing import Any

from blade_pipeline_tests.method.chain import Analyzed, analyzed_folder, rollout


def task_line(task: int, rewards: list[float], **counts: int) -> str:
    infos = [{"_ng_task_index": task, "_ng_rollout_index": n, "reward": reward} for n, reward in enumerate(rewards)]
    sample = {"agent_ref": {"name": "simple"}, "responses_create_params": {"input": f"question {task}"}}
    return json.dumps({"_ng_task_index": task, "sample": sample, "rollout_infos": infos, **counts})


def run_of(tmp_path: Path, *lines: str, **others: str) -> Analyzed:
    folder = tmp_path / "bench" / "run"
    folder.mkdir(parents=True)
    (folder / "rollouts_reward_profiling.jsonl").write_text("".join(f"{line}\n" for line in lines))
    for name, text in others.items():
        (folder / f"{name}.jsonl").write_text(text)
    return analyzed_folder(tmp_path)["bench/run"]


def counted(run: Analyzed, *names: str) -> tuple[Any, ...]:
    return tuple(run.coverage["accounting"][name] for name in names)


def test_lines_are_physical_lines_and_expected_ones_count_as_missing(tmp_path: Path) -> None:
    # tasks of 3, 2 and 1 rollouts where 4, 2 and 2 were expected; then a blank and a torn line: 6 of 8 rollouts
    lines = [
        task_line(0, [1.0, 0.0, 1.0], expected_num_rollouts=4),
        task_line(1, [1.0, 1.0], expected_num_rollouts=2),
        task_line(2, [0.0], expected_num_rollouts=2),
    ]
    run = run_of(tmp_path, *lines, "", '{"torn": ')
    assert counted(run, "lines", "blank_lines", "malformed_lines") == (5, 1, 1)
    assert {entry["class"]: entry["count"] for entry in run.coverage["line_classes"]}["row"] == 3
    assert counted(run, "expected", "measured", "missing", "unexpected") == (8, 6, 2, 0)
    assert run.coverage["measured_share"] == 6 / 8
    # means of 2/3, 1 and 0 where all that is missing fails: 2/4, 2/2 and 0/2; where it passes: 3/4, 2/2 and 1/2
    assert run.scores["bounds"]["pass_at_1"] == {"low": 0.5, "high": 0.75}
    assert any("what the reward profile counts for each task" in note for note in run.coverage["assumptions"])


def test_without_counts_what_was_expected_is_unknown(tmp_path: Path) -> None:
    run = run_of(tmp_path, task_line(0, [1.0, 0.0], expected_num_rollouts=3), task_line(1, [1.0]))
    assert counted(run, "lines", "expected", "measured", "missing") == (2, None, 3, 0)


def test_a_profile_expects_nothing_of_a_run_that_has_rows(tmp_path: Path) -> None:
    rows = "".join(json.dumps(rollout(task, 0, 1.0)) + "\n" for task in range(2))
    run = run_of(tmp_path, task_line(0, [1.0], expected_num_rollouts=4), rollouts=rows)
    assert counted(run, "lines", "expected", "measured", "missing", "unexpected") == (2, None, 2, 0, 0)
