"""What a story is: a function that plants something into a healthy run and states what it planted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from blade_pipeline.example.benchmark import Benchmark, Json, Task
from blade_pipeline.example.draws import Draws

Kind = Literal[
    "mode", "concentration", "skipped_tool", "outage", "verifier_conflict", "truncation", "thrashing"
]  # fmt: skip
Key = tuple[int, int]


class Statement(NamedTuple):
    """One thing that is true of a run because it was planted.

    ``where`` names what the statement is about: ``{"field": ..., "value": ...}`` for a slice of the tasks,
    ``{"tool": ...}`` for a tool, ``{"repeat": ...}`` for a repeat, else nothing. ``rollouts`` are all those that it
    speaks of, as (task, repeat).
    """

    kind: Kind
    where: dict[str, Any]
    rollouts: list[Key]

    def as_dict(self) -> Json:
        """The statement as ``truth.json`` holds it."""
        return {"kind": self.kind, "where": self.where, "rollouts": [list(key) for key in sorted(self.rollouts)]}


@dataclass
class Rollout:
    """One rollout of a healthy run, which a story may change in any part.

    Attributes:
        task: its task; ``task.fields`` holds the dataset's columns, ``task.facts`` what only the process knows.
        repeat: number of the repeat, from 0.
        passed: whether the reward is 1; else it is 0.
        output: the response's output items, in the shape of the Responses API.
        verifier: the fields that the verifier leaves in the row beside the reward.
        incomplete: reason why the response is incomplete; null when it is complete.
        response: fields laid over the row's response (``error``, ``status``, ``finish_reason`` and the like).
        thinking: reasoning tokens that no item shows.
        failure: what the failures sidecar says of a rollout that left no row: ``failure_class``, ``terminal``,
            ``attempts``, ``stage``, ``type``, ``http_status`` and ``message``.
        missing: whether no file knows of the rollout.
    """

    task: Task
    repeat: int
    passed: bool
    output: list[Json]
    verifier: Json
    incomplete: str | None = None
    response: Json = field(default_factory=dict)
    thinking: int = 0
    failure: Json | None = None
    missing: bool = False

    @property
    def key(self) -> Key:
        """Task and repeat."""
        return self.task.index, self.repeat

    def without(self, tool: str) -> None:
        """Take out every call of a tool, and its outputs."""
        gone = {item["call_id"] for item in self.output if item.get("name") == tool}
        self.output = [item for item in self.output if item.get("call_id") not in gone]


class Setting(NamedTuple):
    """A benchmark and the rollouts of a run in which nothing is planted."""

    benchmark: Benchmark
    healthy: Callable[[Draws, Task, int], Rollout]


class Story(NamedTuple):
    """A story by name; ``plant`` changes the rollouts of a healthy run and states what is true of them then.

    The run is one of ``setting``, or of ``records_desk`` where a story names none.
    """

    name: str
    summary: str
    plant: Callable[[Draws, list[Rollout]], list[Statement]]
    setting: Setting | None = None


def keys(rollouts: Iterable[Rollout]) -> list[Key]:
    """Task and repeat of each."""
    return [rollout.key for rollout in rollouts]


def passing(rollouts: Iterable[Rollout]) -> list[Rollout]:
    """Those that pass."""
    return [rollout for rollout in rollouts if rollout.passed]


def drawn(draws: Draws, rollouts: Iterable[Rollout], share: float) -> list[Rollout]:
    """Some of the rollouts, each with the same chance."""
    return [rollout for rollout in rollouts if draws.uniform() < share]


def share(draws: Draws, least: int, most: int) -> float:
    """A share between two percentages, so that a story is stronger in one run than in another."""
    return draws.between(least, most) / 100


def values(rollouts: Iterable[Rollout], name: str) -> list[str]:
    """The different values of a field of the tasks, in alphabetical order."""
    return sorted({str(rollout.task.fields[name]) for rollout in rollouts})
