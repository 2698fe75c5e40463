"""Keeps Dagster's records from growing without end: runs that are no partition's latest, and what they left behind."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from dagster._core.storage.dagster_run import FINISHED_STATUSES
from dagster._core.storage.event_log import SqliteEventLogStorage

from blade_pipeline.automation.history import forget_superseded

MOST_AT_ONCE = 500
_PAGE = 500
_DAY = 86400.0
_MADE = dg.DagsterEventType.ASSET_MATERIALIZATION


@dataclass(frozen=True)
class Pruned:
    """Runs that were deleted, files of the event log to which no run belongs, and records outside any run."""

    runs: int
    files: int
    records: int = 0


def prune(instance: dg.DagsterInstance, days: float) -> Pruned:
    """Deletes finished runs older than so many days that made no partition's latest artifact, the oldest first.

    Deleting a run erases its materializations, and a partition without one counts as missing; so those stay.
    """
    cutoff = time.time() - days * _DAY
    finished = dg.RunsFilter(statuses=list(FINISHED_STATUSES), created_before=datetime.fromtimestamp(cutoff, UTC))
    records = instance.get_run_records(finished, order_by="id", ascending=True)
    old = [record.dagster_run.run_id for record in records if (record.end_time or 0.0) < cutoff]
    doomed = prunable(old, _latest_runs(instance)) if old else []
    for run_id in doomed:
        _delete(instance, run_id)
    unowned = list(_unowned_files(instance, cutoff))
    for path in unowned:
        _remove(path)
    return Pruned(len(doomed), len(unowned), forget_superseded(instance, cutoff))


def prunable(old: Sequence[str], latest: Iterable[str]) -> list[str]:
    """Of some runs, the oldest first, those that made nobody's latest artifact, as many as are deleted at once."""
    kept = set(latest)
    return [run_id for run_id in old if run_id not in kept][:MOST_AT_ONCE]


def _delete(instance: dg.DagsterInstance, run_id: str) -> None:
    """Deletes a run with its logs; SQLite's event log keeps an emptied file of it, which goes too."""
    instance.delete_run(run_id)
    instance.compute_log_manager.delete_logs(prefix=[run_id])
    if isinstance(instance.event_log_storage, SqliteEventLogStorage):
        _remove(Path(instance.event_log_storage.path_for_shard(run_id)))


def _latest_runs(instance: dg.DagsterInstance) -> set[str]:
    """The runs that made the latest artifact of some partition or asset."""
    found = set()
    for key in instance.get_asset_keys():
        latest = list(instance.event_log_storage.get_latest_storage_id_by_partition(key, _MADE).values())
        for start in range(0, len(latest), _PAGE):
            wanted = dg.AssetRecordsFilter(asset_key=key, storage_ids=latest[start : start + _PAGE])
            found |= {record.run_id for record in instance.fetch_materializations(wanted, limit=_PAGE).records}
        newest = instance.get_latest_materialization_event(key)
        found |= {newest.run_id} if newest is not None else set()
    return found


def _unowned_files(instance: dg.DagsterInstance, cutoff: float) -> Iterator[Path]:
    """Files of SQLite's event log that were written last before the cutoff and belong to no run.

    The verdicts of each ``blade analyze`` leave one; what Dagster's pages show of them lies in the index.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqliteEventLogStorage):
        return
    for run_id in storage.get_all_run_ids():
        path = Path(storage.path_for_shard(run_id))
        if run_id and path.stat().st_mtime < cutoff and not instance.has_run(run_id):
            yield path


def _remove(path: Path) -> None:
    """Deletes a file of the event log with what SQLite keeps beside it."""
    for beside in ("-wal", "-shm", ""):
        path.with_name(path.name + beside).unlink(missing_ok=True)
