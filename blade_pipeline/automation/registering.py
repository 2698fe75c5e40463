"""Keeps Dagster's dynamic partitions in step with the run directories."""

import dagster as dg

from blade_pipeline.assets.live import Live
from blade_pipeline.assets.partitions import benchmarks, model_runs
from blade_pipeline.models import BladeError

MOST_CELLS = 100_000
"""Benchmarks times run names up to which Dagster's pages and a tick answer in time; see docs/performance.md."""


def missing_partitions(instance: dg.DagsterInstance, live: Live) -> dict[str, list[str]]:
    """Names that live runs need and the instance does not have yet, by partitions definition.

    Raises:
        BladeError: with them the grid would have more cells than are supported.
    """
    wanted = {
        str(benchmarks.name): set(live.benchmarks()),
        str(model_runs.name): {str(cell.run) for cell in live.runs},
    }
    known = {name: set(instance.get_dynamic_partitions(name)) for name in wanted}
    missing = {name: sorted(keys - known[name]) for name, keys in wanted.items()}
    if any(missing.values()):
        _refuse_too_many(*(len(known[name] | keys) for name, keys in wanted.items()))
    return missing


def _refuse_too_many(of_benchmarks: int, of_runs: int) -> None:
    if of_benchmarks * of_runs > MOST_CELLS:
        raise BladeError(
            f"{of_benchmarks} benchmarks x {of_runs} run names are more than the {MOST_CELLS} cells that one store's "
            "grid may have; analyse some of the benchmarks into another --store with its own DAGSTER_HOME."
        )


def register(instance: dg.DagsterInstance, live: Live) -> int:
    """Adds what is missing, never removes; answers how many names were added.

    Raises:
        BladeError: with them the grid would have more cells than are supported.
    """
    missing = missing_partitions(instance, live)
    for name, keys in missing.items():
        if keys:
            instance.add_dynamic_partitions(name, keys)
    return sum(map(len, missing.values()))
