"""One check of two runs: same, different or unknown, never guessed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

ORDER = ("code", "benchmark", "method", "accounting", "noise")
"""The groups in the order in which they decide."""

Check = dict[str, Any]


@dataclass(frozen=True)
class Comparable:
    """One manifest value held against the other run's."""

    key: str
    group: str
    blocking: bool
    label: str


def check(identity: str, group: str, status: str, **rest: Any) -> Check:
    """One check as the published document holds it."""
    filled = {
        "a": None,
        "b": None,
        "source_a": None,
        "source_b": None,
        "blocking": True,
        "note": None,
        "label": identity,
    }
    return {"id": identity, "group": group, "status": status} | filled | rest


def status_of(a: Any, b: Any) -> str:
    """Same, different, or unknown where a side has no value."""
    if a is None or b is None:
        return "unknown"
    return "same" if a == b else "different"


def first_blocking(checks: Iterable[Check]) -> Check | None:
    """The first blocking check that differs."""
    return next((check for check in checks if check["blocking"] and check["status"] == "different"), None)


def conditions(checks: Iterable[Check]) -> list[str]:
    """Ids of the blocking checks that nobody could carry out: the verdict holds provided that they are the same."""
    return [check["id"] for check in checks if check["blocking"] and check["status"] == "unknown"]
