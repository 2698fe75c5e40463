"""What the rows say of each slice of the tasks, recounted: its tasks, pass@1 and interval, and its failure modes."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from blade_pipeline.method.slice_tests import FEWEST_UNITS
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.records import Pair
from blade_pipeline.method.verification.slices_apart import SlicesApart
from blade_pipeline.statistics import Interval, score_interval

Slice = tuple[str, str]
_MODE = re.compile(rf"(?:⟦(?P<mode>\d+)⟧|(?P<others>others)) (?P<k>{N}) of (?P<n>{N})(?=,|$)")


class _Task(NamedTuple):
    measured: int
    passed: int
    family: str


class Sliced:
    """Recounts slices task by task."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.apart = SlicesApart(evidence, lambda: self._members)

    def numbers(self, name: Slice) -> dict[str, float | None]:
        """The numbers of a slice by the names of ``metrics.json``; empty for one that no task belongs to."""
        tasks = self._tasks.get(name)
        if tasks is None:
            return {}
        some = [task for task in tasks if task.measured]
        rates = [task.passed / task.measured for task in some]
        return {
            "total_tasks": len(tasks),
            "total_rollouts": self._rollouts[name],
            "num_tasks": len(some),
            "num_rollouts": sum(task.measured for task in some),
            "passed_rollouts": sum(task.passed for task in some),
            "never_pass_tasks": sum(not task.passed for task in some),
            "pass_at_1": math.fsum(rates) / len(rates) if rates else None,
        }

    def interval(self, name: Slice) -> Interval:
        """The interval of its pass@1 for new tasks; its ends are null where there are too few."""
        some = [task for task in self._tasks.get(name, []) if task.measured]
        families = [task.family for task in some]
        clusters = families if len({*families}) < len(families) else None
        found = score_interval([task.passed / task.measured for task in some], clusters=clusters)
        return found if found.n >= FEWEST_UNITS else score_interval([])

    def modes(self, name: Slice) -> Counter[str]:
        """Its failed rollouts by primary failure mode."""
        return self._modes.get(name, Counter())

    def claims(self, cell: Cell) -> Iterator[Claim]:
        """The number of tasks, pass@1 and the ends of its interval, in the row of a slice."""
        name = slice_of(cell)
        right = self.numbers(name)
        if not right:
            return
        if "Mean score" in cell.table.header or cell.heading == "stands apart":
            yield from self.apart.claims(cell, name)
        what, lone = f"{cell.heading} of {cell.name}", cell.lone
        if cell.heading == "tasks" and lone is not None:
            yield from claim(lone, exactly(right["total_tasks"], what))
        elif cell.heading == "pass@1" and lone is not None:
            yield from claim(lone, _percent(right["pass_at_1"], what))
        elif cell.heading.startswith("interval") and "Mean score" not in cell.table.header:
            found = self.interval(name)
            for figure, end in zip(cell.figures.values(), (found.low, found.high), strict=False):
                yield from claim(figure, _percent(end, what) or exactly(math.nan, f"{what}: none"))
        elif cell.heading.startswith("primary failure modes"):
            yield from self._mode_claims(cell, self.modes(name))

    def never_pass(self, name: Slice) -> Pair | None:
        """Its measured tasks without a passing rollout, of all measured ones."""
        right = self.numbers(name)
        return Pair(right["never_pass_tasks"] or 0, right["num_tasks"] or 0) if right else None

    def is_mode(self, name: str) -> bool:
        """Whether a rollout has a failure mode of this name; one that is shown redacted or shortened is not known."""
        return any(name in modes for modes in self._modes.values())

    def _mode_claims(self, cell: Cell, modes: Counter[str]) -> Iterator[Claim]:
        named = [cell.said.spans[int(found["mode"])] for found in _MODE.finditer(cell.said.text) if found["mode"]]
        others = modes.total() - sum(modes[mode] for mode in named)
        for found in _MODE.finditer(cell.said.text):
            mode = cell.said.spans[int(found["mode"])] if found["mode"] else None
            part = others if mode is None else modes[mode]
            if not all(map(self.is_mode, named if mode is None else [mode])):
                continue
            for group, right in (("k", part), ("n", modes.total())):
                figure = cell.figures.get(found.start(group))
                if figure is not None:
                    yield from claim(figure, exactly(right, f"{mode or 'other modes'} in {cell.name}"))

    @cached_property
    def _members(self) -> dict[tuple[str, int, str], tuple[list[Slice], str]]:
        """The slices and the family of each task."""
        table = self._evidence.aligned.select(["agent", "stage", "task", "outcome", "slices", "family"])
        seen = dict.fromkeys(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return {
            (agent, stage, task): (slices_of(slices), family or f"task {task}")
            for agent, stage, task, outcome, slices, family in seen
            if outcome != "unexpected"
        }

    @cached_property
    def _tasks(self) -> dict[Slice, list[_Task]]:
        measured: Counter[Any] = Counter()
        passed: Counter[Any] = Counter()
        table = self._evidence.aligned.select(["agent", "stage", "task", "outcome", "passed"])
        for *task, outcome, good in zip(*(column.to_pylist() for column in table.columns), strict=True):
            measured[tuple(task)] += outcome == "measured"
            passed[tuple(task)] += outcome == "measured" and bool(good)
        found: dict[Slice, list[_Task]] = defaultdict(list)
        for key, (slices, family) in self._members.items():
            for name in slices:
                found[name].append(_Task(measured[key], passed[key], family))
        return found

    @cached_property
    def _rollouts(self) -> Counter[Slice]:
        table = self._evidence.aligned.select(["outcome", "slices"])
        alike = Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))
        found: Counter[Slice] = Counter()
        for (outcome, slices), rollouts in alike.items():
            for name in slices_of(slices) if outcome != "unexpected" else ():
                found[name] += rollouts
        return found

    @cached_property
    def _modes(self) -> dict[Slice, Counter[str]]:
        table = self._evidence.modes.select(["agent", "stage", "task", "mode"])
        found: dict[Slice, Counter[str]] = defaultdict(Counter)
        for *task, mode in zip(*(column.to_pylist() for column in table.columns), strict=True):
            for name in self._members[tuple(task)][0]:
                found[name][mode] += 1
        return found


def slice_of(cell: Cell) -> Slice:
    """Field and value that name the row of a cell."""
    field, _, value = cell.name.partition(" = ")
    return field, value


def slices_of(text: str | None) -> list[Slice]:
    """Field and value of each slice in a cell of the column ``slices``."""
    return [(field, str(value)) for field, value in json.loads(text or "{}").items()]


def _percent(value: float | None, what: str) -> list[Any]:
    return exactly(None if value is None else 100 * value, what)
