"""Reads the rollouts files of a package, every line accounted for."""

import json
import math
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TASK_FIELDS = ("_ng_task_index", "_task_index", "task_id", "task_name", "task_index")
ROLLOUT_FIELDS = ("_ng_rollout_index", "_rollout_index", "rollout_index", "rollout_id")
REWARD_FIELDS = ("reward", "score")
_PASS_TOLERANCE = 1e-6


@dataclass
class RolloutFile:
    """What one file holds: rows, bad lines by number, the fields that its rows use, and its tasks."""

    name: str
    records: int = 0
    bad_lines: list[int] = field(default_factory=list)
    reward_field: str | None = None
    task_field: str | None = None
    rollout_field: str | None = None
    tasks: set[str] = field(default_factory=set)
    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    rollouts: set[str] = field(default_factory=set)

    def add(self, row: dict[str, Any], score: str | None) -> None:
        """Takes a row in; ``score`` names the field that decides, where it is not the reward."""
        self.records += 1
        self.reward_field = self.reward_field or _first(REWARD_FIELDS, row)
        self.task_field = self.task_field or _first(TASK_FIELDS, row)
        self.rollout_field = self.rollout_field or _first(ROLLOUT_FIELDS, row)
        if self.task_field is None or self.task_field not in row:
            return
        task = str(row[self.task_field])
        self.tasks.add(task)
        if self.rollout_field in row:
            self.rollouts.add(f"{task}-{row[self.rollout_field]}")
        value = row.get(score or self.reward_field or "")
        if isinstance(value, (int, float)) and math.isfinite(value) and row.get("mask_sample") is not True:
            self.scores[task].append(float(value))

    def figures(self, threshold: float) -> dict[str, float]:
        """Tasks, rollouts, passes and pass@1 (mean over tasks and over rollouts) of the measured rows."""
        passes = {task: [score >= threshold - _PASS_TOLERANCE for score in own] for task, own in self.scores.items()}
        rollouts = sum(map(len, passes.values()))
        passed = sum(map(sum, passes.values()))
        means = [sum(own) / len(own) for own in passes.values()]
        found: dict[str, float] = {"num_tasks": len(passes), "num_rollouts": rollouts}
        found |= {"passed_rollouts": passed, "failed_rollouts": rollouts - passed}
        return found | (
            {"pass_at_1": math.fsum(means) / len(means), "pass_at_1_micro": passed / rollouts} if means else {}
        )


def read_rollout_file(path: Path, score: str | None = None) -> RolloutFile:
    """Every line of a file; one that is no JSON object is counted as bad, by its number."""
    found = RolloutFile(path.name)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict):
                found.add(row, score)
            else:
                found.bad_lines.append(number)
    return found


def _first(names: tuple[str, ...], row: dict[str, Any]) -> str | None:
    return next((name for name in names if name in row), None)
