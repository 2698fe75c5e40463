"""One run more in a large benchmark, and all pairs of its runs."""

import json
import shutil
import tempfile
import time
from pathlib import Path

from blade_pipeline_tests.perf.bulk import analyze
from blade_pipeline_tests.perf.ingest import write_run
from blade_pipeline_tests.perf.measuring import BLADE, Row, called, cost_of, cpu_seconds, row


def rows(small: bool) -> list[Row]:
    """What an added run recomputes, counted by what was recorded, and the pairs and page of all runs from nothing."""
    runs = 2 if small else 200
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number in range(runs + 1):
            write_run(root / "runs" / "bench" / f"run{number:03}", 5 + (number * 11) % 56, 2, 2000)
        shutil.move(root / "runs" / "bench" / f"run{runs:03}", root / "later")
        analyze(root)
        (wall, cpu, pairs), compared = called("grown", f"stage_seconds({str(root)!r}, 'comparability')")
        (page_wall, page_cpu, _), page = called("grown", f"stage_seconds({str(root)!r}, 'benchmark_report')")
        shutil.move(root / "later", root / "runs" / "bench" / f"run{runs:03}")
        store = ("--store", str(root / "store"), "--json")
        added = cost_of([*BLADE, "analyze", str(root / "runs"), *store])
        recomputed = json.loads(added.out)["recomputed"]
    most = max(recomputed.values())
    note = f"{sum(recomputed.values())} artifacts recomputed, at most {most} of one asset"
    return [
        row(f"one run more in a benchmark of {runs}", added.wall, added.cpu, added.peak, note=note),
        row(f"comparability of {runs} runs, {pairs} pairs", wall, cpu, compared.peak),
        row(f"the page of {runs} runs", page_wall, page_cpu, page.peak),
    ]


def stage_seconds(root: str, stage: str) -> tuple[float, float, int]:
    """Wall and CPU seconds of a benchmark's stage from nothing, read and written; how many pairs the benchmark has."""
    from blade_pipeline.assets.graph import GRAPH
    from blade_pipeline.assets.perform import perform
    from blade_pipeline.assets.settings import Settings
    from blade_pipeline.assets.world import see
    from blade_pipeline.method.comparison import Pairs
    from blade_pipeline.storage import Cell, Store

    settings = Settings(*(f"{root}/{name}" for name in ("runs", "store", "profiles", "references", "labels")))
    Store(settings.store).remove("artifacts", stage, "bench.parquet")
    live = see(settings)
    before, cpu = time.perf_counter(), cpu_seconds()
    perform(GRAPH[stage], Cell("bench"), live, GRAPH)
    wall, used = time.perf_counter() - before, cpu_seconds() - cpu
    return wall, used, len(Pairs(live.read("comparability", Cell("bench")).artifact.table))
