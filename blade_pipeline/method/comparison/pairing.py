"""Which task of one run is which task of another: by content, else by dataset id, else by index.

An index says nothing about content, so it pairs tasks only where a side carries no content to go by.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from blade_pipeline.method.comparison.side import Side

Unit = tuple[str, int, str]
"""Agent (or ``*`` when agents are not told apart), stage, task."""


@dataclass(frozen=True)
class Pairing:
    """How the tasks of two runs were matched.

    Attributes:
        method: ``content``, ``prompt``, ``dataset id`` or ``index``; ``none`` when nothing pairs.
        a: row numbers of the paired tasks in the first run's per-task table.
        b: their counterparts in the second run's table, in the same order.
        only_a: tasks of the first run without a counterpart.
        only_b: tasks of the second run without a counterpart.
        renumbered: pairs whose tasks stand under different indices in the two runs.
        changed: tasks under one index in both runs whose content differs.
        changed_prompts: those of them whose prompt differs.
        changed_answers: those of them whose expected answer differs.
    """

    method: str
    a: list[int]
    b: list[int]
    only_a: int
    only_b: int
    renumbered: int
    changed: list[str]
    changed_prompts: list[str]
    changed_answers: list[str]

    @property
    def replaced(self) -> list[str]:
        """Changed tasks that are other tasks: prompt and answer differ, or neither does and other fields do."""
        prompts, answers = set(self.changed_prompts), set(self.changed_answers)
        return [task for task in self.changed if (task in prompts) == (task in answers)]

    def summary(self) -> dict[str, object]:
        """The counts as the report shows them."""
        return {
            "method": self.method,
            "common": len(self.a),
            "only_a": self.only_a,
            "only_b": self.only_b,
            "changed_content": len(self.changed),
        }


def pair_tasks(a: Side, b: Side) -> Pairing:
    """Match the tasks of two runs, each task at most once.

    Where several tasks of a run share one content, they pair in the order of the dataset.
    """
    agents = max(a.once(_agents), b.once(_agents)) > 1
    left, right = a.once(_units, agents), b.once(_units, agents)
    method, matched = _first_match(a, b, agents)
    paired_a = [pair[0] for pair in matched]
    unpaired = set(range(len(left))) - set(paired_a)
    changed = _changed(a, b, left, right, unpaired)
    paired_b = [pair[1] for pair in matched]
    only_a, only_b = len(left) - len(matched), len(right) - len(matched)
    renumbered = sum(left[one] != right[other] for one, other in matched)
    return Pairing(method, paired_a, paired_b, only_a, only_b, renumbered, *changed)


def _first_match(a: Side, b: Side, agents: bool) -> tuple[str, list[tuple[int, int]]]:
    """The strongest identity under which any task pairs, and the pairs it makes; ``agents`` are told apart or not."""
    for method, column in (("content", "pair_digest"), ("prompt", "prompt_digest"), ("dataset id", "dataset_id")):
        matched = _matched(a.once(_keys, column, agents), b.once(_keys, column, agents))
        if matched:
            return method, matched
    if a.once(_has_content) and b.once(_has_content):
        return "none", []
    matched = _matched(a.once(_units, agents), b.once(_units, agents))
    return ("index" if matched else "none"), matched


def _agents(side: Side) -> int:
    """How many agents a run has: they name different tasks' results only where there are several."""
    return len(side.per_task["agent"].unique())


def _units(side: Side, agents: bool) -> list[Unit]:
    table = side.per_task
    names = table["agent"].to_pylist() if agents else ["*"] * table.num_rows
    return list(zip(names, table["stage"].to_pylist(), table["task"].to_pylist(), strict=True))


def _keys(side: Side, column: str, agents: bool) -> list[Hashable | None]:
    units, values = side.once(_units, agents), side.per_task[column].to_pylist()
    return [None if value is None else (unit[0], unit[1], value) for unit, value in zip(units, values, strict=True)]


def _matched(a: Sequence[Hashable | None], b: Sequence[Hashable | None]) -> list[tuple[int, int]]:
    waiting: dict[Hashable, list[int]] = {}
    for position, key in enumerate(b):
        if key is not None:
            waiting.setdefault(key, []).append(position)
    pairs = []
    for position, key in enumerate(a):
        if key is not None and waiting.get(key):
            pairs.append((position, waiting[key].pop(0)))
    return pairs


def _has_content(side: Side) -> bool:
    table = side.per_task
    unknown = table["prompt_digest"].null_count + table["pair_digest"].null_count
    return bool(table.num_rows > 0 and unknown == 0)


def _changed(
    a: Side, b: Side, left: Sequence[Unit], right: Sequence[Unit], unpaired: set[int]
) -> tuple[list[str], list[str], list[str]]:
    """Unpaired tasks that share an index and not the content; of them the changed prompts and changed answers."""
    content_a, content_b = a.once(_contents), b.once(_contents)
    at = {unit: position for position, unit in enumerate(right)}
    changed: list[str] = []
    prompts: list[str] = []
    answers: list[str] = []
    for position in sorted(unpaired):
        other = at.get(left[position])
        if other is None or not content_a[position].differs(content_b[other]):
            continue
        task = left[position][2]
        changed.append(task)
        if content_a[position].prompt_differs(content_b[other]):
            prompts.append(task)
        if content_a[position].answer != content_b[other].answer:
            answers.append(task)
    return changed, prompts, answers


class _Content(NamedTuple):
    """Digests of one task's content: all of it, the prompt with the answer, the first turn, the answer."""

    whole: str | None
    stated: str | None
    opening: str | None
    answer: str | None

    def differs(self, other: "_Content") -> bool:
        """Whether the contents differ by the best identity that both sides know."""
        if self.whole and other.whole and self.whole.split(":")[0] == other.whole.split(":")[0]:
            return self.whole != other.whole
        return self.stated is not None and other.stated is not None and self.stated != other.stated

    def prompt_differs(self, other: "_Content") -> bool:
        """Whether the prompts differ: by their first turn, else, under equal answers, by all turns."""
        if self.opening and other.opening and self.opening != other.opening:
            return True
        return self.answer == other.answer and self.stated != other.stated


def _contents(side: Side) -> list[_Content]:
    names = ("pair_digest", "prompt_digest", "opening_digest", "answer_key_digest")
    return [_Content(*row) for row in zip(*(side.per_task[name].to_pylist() for name in names), strict=True)]
