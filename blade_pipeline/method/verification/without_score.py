"""Rollouts that have no score, by outcome, reason and class of failure, recounted from the rows."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pyarrow.compute as pc

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.evidence import Evidence

_TASK = ["agent", "stage", "task"]
_ATTEMPTS = {"attempts": "attempts", "terminal attempts": "terminal", "rollouts recovered": "recovered"}
_NO_REASON = {"no reason on record": None, "unnamed": None}


class WithoutScore:
    """Counts of the rollouts without a score."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    def of_outcome(self, cell: Cell) -> Iterator[Claim]:
        """Rollouts and tasks of an outcome with the reason that the row names."""
        reason = cell.beside("reason")
        found = self._by_reason.get((cell.name, _NO_REASON.get(reason, reason)))
        if found and cell.lone is not None:
            right = {"rollouts": found.total(), "tasks": len(found)}
            yield from claim(cell.lone, exactly(right.get(cell.heading), f"{cell.name} for {reason}, {cell.heading}"))

    def of_reason(self, cell: Cell) -> Iterator[Claim]:
        """Rollouts whose row gives no valid score for a reason."""
        found = self._by_reason.get(("unscored", _NO_REASON.get(cell.name, cell.name)))
        if found and cell.lone is not None and cell.heading == "rollouts":
            yield from claim(cell.lone, exactly(found.total(), f"unscored for {cell.name}"))

    def of_class(self, cell: Cell) -> Iterator[Claim]:
        """Rollouts lost to a class of failure; its attempts are those that the accounting counts."""
        if cell.lone is None or cell.name not in self._classes:
            return
        if cell.heading == "rollouts lost":
            yield from claim(cell.lone, exactly(self._lost[cell.name], f"rollouts lost to {cell.name}"))
        counted = self._classes[cell.name].get(_ATTEMPTS.get(cell.heading, ""))
        yield from claim(cell.lone, exactly(counted, f"{cell.heading} of {cell.name}"))

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        aligned = self._evidence.aligned.select([*_TASK, "outcome", "reason", "failure_class"])
        found: list[dict[str, Any]] = aligned.filter(pc.not_equal(aligned["outcome"], "measured")).to_pylist()
        return found

    @cached_property
    def _by_reason(self) -> dict[tuple[str, str | None], Counter[tuple[Any, ...]]]:
        """Rollouts per task."""
        found: dict[tuple[str, str | None], Counter[tuple[Any, ...]]] = defaultdict(Counter)
        for row in self._rows:
            found[row["outcome"], row["reason"]][tuple(row[name] for name in _TASK)] += 1
        return found

    @cached_property
    def _lost(self) -> Counter[str]:
        return Counter(row["failure_class"] or "unnamed" for row in self._rows if row["outcome"] == "failed")

    @cached_property
    def _classes(self) -> dict[str, dict[str, Any]]:
        failures = (self._evidence.documents.get("coverage") or {}).get("failures") or []
        return {row["class"]: row for row in failures}
