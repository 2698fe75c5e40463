"""Who a rollout is: agent, stage, task and repeat, as typed ids."""

from typing import Any, NamedTuple

from blade_pipeline.gym.values import integer, integers, text_or_none, texts, typed_id

_TASK_KEYS = ("_ng_task_index", "_task_index", "task_index")
REPEAT_KEYS = ("_ng_rollout_index", "_rollout_index", "rollout_index")
IDENTITY_KEYS = (*_TASK_KEYS, *REPEAT_KEYS, "agent_ref", "_ng_environment_server", "stage_index")
"""The keys that say which rollout a row is."""


class Identity(NamedTuple):
    """Identity columns; ``task`` and ``repeat`` are null where the row has no index."""

    agent: str | None
    server: str | None
    stage: int
    task: str | None
    repeat: str | None
    indexed: bool
    attempt: int
    rollout_id: str | None


def identity(row: dict[str, Any]) -> Identity:
    """Identity of a row of any of NeMo Gym's JSONL files; missing and unusable ids are null."""
    task = first_id(row, _TASK_KEYS)
    repeat = first_id(row, REPEAT_KEYS)
    return Identity(
        agent_of(row),
        text_or_none(row.get("_ng_environment_server")),
        _whole(row.get("stage_index")),
        task,
        repeat,
        task is not None and repeat is not None,
        _whole(row.get("_ng_attempt_index")),
        text_or_none(row.get("_ng_rollout_id")),
    )


def identity_columns(rows: list[dict[str, Any]], present: frozenset[str]) -> dict[str, list[Any]]:
    """Columns of ``Identity`` over rows with these keys; the usual case of integer indices takes the short way."""
    tasks = [row.get(_TASK_KEYS[0]) for row in rows]
    repeats = [row.get(REPEAT_KEYS[0]) for row in rows]
    if {*map(type, tasks), *map(type, repeats)} != {int}:
        return dict(zip(Identity._fields, map(list, zip(*map(identity, rows), strict=True)), strict=True))

    def over(name: str) -> list[Any]:
        return [row.get(name) for row in rows] if name in present else [None] * len(rows)

    return {
        "agent": texts(list(map(_agent, over("agent_ref")))),
        "server": texts(over("_ng_environment_server")),
        "stage": [number or 0 for number in integers(over("stage_index"))],
        "task": list(map(str, tasks)),
        "repeat": list(map(str, repeats)),
        "indexed": [True] * len(rows),
        "attempt": [number or 0 for number in integers(over("_ng_attempt_index"))],
        "rollout_id": texts(over("_ng_rollout_id")),
    }


def _whole(value: Any) -> int:
    return integer(value) or 0


def agent_of(row: dict[str, Any]) -> str | None:
    """Name of the agent that a row refers to."""
    return text_or_none(_agent(row.get("agent_ref")))


def _agent(reference: Any) -> Any:
    return reference.get("name") if isinstance(reference, dict) else reference


def first_id(row: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """Typed id under the first of these names that holds one."""
    for name in names:
        if name in row and (found := typed_id(row[name])) is not None:
            return found
    return None


def fallback_task(task_digest: str | None, prompt_digest: str | None, dataset_id: str | None, place: str) -> str:
    """Task of a row without an index: its content, else the dataset's id, else its place in the files."""
    content = task_digest or prompt_digest
    if content is not None:
        return f"digest:{content[:16]}"
    return f"id:{dataset_id}" if dataset_id is not None else f"line:{place}"


class Ranks:
    """Numbers the repeats of rows without a repeat index, per agent, stage and task in file order."""

    def __init__(self) -> None:
        self._next: dict[tuple[str | None, int, str], int] = {}

    def next(self, agent: str | None, stage: int, task: str) -> str:
        """Rank of the next index-less row of this task."""
        key = (agent, stage, task)
        rank = self._next.get(key, 0)
        self._next[key] = rank + 1
        return str(rank)
