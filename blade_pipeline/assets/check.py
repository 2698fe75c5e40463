"""An assertion about an artifact: one pure function, shown by Dagster and evaluated in bulk alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from blade_pipeline.storage import Artifact, Cell

Severity = Literal["WARN", "ERROR"]


@dataclass(frozen=True)
class Finding:
    """Whether a check holds, one sentence of names and numbers, and the numbers alone."""

    passed: bool
    sentence: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """A check of one asset's artifacts; an ERROR check that fails keeps the artifact out of the record."""

    name: str
    asset: str
    severity: Severity
    description: str
    evaluate: Callable[[Artifact], Finding]


@dataclass(frozen=True)
class Verdict:
    """What a check said about one cell."""

    check: Check
    cell: Cell
    finding: Finding

    @property
    def is_error(self) -> bool:
        """Whether the verdict must stop what stands on the artifact."""
        return self.check.severity == "ERROR" and not self.finding.passed
