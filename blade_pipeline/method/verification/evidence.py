"""What a report is held against: the run's tables, and numbers that its other artifacts state."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Json = dict[str, Any]

TABLES = ("aligned_samples", "raw_rollouts", "failure_modes", "outcome_buckets", "run_comparison")
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


def _texts(document: str) -> Iterator[str]:
    """Every text and key of a JSON document."""
    values = [json.loads(document)]
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            values += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            values += value


@dataclass(frozen=True)
class Evidence:
    """The tables from which figures are recomputed, and the documents in which derived numbers are looked up.

    Without ``rows`` the lines of the files are those that the document ``coverage`` counts. Of the list of anchor
    facts, from which our own reports are written, nothing is read but the ``queries`` by id. ``paired`` are the tasks
    that the baseline has too (``PAIRED_TASKS``); without it nothing is said of the baseline.
    """

    benchmark: str
    run: str
    aligned: pa.Table
    rows: pa.Table | None
    modes: pa.Table
    buckets: pa.Table
    documents: Mapping[str, Json] = field(default_factory=dict)
    paired: pa.Table | None = None
    queries: Mapping[str, str] = field(default_factory=dict)

    @property
    def torn_names(self) -> frozenset[str]:
        """Names of the run that hold a backtick, so that code in a sentence may end before the name does."""
        columns = [self.aligned[name] for name in _NAMED if name in self.aligned.column_names]
        phases = [phase["phase"] for phase in (self.documents.get("workflow_funnel") or {}).get("phases", ())]
        return frozenset(
            name
            for column in (*columns, self.modes["mode"], pa.chunked_array([phases], pa.string()))
            for text in column.filter(pc.match_substring(column, "`")).unique().to_pylist()
            for name in (_texts(text) if text[:1] in "[{" else (text,))
            if "`" in name
        )

    @classmethod
    def read(
        cls, benchmark: str, run: str, table: Callable[[str], pa.Table], document: Callable[[str], Json]
    ) -> "Evidence":
        """The evidence of a run, asset by asset."""
        aligned, rows, modes, buckets, paired = (table(name) for name in TABLES)
        documents = {name: document(name) for name in DOCUMENTS}
        queries = queries_of(document("anchor_facts"))
        return cls(benchmark, run, aligned, rows, modes, buckets, documents, paired, queries)


def queries_of(facts: Json) -> dict[str, str]:
    """The queries of a document of anchor facts by the ids of the facts."""
    return {fact["id"]: fact["evidence"]["query"] for fact in facts.get("facts") or []}
