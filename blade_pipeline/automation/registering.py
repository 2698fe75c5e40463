"""Keeps Dagster's dynamic partitions in step with the run directories."""

import dagster as dg

from blade_pipeline.assets.live import Live
from blade_pipeline.assets.partitions import benchmarks, model_runs


def missing_partitions(instance: dg.DagsterInstance, live: Live) -> dict[str, list[str]]:
    """Names that live runs need and the instance does not have yet, by partitions definition."""
    wanted = {
        str(benchmarks.name): set(live.benchmarks()),
        str(model_runs.name): {str(cell.run) for cell in live.runs},
    }
    return {name: sorted(keys - set(instance.get_dynamic_partitions(name))) for name, keys in wanted.items()}


def register(instance: dg.DagsterInstance, live: Live) -> int:
    """Adds what is missing, never removes; answers how many names were added."""
    missing = missing_partitions(instance, live)
    for name, keys in missing.items():
        if keys:
            instance.add_dynamic_partitions(name, keys)
    return sum(map(len, missing.values()))
