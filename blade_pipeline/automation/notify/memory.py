"""What each channel was told, since when runs are being written, and failures to tell: one file of the store."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from blade_pipeline.automation.notify.notice import Notice
from blade_pipeline.automation.notify.standing import Told
from blade_pipeline.storage import Cell, Store

FILE = "notified.json"
MOST_FAILURES = 50
"""Failures that wait for a channel that does not take them."""
MOST_HEARD = 200
"""Failures of which a channel's having been told is remembered, should Dagster name them again."""
_SCHEMA = 1


@dataclass
class Heard:
    """What one channel was told: of reports and unsettled runs by run, of overdue benchmarks, of failed runs."""

    reports: dict[str, Told] = field(default_factory=dict)
    unsettled: dict[str, str] = field(default_factory=dict)
    overdue: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


@dataclass
class Memory:
    """``waiting`` holds since when (ISO) each run is being written; ``failures`` the notices not told everywhere."""

    waiting: dict[str, str] = field(default_factory=dict)
    failures: dict[str, Notice] = field(default_factory=dict)
    heard: dict[str, Heard] = field(default_factory=dict)

    @classmethod
    def load(cls, store: Store) -> "Memory":
        """The store's memory; a missing or broken one is empty, and what stands is then told once more."""
        try:
            found = json.loads(store.read_bytes(FILE) or b"{}")
            return cls(
                {str(cell): str(since) for cell, since in found.get("waiting", {}).items()},
                {run: Notice(**notice) for run, notice in found.get("failures", {}).items()},
                {name: _heard(heard) for name, heard in found.get("heard", {}).items()},
            )
        except (ValueError, TypeError, AttributeError, KeyError):
            return cls()

    def save(self, store: Store) -> None:
        """Replaces the store's memory."""
        document = {"schema_version": _SCHEMA, **asdict(self)}
        store.write_bytes(json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass"), FILE)

    def drop(self, cell: str) -> None:
        """Drops what is remembered of a run."""
        self.waiting.pop(cell, None)
        for heard in self.heard.values():
            heard.reports.pop(cell, None)
            heard.unsettled.pop(cell, None)

    def forget_told_failures(self, channels: Iterable[str]) -> None:
        """Drops the failures that all these channels were told, and of the others all but the newest."""
        names = list(channels)
        left = {
            run: notice
            for run, notice in self.failures.items()
            if not all(run in self.heard[name].failures for name in names)
        }
        self.failures = dict(list(left.items())[-MOST_FAILURES:])


def forget_told(store: Store, cell: Cell) -> None:
    """Drops what is remembered of one run."""
    with store.lock([FILE]):
        memory = Memory.load(store)
        before = asdict(memory)
        memory.drop(str(cell))
        if asdict(memory) != before:
            memory.save(store)


def _heard(found: dict[str, Any]) -> Heard:
    reports = {cell: Told(**told) for cell, told in found["reports"].items()}
    return Heard(reports, dict(found["unsettled"]), dict(found.get("overdue", {})), list(found["failures"]))
