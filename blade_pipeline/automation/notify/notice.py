"""One thing that a team is told: what happened, how sure that is, and where to look."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blade_pipeline.storage import digest_of

Kind = Literal[
    "verdict_changed", "regression", "coverage_below_floor", "never_settled", "benchmark_overdue", "run_failed"
]
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Notice:
    """``run`` is None where no single run is meant.

    A notice is told once for as long as its ``key`` stays; ``origin``, the version of what it follows from, tells it
    from the same news at another time.
    """

    kind: Kind
    benchmark: str | None
    run: str | None
    what: str
    how_sure: str
    look: str
    key: str
    origin: str = ""

    @property
    def cell(self) -> str:
        """The run or benchmark that is meant, as it is remembered."""
        return f"{self.benchmark}/{self.run}" if self.run is not None else str(self.benchmark)

    @property
    def text(self) -> str:
        """Everything on one line."""
        return f"{self.what} ({self.how_sure}). Look at {self.look}"

    def payload(self, at: str) -> Mapping[str, Any]:
        """The message as channels write it; ``id`` is the same when the same event is sent again."""
        names = ("kind", "benchmark", "run", "what", "how_sure", "look", "text")
        shown = {name: getattr(self, name) for name in names}
        id_ = digest_of([self.kind, self.benchmark, self.run, self.key, self.origin])
        return {"schema_version": SCHEMA_VERSION, "id": id_, "at": at} | shown
