"""Reads the rollouts files of a package, every line accounted for."""

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blade_pipeline.rewards import LARGEST
from blade_pipeline.statistics import PASS_TOLERANCE

TASK_FIELDS = ("_ng_task_index", "_task_index", "task_id", "task_name", "task_index")
ROLLOUT_FIELDS = ("_ng_rollout_index", "_rollout_index", "rollout_index", "rollout_id")
REWARD_FIELDS = ("reward", "score")


Identity = tuple[str, str, str, str]
"""Agent, stage, task and repeat."""

Attempt = tuple[float, float | None]
"""Which attempt a row is, and its score if that is a measurement."""


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
    attempts: dict[Identity, list[Attempt]] = field(default_factory=lambda: defaultdict(list))
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
        repeat = str(row[self.rollout_field]) if self.rollout_field in row else f"line {self.records}"
        if self.rollout_field in row:
            self.rollouts.add(f"{task}-{repeat}")
        agent = row["agent_ref"].get("name") if isinstance(row.get("agent_ref"), dict) else None
        attempt = row.get("_ng_attempt_index")
        number = float(attempt) if isinstance(attempt, (int, float)) else 0.0
        score_of = _measured(row, row.get(score or self.reward_field or ""))
        self.attempts[str(agent), str(row.get("stage_index", 0)), task, repeat].append((number, score_of))

    def figures(self, threshold: float) -> dict[str, float]:
        """Tasks, rollouts, passes and pass@1 (mean over tasks and over rollouts) of the measured rows."""
        passes: dict[tuple[str, ...], list[bool]] = defaultdict(list)
        for identity, attempts in self.attempts.items():
            latest = {score for attempt, score in attempts if attempt == max(number for number, _ in attempts)}
            only = latest.pop() if len(latest) == 1 else None
            if only is not None:
                passes[identity[:3]].append(only >= threshold - PASS_TOLERANCE)
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
            row = _row(line)
            if row is None:
                found.bad_lines.append(number)
            else:
                found.add(row, score)
    return found


def object_lines(path: Path) -> Iterator[bytes | None]:
    """Every line that holds a JSON object, with its newline; None for one that holds something else."""
    with path.open("rb") as lines:
        for line in lines:
            if line.strip():
                yield line.rstrip(b"\r\n") + b"\n" if _row(line) is not None else None


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _first(names: tuple[str, ...], row: dict[str, Any]) -> str | None:
    return next((name for name in names if name in row), None)


def _measured(row: dict[str, Any], value: Any) -> float | None:
    """A finite score of a row that is not masked."""
    nested = row.get("instance_config")
    flags = row if "mask_sample" in row or not isinstance(nested, dict) else nested
    masked = flags.get("mask_sample", False)
    fits = isinstance(value, (int, float)) and math.isfinite(value) and abs(value) < LARGEST
    return float(value) if fits and not (isinstance(masked, (bool, int, float)) and masked) else None
