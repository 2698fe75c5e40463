"""Coverage by task: how many tasks have a score at all, and how many have every expected one."""

from collections.abc import Sequence
from typing import Any

from blade_pipeline.method.tasks import RELATED
from blade_pipeline.statistics import wilson

LEVEL = 0.95
UNKNOWN = "no file says which tasks were expected"
NONE = "no task was expected"


def task_coverage(by_task: Sequence[dict[str, Any]], known: bool, *, independent: bool) -> dict[str, dict[str, Any]]:
    """Tasks with a measured rollout (``measured``), and with every expected rollout measured (``complete``).

    Args:
        by_task: the accounting of each task.
        known: whether something says what was expected.
        independent: whether the tasks are independent draws.

    Returns:
        For each the count ``tasks``, ``of`` expected tasks, their ``share``, and Wilson's interval (1927) for the
        share of new tasks of the same kind; null with the reason where nothing was expected or known to be. Where
        tasks are not independent the interval alone is null.
    """
    tasks = [row for row in by_task if row["expected"]]
    complete = sum(row["measured"] == row["expected"] for row in tasks)
    found = {"measured": sum(row["measured"] > 0 for row in tasks), "complete": complete}
    return {name: _share(count, len(tasks), known, independent) for name, count in found.items()}


def _share(count: int, total: int, known: bool, independent: bool) -> dict[str, Any]:
    shared = {"level": LEVEL, "method": "Wilson", "question": "new_tasks"}
    if not total:
        reason = NONE if known else UNKNOWN
        return {"tasks": None, "of": None, "share": None, "low": None, "high": None, **shared, "reason": reason}
    low, high = wilson(count, total, LEVEL) if independent else (None, None)
    counted = {"tasks": count, "of": total, "share": count / total, "low": low, "high": high}
    return counted | shared | {"reason": None if independent else RELATED}
