"""What is kept of a task, a rollout and rollouts that have something in common."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple


class Pair(NamedTuple):
    """So many of so many."""

    part: float
    whole: float


class TaskTruth(NamedTuple):
    """A task of one agent: measured and passed repeats, planned repeats, bucket, mean score, rollouts by outcome."""

    measured: int
    passed: int
    planned: int
    bucket: str
    mean: float | None = None
    outcomes: Mapping[str, int] = MappingProxyType({})

    @property
    def rollouts(self) -> int:
        """Rollouts of every outcome."""
        return sum(self.outcomes.values())


class RolloutTruth(NamedTuple):
    """A rollout: task, outcome, whether it passed, its failure mode, where its row stands, and what it measured."""

    task: str
    outcome: str
    passed: bool | None
    mode: str | None
    file: str | None
    line: int | None
    features: Mapping[str, float | None]


@dataclass
class Group:
    """Rollouts that have something in common."""

    rollouts: int = 0
    measured: int = 0
    passed: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: str, passed: bool | None, rollouts: int) -> None:
        """Takes rollouts in that ended alike."""
        self.outcomes[outcome] += rollouts
        if outcome == "unexpected":
            return
        self.rollouts += rollouts
        self.measured += rollouts * (outcome == "measured")
        self.passed += rollouts * bool(passed)
