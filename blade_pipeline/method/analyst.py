"""An analyst's label file, matched to tasks."""

from typing import Any

import orjson


class AnalystLabels:
    """The labels of one run; a task is named by its typed id, by the value behind it, or by its dataset id."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._labels: list[dict[str, Any]] = list(document.get("labels") or [])
        self._by_name: dict[str, int] = {}
        for number, label in enumerate(self._labels):
            for name in _names(label["task"]):
                self._by_name[name] = number
        self._used: set[int] = set()

    def of(self, task: str, dataset_id: str | None) -> dict[str, Any] | None:
        """The label of a task, the later one when there are two; null without one."""
        for name in (task, dataset_id):
            if name is not None and name in self._by_name:
                number = self._by_name[name]
                self._used.add(number)
                return self._labels[number]
        return None

    def unmatched(self) -> list[str]:
        """Tasks of labels that no task of the run answered to."""
        return [str(label["task"]) for number, label in enumerate(self._labels) if number not in self._used]


def _names(task: str | int) -> list[str]:
    literal = orjson.dumps(task).decode()
    return [literal] if isinstance(task, int) else [literal, task]
