"""Reads the aggregate that NeMo Gym shipped beside the rows, for comparison with a recomputation."""

from typing import Any

from blade_pipeline.gym.documents import read_json
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.health import older_than_rows
from blade_pipeline.gym.identity import agent_of
from blade_pipeline.gym.values import mapping, number


def read_aggregate(run: RunDirectory) -> dict[str, Any]:
    """Shipped numbers per agent.

    Returns:
        ``{"files": [name], "agents": {name: {metric: number}}, "stale": sentence or None, "problems": [sentence]}``;
        ``agents`` is empty when the run has no readable aggregate, and "agent" stands for an unnamed one.

    Raises:
        BladeError: a file cannot be read.
    """
    files = run.having("aggregate_metrics")
    agents: dict[str, dict[str, float]] = {}
    problems: list[str] = []
    for file in files:
        document, problem = read_json(file.path)
        if problem is not None:
            problems.append(problem)
        for entry in document if isinstance(document, list) else ():
            if isinstance(entry, dict):
                agents.setdefault(agent_of(entry) or "agent", {}).update(_numbers(entry))
    stale = next((sentence for file in files if (sentence := older_than_rows(run, file))), None)
    return {
        "files": [run.relative(file.path) for file in files],
        "agents": agents,
        "stale": stale,
        "problems": problems,
    }


def _numbers(entry: dict[str, Any]) -> dict[str, float]:
    metrics = {**mapping(entry.get("key_metrics")), **mapping(entry.get("agent_metrics"))}
    return {name: found for name, value in metrics.items() if (found := number(value)) is not None}
