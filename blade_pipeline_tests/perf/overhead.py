"""What Dagster itself costs: a run, a step, a partition and an event of assets that do nothing, with SQLite."""

import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from blade_pipeline_tests.perf.measuring import Row, called, cost_of, cpu_seconds, row

NAMES = {
    "run": "a run of one step, in this process",
    "step": "each further step of a run",
    "partition": "each further partition of a step",
    "event": "an event outside any run",
    "kept": "the same while connections are kept",
}


def rows(small: bool) -> list[Row]:
    """Each cost alone, and the process that the daemon starts for every run."""
    found, _ = called("overhead", f"costs({2 if small else 20})")
    alone = cost_of(["-c", "import blade_pipeline.definitions"])
    return [
        *(row(f"Dagster: {NAMES[name]}", wall, cpu, None) for name, (wall, cpu) in found.items()),
        row("Dagster: a process with the definitions loaded", alone.wall, alone.cpu, alone.peak),
    ]


def costs(count: int) -> dict[str, tuple[float, float]]:
    """Wall and CPU seconds of each, from runs with one and with ``count`` more steps, partitions and events."""
    import dagster as dg

    from blade_pipeline.automation.eventlog import kept_open

    with tempfile.TemporaryDirectory() as home, dg.DagsterInstance.from_config(_configured(home)) as instance:
        keys = [f"p{number:03}" for number in range(count + 1)]
        steps = [_asset(f"step{number}") for number in range(count + 1)]
        many = _asset("many", dg.StaticPartitionsDefinition(keys))

        def materialize(assets: list[dg.AssetsDefinition], tags: Mapping[str, str] | None = None) -> None:
            assert dg.materialize(assets, instance=instance, tags=tags).success

        def partitions(last: str) -> None:
            ends = {"start": keys[0], "end": last}
            materialize([many], {f"dagster/asset_partition_range_{end}": key for end, key in ends.items()})

        def events() -> None:
            for key in keys[1:]:
                instance.report_runless_asset_event(dg.AssetMaterialization("many", partition=key))

        materialize(steps[:1])
        one, all_steps = _timed(lambda: materialize(steps[:1])), _timed(lambda: materialize(steps))
        first, all_partitions = _timed(lambda: partitions(keys[0])), _timed(lambda: partitions(keys[-1]))
        plain = _timed(events)
        with kept_open(instance):
            kept = _timed(events)
    nothing = (0.0, 0.0)
    return {
        "run": one,
        "step": _each(all_steps, one, count),
        "partition": _each(all_partitions, first, count),
        "event": _each(plain, nothing, count),
        "kept": _each(kept, nothing, count),
    }


def _configured(home: str) -> str:
    from blade_pipeline.automation.home import dagster_home

    return str(dagster_home(home))


def _asset(name: str, partitions: Any = None) -> Any:
    import dagster as dg

    def nothing() -> None:
        pass

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        policy = dg.BackfillPolicy.single_run() if partitions else None
        return dg.asset(name=name, partitions_def=partitions, backfill_policy=policy)(nothing)


def _timed(work: Callable[[], None]) -> tuple[float, float]:
    before, cpu = time.perf_counter(), cpu_seconds()
    work()
    return time.perf_counter() - before, cpu_seconds() - cpu


def _each(whole: tuple[float, float], base: tuple[float, float], count: int) -> tuple[float, float]:
    return (whole[0] - base[0]) / count, (whole[1] - base[1]) / count
