"""One of two runs under comparison."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.answers import NOTHING_ANSWERED, longest_text
from blade_pipeline.method.arrays import counts, floats, is_binary
from blade_pipeline.method.comparison.peer_side import PEER_COLUMNS, PeerAgent, peer_agents
from blade_pipeline.method.sql import query, records
from blade_pipeline.models import BladeError
from blade_pipeline.tables import ALIGNED_SAMPLES, PASS_AT_K

P = ParamSpec("P")
T = TypeVar("T")

_OUTCOMES = """
    select agent, stage, task,
        count(*) filter (outcome = 'failed') as failed,
        count(*) filter (outcome in ('masked', 'unscored', 'failed', 'missing')) as unknown,
        count(*) filter (outcome = 'unscored') as unscored,
        count(*) filter (outcome = 'masked') as masked
    from aligned where outcome <> 'unexpected' group by agent, stage, task
"""

_TASK_COLUMNS = "agent stage task measured passed score_sum score_variance planned family".split()

_JOINED = """
    select * exclude (n), format('task {}', task) as unit
    from (select *, row_number() over () as n from tasks) as tasks
    left join outcomes using (agent, stage, task) order by n
"""

_ANSWERS = f"""
    select count(*) as total, count(*) filter (truncated) as truncated, count(*) filter (empty) as empty,
        avg(score order by score) filter (truncated is not true) as completed_score
    from (
        select outcome, score, incomplete_reason = 'max_output_tokens' as truncated, {NOTHING_ANSWERED} as empty
        from aligned
    ) where outcome = 'measured'
"""
_ANSWER_COLUMNS = "outcome score incomplete_reason answer_length output_items tool_calls numbers patched_files".split()

_COPIES = """
    with several as (
        select count(distinct response_digest) = 1 and count(distinct score) = 1 as same from aligned
        where outcome = 'measured' and response_digest is not null and output_items > 0
        group by agent, stage, task having count(*) > 1
    )
    select count(*) as compared, count(*) filter (same) as copied from several
"""
_COPY_COLUMNS = "agent stage task outcome response_digest score output_items".split()

SAMPLE_COLUMNS = sorted({*_ANSWER_COLUMNS, *_COPY_COLUMNS, *PEER_COLUMNS})
"""Columns of ``ALIGNED_SAMPLES`` that comparisons read: a fifth of its bytes, held for every run of a benchmark."""


@dataclass(frozen=True)
class Side:
    """A run as the comparison sees it: its manifest, accounting, scores and samples, of these ``SAMPLE_COLUMNS``."""

    run: str
    manifest: Mapping[str, Any]
    coverage: Mapping[str, Any]
    scores: Mapping[str, Any]
    per_task: pa.Table
    aligned: pa.Table

    @classmethod
    def read(
        cls,
        run: str,
        document: Callable[[str], Mapping[str, Any]],
        table: Callable[[str], pa.Table],
        *,
        samples: bool = True,
    ) -> "Side":
        """A side from readers of a run's artifacts by name; without ``samples`` its ``aligned`` has no rows.

        Raises:
            BladeError: an artifact cannot be read, or another version made it.
        """
        side = cls(
            run=run,
            manifest=document("run_manifest"),
            coverage=document("coverage"),
            scores=document("pass_at_k"),
            per_task=table("pass_at_k"),
            aligned=table("aligned_samples") if samples else ALIGNED_SAMPLES.empty_table(),
        )
        for own, names in ((side.per_task, PASS_AT_K.names), (side.aligned, SAMPLE_COLUMNS)):
            if not {*names} <= {*own.column_names}:
                raise BladeError(f"{run} was analysed by another version of this package; run blade analyze again.")
        return replace(side, aligned=side.aligned.select(SAMPLE_COLUMNS))

    @cached_property
    def peer_agents(self) -> dict[str, PeerAgent]:
        """The run's agents as ``gym eval compare`` sees them."""
        return peer_agents(self.scores, self.aligned)

    @cached_property
    def task_columns(self) -> dict[str, NDArray[Any]]:
        """Columns of the task table in its order, with the outcomes of each task's rollouts; no count is null."""
        outcomes = query(_OUTCOMES, aligned=self.aligned.select(["agent", "stage", "task", "outcome"]))
        joined = query(_JOINED, tasks=self.per_task.select(_TASK_COLUMNS), outcomes=outcomes)
        return {name: _array(joined[name]) for name in joined.column_names}

    @cached_property
    def content_keys(self) -> list[tuple[str, int, str]]:
        """Content, stage and task of each task, to sort them by."""
        digests, stages, tasks = (self.per_task[name].to_pylist() for name in ("pair_digest", "stage", "task"))
        return [(digest or "", *rest) for digest, *rest in zip(digests, stages, tasks, strict=True)]

    @cached_property
    def labels(self) -> list[dict[str, str]]:
        """The slice fields of each task of the task table."""
        texts = self.per_task["slices"].to_pylist()
        return [json.loads(text) if text and text != "{}" else {} for text in texts]

    @cached_property
    def is_binary(self) -> bool | None:
        """Whether every measured score is 0 or 1; None without any."""
        return is_binary(self.aligned["score"])

    @cached_property
    def measured_answers(self) -> dict[str, Any]:
        """Of the measured rollouts: how many, how many were cut or empty, and the mean score of those not cut."""
        samples = self.aligned.select(_ANSWER_COLUMNS)
        return records(_ANSWERS, {"longest_text": longest_text(samples)}, aligned=samples)[0]

    @cached_property
    def copied_repeats(self) -> dict[str, int]:
        """Tasks with several recorded responses, and those of them whose repeats are identical."""
        return records(_COPIES, aligned=self.aligned.select(_COPY_COLUMNS))[0]

    def once(self, make: "Callable[Concatenate[Side, P], T]", *given: P.args, **named: P.kwargs) -> T:
        """What a function makes of this run alone: made once, since every pair of the run asks for it."""
        key = (make, given, *named.items())
        if key not in self._made:
            self._made[key] = make(self, *given, **named)
        found: T = self._made[key]
        return found

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def value(self, key: str) -> Any:
        """A manifest value, or None when it is unknown."""
        return self.manifest["values"].get(key, {}).get("value")

    def several(self, key: str) -> dict[Any, int]:
        """The values on which the rows disagree, with the rows that hold each; empty when they agree or are silent."""
        return {found["value"]: found["rows"] for found in self.manifest["values"].get(key, {}).get("several", ())}

    def source(self, key: str) -> str | None:
        """Where a manifest value was read, or why it is unknown."""
        entry = self.manifest["values"].get(key, {})
        place: str | None = entry.get("source")
        reason: str | None = entry.get("reason")
        return reason or place if entry.get("value") is None else place


def _array(column: pa.ChunkedArray) -> NDArray[Any]:
    if pa.types.is_integer(column.type):
        return counts(column)
    return floats(column) if pa.types.is_floating(column.type) else np.array(column.to_pylist(), dtype=object)
