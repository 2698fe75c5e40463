"""What one machine alone makes of some runs, to hold the same work on other engines against."""

from dataclasses import dataclass, replace
from pathlib import Path

import dagster as dg

from blade_pipeline.assets.partitions import partition_key
from blade_pipeline.assets.settings import Settings
from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.analysed import settings_of

STORAGE = "storage: {postgres: {postgres_url: {env: BLADE_POSTGRES}}}\n"
"""What dagster.yaml says further where the records lie in Postgres."""

Versions = dict[tuple[str, Cell], str]


@dataclass(frozen=True)
class Alone:
    """A folder with ``runs`` and the ``store`` that was made of them."""

    folder: Path

    @property
    def settings(self) -> Settings:
        return self.with_store(str(self.folder / "store"))

    def with_store(self, store: str) -> Settings:
        """The same runs with another store."""
        return replace(settings_of(self.folder), store=store)


def versions_in(root: str) -> Versions:
    """Data version of every artifact of a store, read from its own file."""
    store = Store(root)
    return {(asset, cell): store.read(asset, cell).version for asset, cell in store.artifacts()}


def by_partition(versions: Versions) -> dict[tuple[str, str], str]:
    """The same by asset and partition, as Dagster names them."""
    return {(asset, partition_key(cell)): version for (asset, cell), version in versions.items()}


def recorded_in(instance: dg.DagsterInstance) -> dict[tuple[str, str], str]:
    """Data version of the latest materialization of every asset and partition."""
    found: dict[tuple[str, str], str] = {}
    for key in instance.get_asset_keys():
        for record in instance.fetch_materializations(key, limit=1000).records:
            made = record.asset_materialization
            assert made is not None
            assert made.tags is not None
            found.setdefault((key.to_user_string(), str(record.partition_key)), made.tags["dagster/data_version"])
    return found
