"""What a task opens: one passing and one failing rollout, step by step."""

import json
from typing import Any

from blade_pipeline.reporting.blocks import Reading
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, plural
from blade_pipeline.reporting.text import clean, clean_lines
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.traits import Key, task_key

MOST_BYTES = 2_500_000
"""Bytes of all excerpts in one page."""

BOUNDS = (
    "at most 40 steps of a rollout, at most 240 characters of a step and 800 of the last, without what looks like a "
    "secret or an address; the whole text is in the run's files"
)
TITLES = {"passing": "Passing", "failing": "Failing"}


class Readings:
    """The tasks of a run that can be opened, as plain data within a bound."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._places: dict[Key, int] = {}
        self._tasks: list[Json] = []
        self._size = 0
        table = evidence.inputs.excerpts
        for sides in _by_task(table.to_pylist() if table is not None else []):
            self._add(sides)

    def _add(self, sides: list[Json]) -> None:
        found = self._task(sides)
        self._size += len(json.dumps(found, ensure_ascii=False).encode())
        if self._size <= MOST_BYTES:
            self._places[task_key(sides[0])] = len(self._tasks)
            self._tasks.append(found)

    def place(self, task: Json) -> int | None:
        """Which entry a task opens; null where it opens none."""
        return self._places.get(task_key(task))

    def reading(self, tasks: int) -> Reading | None:
        """The data with a note on its bounds; null where no task can be opened."""
        if not self._tasks:
            return None
        note = (
            f"{count(len(self._tasks))} of {plural(tasks, 'task')} can be opened to read one passing and one failing "
        )
        return Reading(f"{note}rollout side by side: {BOUNDS}.", tuple(self._tasks))

    def _task(self, sides: list[Json]) -> Json:
        first = sides[0]
        name = "".join(piece.text for piece in self._evidence.task_name(first))
        return {
            "name": f"Task {name}",
            "question": clean_lines(first["question"] or ""),
            "difference": clean(first["first_difference"] or "", 400).replace("`", ""),
            "step": first["step"],
            "sides": [_side(row) for row in sides],
        }


def _by_task(rows: list[Json]) -> list[list[Json]]:
    found: dict[Key, list[Json]] = {}
    for row in rows:
        found.setdefault(task_key(row), []).append(row)
    return list(found.values())


def _side(row: Json) -> Json:
    score = "" if row["score"] is None else f", score {decimal(row['score'])}"
    stop = f", {clean(row['stop'])}" if row["stop"] else ""
    return {
        "title": f"{TITLES[row['side']]}: rollout {clean(row['rollout_id'])}",
        "place": f"{clean(row['file'])} line {row['line']}, byte {row['offset']}{score}{stop}",
        "unread": row["unread"] or "",
        "steps": [_step(step) for step in json.loads(row["steps"] or "[]")],
    }


def _step(step: list[Any]) -> list[Any]:
    number, kind, name, size, status, error, text = step
    shown = kind.replace("_", " ")
    what = f"{plural(size, 'step')} left out" if kind == "omitted" else f"{shown} {name}" if name else shown
    length = "" if kind == "omitted" else plural(size, "character")
    return [number, clean(what), length, clean(status or ""), error, clean_lines(text)]
