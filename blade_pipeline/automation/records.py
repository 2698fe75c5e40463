"""What Dagster's event log knows about every artifact: the latest materialization of each."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import dagster as dg

from blade_pipeline.assets.keys import key_of
from blade_pipeline.assets.metadata import INPUTS
from blade_pipeline.assets.partitions import cell_of, partition_key
from blade_pipeline.assets.stage import Graph
from blade_pipeline.automation.recordmemo import Record, RecordMemo
from blade_pipeline.storage import Cell, Store

DATA_VERSION = "dagster/data_version"
CODE_VERSION = "dagster/code_version"
_PAGE = 500
_MADE = dg.DagsterEventType.ASSET_MATERIALIZATION

Records = dict[tuple[str, Cell], Record]


def load_records(
    instance: dg.DagsterInstance, graph: Graph, cells: Iterable[Cell], store: Store, *, remember: bool = True
) -> Records:
    """The latest record of every stage and cell: two queries per stage, and one per page of events not met before.

    Without ``remember`` nothing is written into the store.
    """
    memo = RecordMemo(store, instance)
    runs = {partition_key(cell) for cell in cells}
    benchmarks = {cell_of(key).benchmark for key in runs}
    records: Records = {}
    for stage in graph:
        keys = runs if stage.level == "run" else benchmarks
        found = _of_stage(instance, stage.name, keys, memo)
        records |= {(stage.name, cell_of(key)): record for key, record in found.items()}
    if remember:
        memo.save()
    return records


def _of_stage(instance: dg.DagsterInstance, name: str, keys: set[str], memo: RecordMemo) -> dict[str, Record]:
    """The latest records of a stage by partition."""
    asset_key, storage = dg.AssetKey(name), instance.event_log_storage
    latest = storage.get_latest_storage_id_by_partition(asset_key, _MADE)
    versions = storage.get_latest_tags_by_partition(asset_key, _MADE, [DATA_VERSION])
    found: dict[str, Record] = {}
    unpack: dict[str, int] = {}
    for key, event in latest.items():
        if key in keys:
            known = memo.get(_name(name, key), event, versions.get(key, {}).get(DATA_VERSION))
            if known is None:
                unpack[key] = event
            else:
                found[key] = known
    for key, record in _unpacked(instance, asset_key, unpack):
        memo.put(_name(name, key), unpack[key], record)
        found[key] = record
    return found


def _name(asset: str, key: str) -> str:
    return key_of(asset, cell_of(key))


def _unpacked(
    instance: dg.DagsterInstance, asset_key: dg.AssetKey, events: Mapping[str, int]
) -> Iterator[tuple[str, Record]]:
    for page in _pages(list(events.values())):
        wanted = dg.AssetRecordsFilter(asset_key=asset_key, storage_ids=page)
        for entry in instance.fetch_materializations(wanted, limit=_PAGE).records:
            made = entry.asset_materialization
            if made is not None and made.partition is not None:
                yield str(made.partition), _record(made)


def _pages(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]


def _record(made: dg.AssetMaterialization) -> Record:
    tags = made.tags or {}
    inputs = made.metadata.get(INPUTS)
    return Record(tags.get(DATA_VERSION), tags.get(CODE_VERSION), _plain(inputs.value if inputs is not None else None))


def _plain(value: object) -> dict[str, str] | None:
    if isinstance(value, str):
        value = json.loads(value)
    return {str(key): str(version) for key, version in value.items()} if isinstance(value, dict) else None
