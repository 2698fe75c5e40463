"""Reads the aggregates that NeMo Gym shipped beside the rows, for comparison with a recomputation."""

from typing import Any

from blade_pipeline.gym.documents import read_json
from blade_pipeline.gym.files import RunDirectory, RunFile
from blade_pipeline.gym.health import older_than_rows
from blade_pipeline.gym.identity import agent_of
from blade_pipeline.gym.values import mapping, number

ROLES = ("aggregate_metrics", "agent_metrics")
"""Files that hold the peer's numbers per agent: of the collection and of its profiler."""


def read_aggregates(run: RunDirectory) -> list[dict[str, Any]]:
    """Shipped numbers per file and agent.

    Returns:
        ``{"file": name, "agents": {name: {metric: number}}, "older": sentence or None, "problem": sentence or None}``
        per file; ``agents`` is empty for an unreadable one, and "agent" stands for an unnamed agent.

    Raises:
        BladeError: a file cannot be read.
    """
    return [_read(run, file) for file in run.having(*ROLES)]


def _read(run: RunDirectory, file: RunFile) -> dict[str, Any]:
    document, problem = read_json(file.path)
    agents: dict[str, dict[str, float]] = {}
    for entry in document if isinstance(document, list) else ():
        if isinstance(entry, dict):
            agents.setdefault(agent_of(entry) or "agent", {}).update(_numbers(entry))
    older = older_than_rows(run, file)
    return {"file": run.relative(file.path), "agents": agents, "older": older, "problem": problem}


def _numbers(entry: dict[str, Any]) -> dict[str, float]:
    """Of a collection's entry what its two blocks hold, of a profiler's flat one everything numeric."""
    blocks = {**mapping(entry.get("key_metrics")), **mapping(entry.get("agent_metrics"))}
    flat = {name: value for name, value in entry.items() if not name.startswith("_")}
    return {name: found for name, value in (blocks or flat).items() if (found := number(value)) is not None}
