"""What Dagster's event log knows about every artifact: the latest materialization of each."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from blade_pipeline.assets.metadata import INPUTS
from blade_pipeline.assets.partitions import cell_of, partition_key
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.storage import Cell

DATA_VERSION = "dagster/data_version"
CODE_VERSION = "dagster/code_version"
_PAGE = 500

Records = dict[tuple[str, Cell], "Record"]


@dataclass(frozen=True)
class Record:
    """One materialization: its versions and the versions of what it was made from (None when it names none)."""

    data_version: str | None
    code_version: str | None
    inputs: dict[str, str] | None


def load_records(instance: dg.DagsterInstance, graph: Graph, cells: Iterable[Cell]) -> Records:
    """The latest record of every stage and cell, from two queries per stage."""
    runs = {partition_key(cell) for cell in cells}
    benchmarks = {cell_of(key).benchmark for key in runs}
    records: Records = {}
    for stage in graph:
        keys = runs if stage.level == "run" else benchmarks
        for entry in _latest(instance, stage, keys):
            materialization = entry.asset_materialization
            if materialization is not None and materialization.partition is not None:
                records[stage.name, cell_of(materialization.partition)] = _record(materialization)
    return records


def _latest(instance: dg.DagsterInstance, stage: Stage, keys: set[str]) -> Iterator[dg.EventLogRecord]:
    asset_key = dg.AssetKey(stage.name)
    by_partition = instance.event_log_storage.get_latest_storage_id_by_partition(
        asset_key, dg.DagsterEventType.ASSET_MATERIALIZATION
    )
    ids = [storage_id for key, storage_id in by_partition.items() if key in keys]
    for page in _pages(ids):
        wanted = dg.AssetRecordsFilter(asset_key=asset_key, storage_ids=page)
        yield from instance.fetch_materializations(wanted, limit=_PAGE).records


def _pages(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]


def _record(materialization: dg.AssetMaterialization) -> Record:
    tags = materialization.tags or {}
    inputs = materialization.metadata.get(INPUTS)
    return Record(tags.get(DATA_VERSION), tags.get(CODE_VERSION), _plain(inputs.value if inputs is not None else None))


def _plain(value: object) -> dict[str, str] | None:
    if isinstance(value, str):
        value = json.loads(value)
    return {str(key): str(version) for key, version in value.items()} if isinstance(value, dict) else None
