"""Which rollouts of a task to read: a passing and a failing one, where each can be found, and where they part."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from blade_pipeline.method.first_difference import first_difference
from blade_pipeline.method.sql import query

Json = dict[str, Any]
Key = tuple[str, int, str]

_COLUMNS = (
    "agent stage task repeat rank outcome passed reason score file line offset length rollout_id output_items "
    "output_tokens response_digest answer_digest steps"
).split()

_CANDIDATES = """
    select samples.*, modes.mode from samples semi join chosen using (agent, stage, task)
    left join modes using (agent, stage, task, repeat)
    where samples.line is not null and samples.outcome in ('measured', 'unscored', 'masked')
    order by agent, stage, task, rank
"""
_SHOWN = "rollout_id repeat outcome reason score mode file line offset length".split()


def readings(aligned: pa.Table, tasks: Sequence[Key], modes: pa.Table) -> dict[Key, Json]:
    """What to read of each task: ``{first_difference, rollouts}``.

    Of a task with both outcomes the passing and the failing rollout closest in length, of one that never passes a
    failing one of its main mode and of middling length, else one whose score is open.
    """
    schema = pa.schema([aligned.schema.field(name) for name in ("agent", "stage", "task")])
    chosen = pa.Table.from_pylist([dict(zip(schema.names, task, strict=True)) for task in tasks], schema=schema)
    slim = modes.select(["agent", "stage", "task", "repeat", "mode"])
    rows = query(_CANDIDATES, samples=aligned.select(_COLUMNS), chosen=chosen, modes=slim).to_pylist()
    grouped: dict[Key, list[Json]] = {task: [] for task in tasks}
    for row in rows:
        grouped[row["agent"], row["stage"], row["task"]].append(row)
    return {task: _reading(found) for task, found in grouped.items()}


def _reading(rows: list[Json]) -> Json:
    passing = [row for row in rows if row["outcome"] == "measured" and row["passed"]]
    failing = [row for row in rows if row["outcome"] == "measured" and not row["passed"]]
    if passing and failing:
        pair = min(((good, bad) for good in passing for bad in failing), key=lambda pair: _apart(*pair))
        sentence, step = first_difference(*pair)
        roles = zip(("passing", "failing"), pair, strict=True)
        return {"first_difference": sentence, "rollouts": [_shown(role, row, step) for role, row in roles]}
    if failing:
        return {"first_difference": None, "rollouts": [_shown("failing", _middle(failing), None)]}
    opened = [row for row in rows if row["outcome"] != "measured"]
    return {"first_difference": None, "rollouts": [_shown(row["outcome"], row, None) for row in opened[:1]]}


def _apart(passing: Json, failing: Json) -> tuple[float, float, int, int]:
    """How unlike two rollouts are in length; unknown lengths come last."""
    gaps = [
        abs(passing[name] - failing[name]) if None not in (passing[name], failing[name]) else float("inf")
        for name in ("output_items", "output_tokens")
    ]
    return gaps[0], gaps[1], passing["rank"], failing["rank"]


def _middle(rows: list[Json]) -> Json:
    """The rollout of middling length among those of the most frequent mode, the earlier one of two."""
    modes = [row["mode"] or "" for row in rows]
    main = min(set(modes), key=lambda mode: (-modes.count(mode), mode))
    alike = sorted((row for row in rows if (row["mode"] or "") == main), key=_length)
    return alike[(len(alike) - 1) // 2]


def _length(row: Json) -> tuple[int, int, int]:
    return row["output_items"] or 0, row["output_tokens"] or 0, row["rank"]


def _shown(role: str, row: Json, step: int | None) -> Json:
    named = {name: row[name] for name in _SHOWN}
    return {"role": role, "rollout": named.pop("rollout_id"), **named, "step": step, "steps": _count(row["steps"])}


def _count(steps: str | None) -> int:
    found: Iterable[list[Any]] = json.loads(steps or "[]")
    return sum(int(step[2]) if step[0] == "omitted" else 1 for step in found)
