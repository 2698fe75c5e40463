"""Superseded events of Dagster's event log that belong to no run: what deleting runs does not reach.

``blade analyze`` records outside any run, and the table of check results keeps a row of each evaluation, whatever
becomes of its run. Dagster has no call that deletes either by age; so the rows go from the index's own tables.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.instance.utils import RUNLESS_RUN_ID
from dagster._core.storage.event_log import SqlEventLogStorage, SqliteEventLogStorage
from dagster._core.storage.event_log.schema import (
    AssetCheckExecutionsTable,
    AssetEventTagsTable,
    SqlEventLogStorageTable,
)
from sqlalchemy import Connection, Select, func, select

MOST_AT_ONCE = 20_000
_PAGE = 500
_EVENTS, _CHECKS, _TAGS = SqlEventLogStorageTable.c, AssetCheckExecutionsTable.c, AssetEventTagsTable.c
_MADE = dg.DagsterEventType.ASSET_MATERIALIZATION.value


def forget_superseded(instance: dg.DagsterInstance, cutoff: float) -> int:
    """Deletes what was recorded before ``cutoff`` (seconds since 1970) and is no partition's latest; how many rows.

    Of materializations only those outside any run go, the others go with their run; of check results all.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqlEventLogStorage):
        return 0
    before = datetime.fromtimestamp(cutoff, UTC).replace(tzinfo=None)
    with storage.index_connection() as index:
        checks = index.execute(_checks(before)).all()
        superseded = list(index.execute(_materializations(before)).scalars())
        known = {run_id for run_id in {row.run_id for row in checks} if instance.has_run(run_id)}
        runless = [row.event for row in checks if row.run_id not in known]
        _delete(index, AssetCheckExecutionsTable, _CHECKS.id, [row.id for row in checks])
        _delete(index, SqlEventLogStorageTable, _EVENTS.id, [*superseded, *runless])
        _delete(index, AssetEventTagsTable, _TAGS.event_id, superseded)
    if isinstance(storage, SqliteEventLogStorage) and Path(storage.path_for_shard(RUNLESS_RUN_ID)).exists():
        with storage.run_connection(RUNLESS_RUN_ID) as copies:
            copies.execute(SqlEventLogStorageTable.delete().where(_EVENTS.timestamp < before))
    return len(checks) + len(superseded)


def _materializations(before: datetime) -> Select[Any]:
    """Ids of runless materializations that a later one of the same partition superseded."""
    made = _EVENTS.dagster_event_type == _MADE
    latest = select(func.max(_EVENTS.id)).where(made).group_by(_EVENTS.asset_key, _EVENTS.partition)
    old = (made, _EVENTS.run_id == RUNLESS_RUN_ID, _EVENTS.timestamp < before)
    return select(_EVENTS.id).where(*old, _EVENTS.id.not_in(latest)).order_by(_EVENTS.id).limit(MOST_AT_ONCE)


def _checks(before: datetime) -> Select[Any]:
    """Check results that a later one of the same check and partition superseded."""
    evaluated = _CHECKS.evaluation_event_storage_id.is_not(None)
    of = (_CHECKS.asset_key, _CHECKS.check_name, _CHECKS.partition)
    latest = select(func.max(_CHECKS.id)).where(evaluated).group_by(*of)
    wanted = select(_CHECKS.id, _CHECKS.run_id, _CHECKS.evaluation_event_storage_id.label("event"))
    old = (evaluated, _CHECKS.evaluation_event_timestamp < before)
    return wanted.where(*old, _CHECKS.id.not_in(latest)).order_by(_CHECKS.id).limit(MOST_AT_ONCE)


def _delete(connection: Connection, table: Any, column: Any, ids: Sequence[int]) -> None:
    for start in range(0, len(ids), _PAGE):
        connection.execute(table.delete().where(column.in_(ids[start : start + _PAGE])))
