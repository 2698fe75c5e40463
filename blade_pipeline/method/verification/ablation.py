"""The within-task counterfactuals of a run, recounted from its rows task by task."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from blade_pipeline.method.verification.evidence import Evidence

Key = tuple[str, int, str]


class Row(NamedTuple):
    """A row of the table: mean over tasks, its gain over the baseline, tasks it moves, tasks with nothing else.

    ``if_passed`` is the gain if the rollouts left out had passed.
    """

    pass_at_1: float
    gain: float
    moved: int
    stuck: int
    if_passed: float | None = None


class Ablation:
    """Passed, failed and planned rollouts of every task, the failed ones by their primary mode.

    A row leaves failed rollouts of some modes out of every task; a task that is left without any keeps them, and then
    has no pass. Only failed rollouts are ever left out, so no order among the modes is needed.
    """

    def __init__(self, evidence: Evidence, passed: Mapping[Key, int], measured: Mapping[Key, int]) -> None:
        documents = evidence.documents
        entries = (documents.get("failure_modes") or {}).get("modes") or []
        self._symptoms = [mode["code"] for mode in entries if mode.get("symptom")]
        keys = ("agent", "stage", "task")
        columns = (evidence.buckets[name].to_pylist() for name in (*keys, "planned"))
        self._planned: dict[Key, int] = {(a, s, t): planned for a, s, t, planned in zip(*columns, strict=True)}
        self._passed, self._measured = passed, measured
        self._only_failed = {mode["code"] for mode in entries if mode.get("symptom") and mode.get("passed_with") == 0}
        self._failed: dict[str, Counter[Key]] = defaultdict(Counter)
        self._shown: dict[str, Counter[Key]] = defaultdict(Counter)
        columns = (evidence.modes[name].to_pylist() for name in (*keys, "mode", "secondary"))
        for a, s, t, mode, others in zip(*columns, strict=True):
            self._failed[mode][a, s, t] += 1
            for code in {mode, *(others or "").split(",")}:
                self._shown[code][a, s, t] += 1
        self._base = {task: self._of(task) / planned for task, planned in self._planned.items()}
        labels = (documents.get("root_causes") or {}).get("labels") or []
        self._labels = [row for row in labels if row.get("bucket") != "always_pass"]

    @property
    def tasks(self) -> int:
        """How many tasks every row stands on."""
        return len(self._planned)

    @cached_property
    def rows(self) -> dict[str, Row]:
        """Every row by its path in ``metrics.json``."""
        unmeasured = {task: planned - self._measured.get(task, 0) for task, planned in self._planned.items()}
        every = Counter(unmeasured)
        for code in self._symptoms:
            every.update(self._failed[code])
        but_best = {task: self._planned[task] - passed for task, passed in self._passed.items() if passed}
        left_out: dict[str, Mapping[Key, int]] = {f"modes/{code}": self._failed[code] for code in self._symptoms}
        left_out |= {"baseline": {}, "no_score": unmeasured, "all_modes": every, "oracle": but_best}
        rows = {name: self._row(tasks) for name, tasks in left_out.items()}
        return rows | {
            name: row._replace(if_passed=self.share(left_out[name]))
            for name, row in rows.items()
            if name not in ("baseline", "oracle")
        }

    def share(self, rollouts: Mapping[Key, int]) -> float:
        """Mean over all tasks of the part of their planned repeats that so many rollouts are."""
        return math.fsum(part / self._planned[task] for task, part in rollouts.items() if part) / len(self._planned)

    def within_tasks(self, code: str) -> dict[str, float] | None:
        """Rollouts with a symptom and without it in the tasks that hold both; null where passed rollouts show it.

        Which passed rollouts show a symptom stands in no table.
        """
        if code not in self._only_failed:
            return None
        both = {task: shown for task, shown in self._shown[code].items() if shown < self._measured[task]}
        passed = [self._of(task) for task in both]
        without = [self._measured[task] - shown for task, shown in both.items()]
        found: dict[str, float] = {
            "tasks": len(both),
            "with": sum(both.values()),
            "with_passed": 0,
            "without": sum(without),
            "without_passed": sum(passed),
        }
        shares = [part / whole for part, whole in zip(passed, without, strict=True)]
        return found | ({"difference": math.fsum(shares) / len(shares)} if shares else {})

    def lost(self, label: str) -> tuple[float, float]:
        """What the tasks of a root cause lost, and of that what tasks lost which pass at least once."""
        return self.lost_by([row for row in self._labels if row["label"] == label])

    def passes(self, row: Mapping[str, Any]) -> bool:
        """Whether the task of a label passes in some repeat."""
        return self._of((row["agent"], row["stage"], row["task"])) > 0

    def lost_by(self, rows: Iterable[Mapping[str, Any]]) -> tuple[float, float]:
        """The same of the tasks of some labels."""
        chosen = [(row["agent"], row["stage"], row["task"]) for row in rows]
        losses = [(task, 1 - self._of(task) / self._planned[task]) for task in chosen if task in self._planned]
        return math.fsum(loss for _, loss in losses), math.fsum(loss for task, loss in losses if self._of(task))

    def _of(self, task: Key) -> int:
        return self._passed.get(task, 0)

    def _row(self, left_out: Mapping[Key, int]) -> Row:
        changed = {task: out for task, out in left_out.items() if out}
        risen = [self._of(task) / max(1, self._planned[task] - out) - self._base[task] for task, out in changed.items()]
        gain = math.fsum(risen) / len(self._base)
        moved = sum(self._of(task) > 0 for task in changed)
        stuck = sum(out == self._planned[task] for task, out in changed.items())
        return Row(math.fsum(self._base.values()) / len(self._base) + gain, gain, moved, stuck)


def ablation_numbers(found: Ablation | None) -> dict[str, float | None]:
    """The numbers of the block ``ablation`` of ``metrics.json`` by their path."""
    if found is None:
        return {"ablation": None}
    rows = found.rows
    numbers: dict[str, float | None] = {"ablation/tasks": found.tasks}
    for name, row in rows.items():
        numbers |= {
            f"ablation/{name}/pass_at_1": row.pass_at_1,
            f"ablation/{name}/task_scores": row.pass_at_1 * found.tasks,
            f"ablation/{name}/gain": row.gain,
            f"ablation/{name}/moved_tasks": row.moved,
            f"ablation/{name}/stuck_tasks": row.stuck,
            f"ablation/{name}/if_passed": row.if_passed,
        }
    for name in rows:
        within = found.within_tasks(name.removeprefix("modes/")) or {}
        numbers |= {f"ablation/{name}/within_tasks/{key}": value for key, value in within.items()}
    return numbers | {"ablation/unexplained": rows["oracle"].pass_at_1 - rows["all_modes"].pass_at_1}
