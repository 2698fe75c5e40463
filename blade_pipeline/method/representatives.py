"""Rollouts that stand for those that never pass: the medoid, the shortest and the longest, with their key events."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations, groupby, islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import row_numbers
from blade_pipeline.method.key_events import acts, key_events
from blade_pipeline.method.sql import records

Json = dict[str, Any]

MOST_GROUPS = 6
"""Tasks, or failure modes where each task ran once, that get representatives."""

COMPARED = 24
"""Rollouts of a group that are compared with each other, the first in dataset and repeat order."""

COMPARED_STEPS = 100
"""Steps of a rollout that are compared, with neighbours of one kind and tool as one."""

MOST_TRIED = 60
"""Groups whose steps are read to find those that have something to tell."""

_NEVER = """
    select samples.agent, samples.stage, samples.task, position, modes.mode, b.bucket
    from samples join b using (agent, stage, task) left join modes using (agent, stage, task, repeat)
    where samples.outcome = 'measured' and samples.told
        and (b.bucket = 'always_fail' or b.bucket = 'indeterminate' and b.passed = 0)
    order by b.bucket, b.stage, b."order", b.agent, samples.rank
"""
_KEY = ["agent", "stage", "task", "repeat"]
_COLUMNS = [*_KEY, *"file line rollout_id steps output_tokens incomplete_reason response_status".split()]


def representatives(aligned: pa.Table, buckets: pa.Table, modes: pa.Table) -> Json:
    """What to read of the tasks that never pass.

    A group is the measured rollouts of one task, the tasks of each main failure mode in turn; where no task ran twice
    it is the rollouts of one failure mode, the most frequent first. Of each group the medoid (the rollout whose steps
    are most like those of all the others), the shortest and the longest are taken; one rollout may be several of them.
    Steps are alike by kind, tool and whether they look like an error (difflib's ratio of matching steps); among
    rollouts equally like the rest the one nearest to the median length is the medoid. A group whose rollouts are one
    step each has no events to tell and is left out.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        buckets: ``OUTCOME_BUCKETS``.
        modes: ``FAILURE_MODES``.

    Returns:
        ``{groups, compared, compared_steps}``: the two caps, and per group ``{agent, stage, task, mode, rollouts,
        compared, likeness, shown}``; task or mode is null. ``likeness`` is the medoid's mean ratio to the others, null
        for a single rollout; an entry of ``shown`` is ``{roles, rollout, task, repeat, mode, file, line, steps,
        events}``.
    """
    told = pc.and_(pc.is_valid(aligned["steps"]), pc.not_equal(aligned["steps"], "[]"))
    slim = aligned.select([*_KEY, "rank", "outcome"]).append_column("position", row_numbers(aligned))
    rows = records(_NEVER, samples=slim.append_column("told", told), b=buckets, modes=modes.select([*_KEY, "mode"]))
    once = (pc.max(buckets["planned"]).as_py() or 0) <= 1
    groups = _by_mode(rows) if once else [*_by_task(rows, "always_fail"), *_by_task(rows, "indeterminate")]
    return {
        "groups": list(islice(_told(aligned.select(_COLUMNS), groups[:MOST_TRIED]), MOST_GROUPS)),
        "compared": COMPARED,
        "compared_steps": COMPARED_STEPS,
    }


def in_turn(main: Sequence[str]) -> list[int]:
    """Places of tasks so that each main failure mode comes in turn, the most frequent first."""
    places: dict[str, list[int]] = {}
    for place, mode in enumerate(main):
        places.setdefault(mode, []).append(place)
    queues = sorted(places.values(), key=len, reverse=True)
    return [queue[turn] for turn in range(len(main)) for queue in queues if turn < len(queue)]


def main_mode(modes: Sequence[str | None]) -> str:
    """The most frequent mode of a task's rollouts, the first in the alphabet of several; empty without any."""
    counted = Counter(mode for mode in modes if mode is not None)
    return min(counted, key=lambda mode: (-counted[mode], mode), default="")


def _by_task(rows: list[Json], bucket: str) -> list[tuple[Json, list[Json]]]:
    chosen = [row for row in rows if row["bucket"] == bucket]
    tasks = [list(found) for _, found in groupby(chosen, key=lambda row: (row["agent"], row["stage"], row["task"]))]
    order = in_turn([main_mode([row["mode"] for row in found]) for found in tasks])
    named = [{name: found[0][name] for name in ("agent", "stage", "task")} | {"mode": None} for found in tasks]
    return [(named[place], tasks[place]) for place in order]


def _by_mode(rows: list[Json]) -> list[tuple[Json, list[Json]]]:
    modes: dict[str | None, list[Json]] = {}
    for row in rows:
        modes.setdefault(row["mode"], []).append(row)
    groups = sorted(modes.items(), key=lambda item: -len(item[1]))
    return [({"agent": None, "stage": None, "task": None, "mode": mode}, found) for mode, found in groups]


def _told(aligned: pa.Table, groups: list[tuple[Json, list[Json]]]) -> Iterator[Json]:
    """The groups that have something to tell; the steps of one group at a time are held in memory."""
    for name, rows in groups:
        first = rows[:COMPARED]
        places = pa.array([row["position"] for row in first], pa.int64())
        own = [
            row | {"mode": slim["mode"], "steps": json.loads(row["steps"])}
            for slim, row in zip(first, aligned.take(places).to_pylist(), strict=True)
        ]
        if any(len(acts(row["steps"])) > 1 for row in own):
            yield {**name, "rollouts": len(rows), "compared": len(own), **_chosen(own)}


def _chosen(rows: list[Json]) -> Json:
    """The rollouts that stand for these, with their roles."""
    typical, likeness = _medoid(rows)
    lengths = [_length(row) for row in rows]
    roles: dict[int, list[str]] = {typical: ["typical"]}
    roles.setdefault(min(range(len(rows)), key=lambda place: lengths[place]), []).append("shortest")
    roles.setdefault(max(range(len(rows)), key=lambda place: (lengths[place], -place)), []).append("longest")
    return {"likeness": likeness, "shown": [_shown(named, rows[place]) for place, named in roles.items()]}


def _medoid(rows: list[Json]) -> tuple[int, float | None]:
    """Place of the rollout that is most like all the others, and how like it is on average."""
    sequences = [_tokens(row["steps"]) for row in rows]
    alike = [0.0] * len(rows)
    for one, other in combinations(range(len(rows)), 2):
        ratio = _ratio(sequences[one], sequences[other])
        alike[one] += ratio
        alike[other] += ratio
    lengths = sorted(_length(row) for row in rows)
    middle = lengths[(len(lengths) - 1) // 2]
    best = min(range(len(rows)), key=lambda place: (-round(alike[place], 9), _apart(_length(rows[place]), middle)))
    return best, alike[best] / (len(rows) - 1) if len(rows) > 1 else None


def _ratio(one: list[str], other: list[str]) -> float:
    return 1.0 if one == other else SequenceMatcher(None, one, other, autojunk=False).ratio()


def _tokens(steps: list[list[Any]]) -> list[str]:
    """The steps to compare: reasoning left out, neighbours of one kind and tool as one."""
    named = [f"{step[0]} {step[1]} {bool(step[4])}" for step in steps if step[0] != "reasoning"]
    return [token for token, _ in groupby(named)][:COMPARED_STEPS]


def _length(row: Json) -> tuple[int, int]:
    return step_count(row["steps"]), row["output_tokens"] or 0


def _apart(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return abs(one[0] - other[0]), abs(one[1] - other[1])


def step_count(steps: list[list[Any]]) -> int:
    """How many steps a rollout took, those that its list leaves out included."""
    return sum(int(step[2]) if step[0] == "omitted" else 1 for step in steps)


def _shown(roles: list[str], row: Json) -> Json:
    named = {name: row[name] for name in ("agent", "stage", "task", "repeat", "mode", "file", "line")}
    stop = row["incomplete_reason"] or row["response_status"]
    events = key_events(row["steps"], stop)
    return {"roles": roles, "rollout": row["rollout_id"], **named, "steps": step_count(row["steps"]), "events": events}
