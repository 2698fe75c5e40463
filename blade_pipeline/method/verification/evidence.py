"""What a report is held against: the run's tables, and numbers that its other artifacts state."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Json = dict[str, Any]

TABLES = ("aligned_samples", "raw_rollouts", "failure_modes", "outcome_buckets")
DOCUMENTS = (
    "pass_at_k",
    "coverage",
    "workflow_funnel",
    "failure_modes",
    "trajectory_contrasts",
    "root_causes",
    "run_comparison",
    "run_manifest",
)

_NAMED = (
    "agent",
    "task",
    "dataset_id",
    "rollout_id",
    "slices",
    "reason",
    "failure_class",
    "failure_kind",
    "failure_reason",
    "steps",
)


@dataclass(frozen=True)
class Evidence:
    """The tables from which figures are recomputed, and the documents in which derived numbers are looked up.

    Without ``rows`` the lines of the files are those that the document ``coverage`` counts. The list of anchor facts,
    from which our own reports are written, is not among them.
    """

    benchmark: str
    run: str
    aligned: pa.Table
    rows: pa.Table | None
    modes: pa.Table
    buckets: pa.Table
    documents: Mapping[str, Json] = field(default_factory=dict)

    @property
    def clear_names(self) -> bool:
        """Whether no name of the run holds a backtick, so that code in a sentence ends where the name ends."""
        columns = [self.aligned[name] for name in _NAMED if name in self.aligned.column_names]
        return not any(pc.any(pc.match_substring(column, "`")).as_py() for column in (*columns, self.modes["mode"]))

    @classmethod
    def read(
        cls, benchmark: str, run: str, table: Callable[[str], pa.Table], document: Callable[[str], Json]
    ) -> "Evidence":
        """The evidence of a run, asset by asset."""
        aligned, rows, modes, buckets = (table(name) for name in TABLES)
        return cls(benchmark, run, aligned, rows, modes, buckets, {name: document(name) for name in DOCUMENTS})
