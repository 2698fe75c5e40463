"""What could be won if the rollouts that carry a cause passed, counted over all tasks: the one measure of causes."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from blade_pipeline.models import LABELS

Reason = tuple[str, str | None]
"""Why a rollout was lost, and how its answer is known to be right all the same."""


class Repair(NamedTuple):
    """The lost rollouts that carry a cause; ``numerator`` sums their share of the planned repeats over tasks."""

    rollouts: int
    tasks: list[str]
    numerator: float
    reasons: list[Reason]


def repairs(carried: Iterable[tuple[dict[str, Any], dict[str, list[Reason]]]]) -> dict[str, Repair]:
    """The rise over all tasks if every rollout that carries a cause passed, as a bound.

    Args:
        carried: each task (with ``task`` and ``planned`` repeats) and the reasons of its rollouts by the cause that
            they carry.

    Returns:
        By label, those only that some rollout carries.
    """
    found: dict[str, Repair] = {}
    for task, by_label in carried:
        for label, reasons in by_label.items():
            old = found.get(label, Repair(0, [], 0.0, []))
            share = len(reasons) / task["planned"]
            found[label] = Repair(
                old.rollouts + len(reasons), [*old.tasks, task["task"]], old.numerator + share, old.reasons + reasons
            )
    return found


def carried_by(task: dict[str, Any], entry: dict[str, Any] | None) -> dict[str, list[Reason]]:
    """Reasons of a task's lost rollouts by the cause that they carry.

    An analyst's label holds for all of them; under the label of a rule that reads whole tasks, such as one output with
    both verdicts, all are carried where none carries that cause itself. A label for want of another cause is carried
    by none.
    """
    own = entry["label"] if entry and entry["evident"] else None
    by_analyst = entry is not None and entry["by"] == "analyst"
    found: dict[str, list[Reason]] = {}
    for label in LABELS:
        rows = [] if by_analyst and label != own else [row for row in task["rollouts"] if row["cause"] == label]
        rows = rows or (task["rollouts"] if label == own else [])
        if rows and task["planned"]:
            found[label] = [(row["reason"], row["right"]) for row in rows]
    return found
