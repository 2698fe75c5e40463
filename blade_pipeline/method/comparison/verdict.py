"""From checks and numbers to one verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blade_pipeline.method.comparison.check import Check, conditions, first_blocking
from blade_pipeline.method.comparison.difference import beyond_chance
from blade_pipeline.method.comparison.mixed import MIXED

DECIDED = "{factor}_change"


@dataclass(frozen=True)
class Verdict:
    """What may be said of a difference, and the check that decided."""

    verdict: str
    headline_check: str | None
    conditional_on: list[str]


@dataclass(frozen=True)
class Judged:
    """Two runs by name, the verdict of them and all that it rests on; ``cases`` are the runs that crashed."""

    a: str
    b: str
    verdict: Verdict
    checks: Sequence[Check]
    difference: Mapping[str, Any]
    cases: Sequence[Mapping[str, Any]]

    @property
    def headline(self) -> Check | None:
        """The check that decided."""
        return next((check for check in self.checks if check["id"] == self.verdict.headline_check), None)

    @property
    def besides(self) -> list[Check]:
        """Further settings that would block too: to make the one that decided equal is not enough."""
        head = self.headline
        if head is None or head["group"] != "method" or not head["blocking"]:
            return []
        rest = (check for check in self.checks if check["id"] not in (head["id"], MIXED))
        return [check for check in rest if check["group"] == "method" and first_blocking([check]) is not None]

    @property
    def unknown(self) -> list[str]:
        """What the checks on which the verdict depends are called."""
        labels = {check["id"]: check["label"] for check in self.checks}
        return [labels[name] for name in self.verdict.conditional_on]


def decide(checks: Sequence[Check], difference: Mapping[str, Any], varying: str) -> Verdict:
    """The verdict of two runs.

    A blocking difference of code, benchmark or method ends the question; then missing overlap, then accounting, then
    repeats that are copies; only then do the paired interval for new tasks and the equivalence test speak.
    """
    blocked = first_blocking(check for check in checks if check["group"] in ("code", "benchmark", "method"))
    if blocked is not None:
        return Verdict("not_comparable", blocked["id"], [])
    lacking = next((check["id"] for check in checks if _lacks(check)), None)
    if lacking is not None:
        return Verdict("insufficient_evidence", lacking, [])
    later = first_blocking(check for check in checks if check["group"] in ("accounting", "noise"))
    if later is not None:
        name = "failure_accounting" if later["group"] == "accounting" else "insufficient_evidence"
        return Verdict(name, later["id"], [])
    name, headline = _statistical(difference, varying)
    return Verdict(name, headline, [name for name in conditions(checks) if name not in ("task_set", "overlap")])


def _lacks(check: Check) -> bool:
    """Whether this is task identity or the overlap of scored tasks, and unknown."""
    return check["id"] in ("task_set", "overlap") and check["status"] == "unknown"


def _statistical(difference: Mapping[str, Any], varying: str) -> tuple[str, str | None]:
    if difference["new_tasks"]["low"] is None:
        return "insufficient_evidence", "noise"
    if beyond_chance(dict(difference)):
        return DECIDED.format(factor=varying), None
    if difference["tost"] and difference["tost"]["equivalent"]:
        return "equivalent", "noise"
    return "no_detectable_change", "noise"
