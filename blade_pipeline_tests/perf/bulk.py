"""Many small run directories from nothing to reports, Dagster's records included, and one step per asset."""

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from blade_pipeline_tests.perf.ingest import write_run
from blade_pipeline_tests.perf.measuring import BLADE, Cost, Row, bare_of, called, cost_of, cpu_seconds, row

if TYPE_CHECKING:
    pass

RUNS_OF_A_BENCHMARK = 10


def write_runs(root: Path, runs: int) -> None:
    """Benchmarks of ten runs each, 5 to 60 tasks with two repeats and rows of about 2 KB."""
    for number in range(runs):
        place = root / f"bench{number // RUNS_OF_A_BENCHMARK}" / f"run{number % RUNS_OF_A_BENCHMARK}"
        write_run(place, 5 + (number * 11) % 56, 2, 2000)


def analyze(root: Path) -> Cost:
    """One ``blade analyze`` of the runs below a folder into the store beside them."""
    return cost_of([*BLADE, "analyze", str(root / "runs"), "--store", str(root / "store")])


def rows(small: bool) -> list[Row]:
    """From nothing, and one step per asset on some of them."""
    runs, stepped = (2, 1) if small else (200, 5)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_runs(root / "runs", runs)
        write_runs(root / "few" / "runs", stepped)
        bare = bare_of(root / "runs")
        first = analyze(root)
        (wall, cpu), steps = called("bulk", f"step_seconds({str(root / 'few')!r})")
    each = row("each of them", first.wall / runs, first.cpu / runs, None)
    note = f"{wall / stepped / (first.wall / runs):.1f} times as long, {cpu / stepped / (first.cpu / runs):.1f} in CPU"
    return [
        row(f"blade analyze, {runs} run directories from nothing", first.wall, first.cpu, first.peak, bare),
        each,
        row("each by one Dagster step per asset", wall / stepped, cpu / stepped, steps.peak, note=note),
    ]


def step_seconds(root: str) -> tuple[float, float]:
    """Wall and CPU seconds of a run of Dagster per partition, with one step per asset, after all imports."""
    import dagster as dg

    from blade_pipeline.assets.graph import GRAPH
    from blade_pipeline.assets.partitions import partition_key
    from blade_pipeline.assets.settings import Settings
    from blade_pipeline.assets.workspace import Workspace
    from blade_pipeline.automation.home import open_instance
    from blade_pipeline.automation.registering import register
    from blade_pipeline.definitions import defs

    settings = Settings(*(f"{root}/{name}" for name in ("runs", "store", "profiles", "references", "labels")))
    workspace = Workspace(**vars(settings))
    assets = [asset for asset in defs.assets or () if isinstance(asset, dg.AssetsDefinition)]
    declared = [stage.name for stage in GRAPH if stage.level == "benchmark" and stage.folder]
    of_runs = [stage.name for stage in GRAPH if stage.level == "run"]
    pages = [stage.name for stage in GRAPH if stage.level == "benchmark" and not stage.folder]
    with open_instance(settings.store) as instance:
        live = workspace.see()
        register(instance, live)
        before, cpu = time.perf_counter(), cpu_seconds()
        parts = [(declared, cell.of_benchmark) for cell in list(live.runs)[:1]]
        parts += [(of_runs, cell) for cell in live.runs]
        parts += [(pages, cell.of_benchmark) for cell in list(live.runs)[:1]]
        for names, cell in parts:
            chosen = [dg.AssetKey(name) for name in names]
            resources = {"workspace": workspace}
            key = partition_key(cell)
            dg.materialize(assets, selection=chosen, partition_key=key, instance=instance, resources=resources)
        return time.perf_counter() - before, cpu_seconds() - cpu
