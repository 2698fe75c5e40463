"""Benchmarks and model runs as Dagster partitions."""

import warnings

import dagster as dg

from blade_pipeline.assets.stage import Level
from blade_pipeline.storage import Cell

BENCHMARK = "benchmark"
MODEL_RUN = "model_run"

benchmarks = dg.DynamicPartitionsDefinition(name="benchmarks")
model_runs = dg.DynamicPartitionsDefinition(name="model_runs")
runs_of_benchmarks = dg.MultiPartitionsDefinition({BENCHMARK: benchmarks, MODEL_RUN: model_runs})


def partitions_of(level: Level) -> dg.PartitionsDefinition[str]:
    """The partitions of a stage of this level."""
    return benchmarks if level == "benchmark" else runs_of_benchmarks


def mapping_between(downstream: Level, upstream: Level) -> dg.PartitionMapping | None:
    """How partitions of two stages meet; None for the same cell."""
    if downstream == upstream:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        return dg.MultiToSingleDimensionPartitionMapping(partition_dimension_name=BENCHMARK)


def partition_key(cell: Cell) -> str:
    """The partition key of a cell."""
    if cell.run is None:
        return cell.benchmark
    return dg.MultiPartitionKey({BENCHMARK: cell.benchmark, MODEL_RUN: cell.run})


def cell_of(key: str) -> Cell:
    """The cell of a partition key, whose names hold no ``|``."""
    return Cell(*key.split("|"))
