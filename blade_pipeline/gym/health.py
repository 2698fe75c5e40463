"""Reads the health check's verdicts and summary, and says when they speak of other rows."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.batches import to_table
from blade_pipeline.gym.documents import read_json
from blade_pipeline.gym.files import RunDirectory, RunFile
from blade_pipeline.gym.identity import first_id
from blade_pipeline.gym.lines import Row, read_lines
from blade_pipeline.gym.values import compact_json, integer, mapping, text_or_none
from blade_pipeline.tables import HEALTH_FINDINGS

CLOCK_TOLERANCE_NS = 1_000_000_000
"""How much older than the rows a later file may look before it counts as older: one second."""

_DETAIL_LIMIT = 300
_UNREADABLE = "__unreadable_record__"

_Finding = tuple[Any, ...]


def read_health(run: RunDirectory, rollout_rows: int) -> pa.Table:
    """``rollout_verdicts.jsonl`` and ``quality_summary.json`` as rows of ``HEALTH_FINDINGS``.

    A verdict gives one row per finding, or one row with a null ``check``. The summary gives one row with null task
    and check, and one per kind of issue. ``stale`` is set on every row of a file whose count of records differs from
    ``rollout_rows`` (readable rows of the run) or which is older than a rollouts file by more than a second.

    Raises:
        BladeError: a file cannot be read.
    """
    rows: list[_Finding] = []
    for file in run.having("rollout_verdicts"):
        rows += _verdicts(run, file, rollout_rows)
    for file in run.having("quality_summary"):
        rows += _summary(run, file, rollout_rows)
    return to_table(rows, HEALTH_FINDINGS)


def older_than_rows(run: RunDirectory, file: RunFile) -> str | None:
    """Sentence for a file written before the last row was, else null."""
    newest = max((shard.mtime_ns for shard in run.files if shard.path in run.rollouts), default=0)
    if file.mtime_ns + CLOCK_TOLERANCE_NS >= newest:
        return None
    return f"{file.path.name} is older than the rollouts"


def _verdicts(run: RunDirectory, file: RunFile, rollout_rows: int) -> list[_Finding]:
    parsed = [line.row for line in read_lines(file.path) if line.row is not None]
    readable = sum(not _is_unreadable(row) for row in parsed)
    stale = older_than_rows(run, file)
    if readable != rollout_rows and len(parsed) != rollout_rows:
        stale = f"{file.path.name} holds {len(parsed)} verdicts, the rollouts {rollout_rows} rows"
    return [(*row, stale) for verdict in parsed for row in _findings(verdict)]


def _findings(row: Row) -> list[_Finding]:
    key = (
        integer(row.get("stage_index")) or 0,
        first_id(row, ("_ng_task_index",)),
        first_id(row, ("_ng_rollout_index",)),
        text_or_none(row.get("verdict"), 50),
    )
    found = row.get("findings")
    findings = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    if not findings:
        return [(*key, None, None)]
    return [(*key, text_or_none(item.get("check"), 100), _detail(item)) for item in findings]


def _detail(finding: Row) -> str | None:
    """Names and numbers of a finding: short strings and scalars only, so that no transcript gets through."""
    parts: dict[str, Any] = {}
    for name in ("locator", "detail"):
        value = finding.get(name)
        if isinstance(value, dict):
            parts |= {key: item for key, item in value.items() if _is_brief(item)}
        elif _is_brief(value):
            parts[name] = value
    return compact_json(parts)[:_DETAIL_LIMIT] if parts else None


def _is_brief(value: object) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= 80)


def _summary(run: RunDirectory, file: RunFile, rollout_rows: int) -> list[_Finding]:
    document, problem = read_json(file.path)
    if problem is not None:
        return [(None, None, None, None, None, problem, problem)]
    about = mapping(mapping(document).get("run"))
    records = integer(mapping(about.get("artifacts")).get("records"))
    issues = mapping(about.get("issues"))
    stale = older_than_rows(run, file)
    if records is not None and rollout_rows not in (records, records - (integer(issues.get("record_unreadable")) or 0)):
        stale = f"{file.path.name} speaks of {records} records, the file has {rollout_rows} rows"
    counts = mapping(about.get("verdicts"))
    detail = {"records": records, **{name: integer(counts.get(name)) for name in _VERDICTS}}
    rows: list[Sequence[Any]] = [(None, None, None, None, None, compact_json(detail), stale)]
    rows += [
        (None, None, None, None, check[:100], compact_json({"count": count}), stale)
        for check, count in issues.items()
        if integer(count)
    ]
    return [tuple(row) for row in rows]


_VERDICTS = ("healthy", "unhealthy", "unobserved")


def _is_unreadable(row: Row) -> bool:
    task = row.get("_ng_task_index")
    return isinstance(task, str) and task.startswith(_UNREADABLE)
