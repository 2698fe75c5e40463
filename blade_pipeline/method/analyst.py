"""An analyst's label file, matched to the tasks and rollouts of its run."""

import difflib
from collections.abc import Mapping
from typing import Any

import orjson
import pyarrow as pa

from blade_pipeline.method.sql import records
from blade_pipeline.models import BladeError

_MOST_LISTED = 10
_OF_FAILURE = ("KG", "UK", "BI", "IR")
"""Labels that say why rollouts fail; TI and DA may be true of a task that always passes."""

_TASKS = "select distinct task, dataset_id from samples order by task, dataset_id"
_ROLLOUTS = """
    select coalesce(rollout_id, task || '-' || repeat) as rollout, bool_and(passed) as passed
    from samples group by rollout
"""


class AnalystLabels:
    """The labels of one run; a task is named by its typed id, by the value behind it, or by its dataset id."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._labels: list[dict[str, Any]] = list(document.get("labels") or [])
        self._by_name: dict[str, list[int]] = {}
        for number, label in enumerate(self._labels):
            for name in _names(label["task"]):
                self._by_name.setdefault(name, []).append(number)
        self._used: set[int] = set()
        self._replaced: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._labels)

    def of(self, task: str, dataset_id: str | None) -> dict[str, Any] | None:
        """The label of a task, the later one when there are two; null without one."""
        numbers = {number for name in (task, dataset_id) if name is not None for number in self._by_name.get(name, ())}
        if not numbers:
            return None
        self._used |= numbers
        last = max(numbers)
        self._replaced |= dict.fromkeys(numbers - {last}, last)
        return self._labels[last]

    def unmatched(self) -> list[str]:
        """Tasks of labels that no task of the run answered to."""
        return [str(label["task"]) for number, label in enumerate(self._labels) if number not in self._used]

    def replaced(self) -> list[dict[str, Any]]:
        """Labels of which a later one names the same task, as entries of the stale labels with both root causes."""
        return [
            stale_entry(self._labels[number], f"a later label{_in_line(self._labels[last])} names the same task")
            | {"label": self._labels[number]["root_cause"], "replaced_by": self._labels[last]["root_cause"]}
            for number, last in sorted(self._replaced.items())
        ]


def stale_entry(label: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """``{task, line, reason}`` of a label that no longer fits its run."""
    return {"task": str(label["task"]), "line": label.get("line"), "reason": reason}


def stale_reason(label: Mapping[str, Any], bucket: str, rollouts: Mapping[str, bool | None]) -> str | None:
    """Why a label no longer fits the run; null when it does.

    Args:
        label: one label of the document.
        bucket: the bucket of its task.
        rollouts: whether each rollout of the run passed, null where it was not measured.
    """
    cited = list(label.get("evidence") or ())
    gone = [rollout for rollout in cited if rollout not in rollouts]
    if gone:
        return f"cites {', '.join(gone[:_MOST_LISTED])}, which the run does not have"
    if label["root_cause"] not in _OF_FAILURE:
        return None
    if bucket == "always_pass":
        return "the task passes in every repeat"
    if cited and all(rollouts[rollout] for rollout in cited):
        return "every rollout that it cites passed"
    return None


def rollouts_of(aligned: pa.Table) -> dict[str, bool | None]:
    """Whether each rollout passed, by its id; null where it was not measured."""
    samples = aligned.select(["rollout_id", "task", "repeat", "passed"])
    return {row["rollout"]: row["passed"] for row in records(_ROLLOUTS, samples=samples)}


def refuse_unknown_tasks(document: Mapping[str, Any], aligned: pa.Table) -> None:
    """Holds the tasks that a label file names against those of the run.

    Raises:
        BladeError: the run has no such task; the sentence names file, line and the closest task that it has.
    """
    labels = list(document.get("labels") or [])
    if not labels:
        return
    known: dict[str, None] = {}
    for row in records(_TASKS, samples=aligned.select(["task", "dataset_id"])):
        known |= dict.fromkeys(name for name in row.values() if name is not None)
    unknown = [label for label in labels if not any(name in known for name in _names(label["task"]))]
    if not unknown:
        return
    first = unknown[0]
    more = f" ({len(unknown)} labels name no task of the run)" if len(unknown) > 1 else ""
    close = difflib.get_close_matches(str(first["task"]), [_plain(name) for name in known], n=1)
    hint = f"did you mean '{close[0]}'?" if close else "name a task by its index or by its id in the dataset."
    line = first.get("line")
    where = document.get("file") if line is None else f"{document.get('file')}, line {line}"
    raise BladeError(f"{where}: the run has no task '{first['task']}'{more}; {hint}")


def _in_line(label: Mapping[str, Any]) -> str:
    return f" in line {label['line']}" if label.get("line") else ""


def _names(task: str | int) -> list[str]:
    literal = orjson.dumps(task).decode()
    return [literal] if isinstance(task, int) else [literal, task]


def _plain(name: str) -> str:
    """The value behind a typed id, as a person would write it."""
    return name[1:-1] if name[:1] == '"' == name[-1:] and len(name) > 1 else name
