"""What one run's report is made from."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

Json = dict[str, Any]


@dataclass(frozen=True)
class ReportInputs:
    """The tables and documents of one run, as the stages before the report leave them.

    ``per_task`` has the schema ``PASS_AT_K``, ``buckets`` ``OUTCOME_BUCKETS``, ``aligned`` ``ALIGNED_SAMPLES`` and
    ``modes_table`` ``FAILURE_MODES``; everything else is a plain document. ``edition`` is what the report is
    made from and says, ``previous`` the edition before it. ``paired`` (``PAIRED_TASKS``) and ``excerpts``
    (``ROLLOUT_EXCERPTS``) may be left out: no task is then held against the baseline, no text of a rollout shown.
    """

    benchmark: str
    run: str
    manifest: Json
    coverage: Json
    scores: Json
    per_task: pa.Table
    buckets: pa.Table
    buckets_document: Json
    aligned: pa.Table
    funnel: Json
    modes: Json
    modes_table: pa.Table
    contrasts: Json
    causes: Json
    comparison: Json
    facts: Json
    profile: Json | None
    labels_document: Json
    edition: Json | None = None
    previous: Json | None = None
    paired: pa.Table | None = None
    excerpts: pa.Table | None = None
