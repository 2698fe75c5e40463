"""What a task can be found by: its bucket, failure modes, root cause, slices and change against the baseline."""

import json
from collections import Counter
from functools import cached_property
from typing import Any

from blade_pipeline.reporting.blocks import Filter
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import plural
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.evidence import Evidence

Key = tuple[Any, ...]
SLICE_VALUES = 24
"""Values up to which a slice field can be chosen by."""
OPTIONS = 60
"""Options of one filter; rarer ones can still be searched for."""
UNLABELLED = "unlabelled"
FLIPS = {"gained": "gained", "lost": "lost", "unchanged": "unchanged", "new": "not in the baseline"}


def task_key(row: Json) -> Key:
    """What tells tasks of a run apart."""
    return row["agent"], row["stage"], row["task"]


class Traits:
    """Look-ups of what the tasks of one run can be found by."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    @cached_property
    def modes(self) -> dict[Key, Counter[str]]:
        """Failed rollouts of each task by failure mode."""
        found: dict[Key, Counter[str]] = {}
        for row in self._evidence.inputs.modes_table.select(["agent", "stage", "task", "mode"]).to_pylist():
            found.setdefault(task_key(row), Counter())[row["mode"]] += 1
        return found

    @cached_property
    def paired(self) -> dict[Key, Json]:
        """Tasks that the baseline has too, with both counts."""
        table = self._evidence.inputs.paired
        return {task_key(row): row for row in table.to_pylist()} if table is not None else {}

    @cached_property
    def slices(self) -> dict[Key, tuple[str, ...]]:
        """``field = value`` of each task, for fields with few enough values to choose from."""
        rows = self._evidence.inputs.per_task.select(["agent", "stage", "task", "slices"]).to_pylist()
        parsed = {task_key(row): json.loads(row["slices"] or "{}") for row in rows}
        values: dict[str, set[str]] = {}
        for found in parsed.values():
            for field, value in found.items():
                values.setdefault(field, set()).add(str(value))
        few = {field for field, seen in values.items() if 1 < len(seen) <= SLICE_VALUES}
        return {
            key: tuple(f"{field} = {value}" for field, value in sorted(found.items()) if field in few)
            for key, found in parsed.items()
        }

    def label(self, task: Json) -> str:
        """The root cause of a task, or that it has none."""
        found = self._evidence.label_of(task)
        return str(found["label"]) if found else UNLABELLED

    def flip(self, task: Json) -> str:
        """Whether the task's share of passed rollouts rose or fell against the baseline's; empty without one."""
        if not self.paired:
            return ""
        difference = (self.paired.get(task_key(task)) or {}).get("difference")
        if difference is None:
            return "new"
        return "gained" if difference > 0 else "lost" if difference < 0 else "unchanged"

    def keys(self, task: Json) -> tuple[tuple[str, ...], ...]:
        """What the task is found under, in the order of the filters."""
        key = task_key(task)
        flip = self.flip(task)
        return (
            (task["bucket"],),
            tuple(self.modes.get(key, ())),
            (self.label(task),),
            self.slices.get(key, ()),
            (flip,) if flip else (),
        )

    def filters(self, tasks: list[Json]) -> tuple[Filter, ...]:
        """One filter per trait, its options with the number of tasks; empty ones have no options."""
        titles = ("Bucket", "Failure mode", "Root cause", "Slice", "Against baseline")
        counted: list[Counter[str]] = [Counter() for _ in titles]
        for task in tasks:
            for counter, names in zip(counted, self.keys(task), strict=True):
                counter.update(names)
        words = {**self._evidence.bucket_words, **FLIPS, UNLABELLED: "not labelled"}
        return tuple(Filter(title, _options(counter, words)) for title, counter in zip(titles, counted, strict=True))


def _options(counter: Counter[str], words: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The most frequent names in alphabetical order; the order of ``words`` comes first."""
    order = {name: place for place, name in enumerate(words)}
    kept = sorted(counter, key=lambda name: (-counter[name], name))[:OPTIONS]
    shown = sorted(kept, key=lambda name: (order.get(name, len(order)), name))
    return tuple((name, f"{clean(words.get(name, name), 60)} ({plural(counter[name], 'task')})") for name in shown)
