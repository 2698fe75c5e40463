"""Rollouts that failed before they left a row: what was said at their last attempt, and the slices that they fill."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.concentrations import ANY, FEWEST_ROLLOUTS, concentrations, stands_out
from blade_pipeline.method.finding import Finding, finding
from blade_pipeline.method.slices import json_path
from blade_pipeline.method.sql import records
from blade_pipeline.method.verifier_text import template

IN_A_SLICE = "failed rollouts in a slice"
MOST_MESSAGES = 20
_TASK = "agent, stage, task"

_MESSAGES = f"""
    select coalesce(failure_class, 'unnamed') as class, failure_stage as stage, failure_status as status,
        failure_message as message, count(*) as count, list(distinct ({_TASK})::varchar) as tasks
    from aligned where outcome = 'failed' group by all order by count desc, class, stage, status, message
"""

_OF_SLICE = """
    select count(*) filter (outcome = 'failed' and inside) as failed, count(*) filter (inside) as rollouts,
        count(*) filter (outcome = 'failed' and not inside) as rest_failed, count(*) filter (not inside) as rest
    from (select outcome, coalesce(json_extract_string(slices, $path), '') = $value as inside
          from aligned where outcome <> 'unexpected')
"""


def failure_messages(aligned: pa.Table) -> list[dict[str, Any]]:
    """What the last attempts of failed rollouts said, most rollouts first.

    Returns:
        ``{class, stage, status, message, count, tasks}``, at most ``MOST_MESSAGES``. Messages that differ in numbers,
        ids, paths and quotations alone are one, shown as the most frequent of them.
    """
    columns = ["agent", "stage", "task", "outcome", "failure_class", "failure_stage", "failure_status"]
    grouped: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in records(_MESSAGES, aligned=aligned.select([*columns, "failure_message"])):
        message = row["message"]
        alike = message and (template(message) or message)
        grouped[row["class"], row["stage"], row["status"], alike].append(row)
    found = [
        rows[0]
        | {"count": sum(row["count"] for row in rows), "tasks": len({key for row in rows for key in row["tasks"]})}
        for rows in grouped.values()
    ]
    return sorted(found, key=lambda row: -row["count"])[:MOST_MESSAGES]


def failed_in_slices(aligned: pa.Table) -> Iterator[Finding]:
    """The slices of which more tasks failed before they left a row than elsewhere, beyond what chance would do."""
    failed = np.asarray(pc.equal(aligned["outcome"], "failed"), dtype=np.bool_)
    if failed.sum() < FEWEST_ROLLOUTS:
        return
    expected = np.asarray(pc.not_equal(aligned["outcome"], "unexpected"), dtype=np.bool_)
    for row in concentrations(aligned, {"failed": failed}, among=expected):
        if row["mode"] == ANY and stands_out(row):
            yield _finding(row, _failed_of(aligned, row["field"], row["value"]))


def _failed_of(aligned: pa.Table, field: str, value: str) -> dict[str, int]:
    """``failed`` of all ``rollouts`` of a slice, and ``rest_failed`` of those of the ``rest``."""
    columns = aligned.select(["outcome", "slices"])
    return records(_OF_SLICE, {"path": json_path(field), "value": value}, aligned=columns)[0]


def _finding(row: dict[str, Any], counts: dict[str, int]) -> Finding:
    return finding(
        IN_A_SLICE,
        f"Where `{row['field']}` = `{row['value']}`, {counts['failed']} of {counts['rollouts']} rollouts failed before "
        f"they left a row, elsewhere {counts['rest_failed']} of {counts['rest']} (Fisher over tasks, "
        f"Benjamini-Hochberg q = {row['q']:.2g}): they are of one kind, so the score speaks of the other tasks.",
        field=row["field"],
        value=row["value"],
        **counts,
        q=row["q"],
    )
