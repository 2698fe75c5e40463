"""The report of a run with many tasks and full excerpts: seconds to build, and bytes of the page."""

import tempfile
import time
from pathlib import Path

from blade_pipeline_tests.perf.bulk import analyze
from blade_pipeline_tests.perf.ingest import write_run
from blade_pipeline_tests.perf.measuring import Row, bare_of, called, cpu_seconds, row


def rows(small: bool) -> list[Row]:
    """The files of one report, built again from the artifacts of an analysed run."""
    tasks, repeats = (20, 4) if small else (5000, 16)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_run(root / "runs" / "bench" / "run", tasks, repeats, 3000)
        bare = bare_of(root)
        analyze(root)
        (wall, cpu, size), cost = called("report", f"build_seconds({str(root)!r})")
    what = f"report of {tasks} tasks x {repeats}"
    return [row(what, wall, cpu, cost.peak, bare, f"HTML of {size / 1e6:.1f} MB")]


def build_seconds(root: str) -> tuple[float, float, int]:
    """Wall and CPU seconds to build every file of the report from its artifacts; bytes of the page."""
    from blade_pipeline.assets.blade_report import given_to
    from blade_pipeline.assets.graph import GRAPH
    from blade_pipeline.assets.inputs import Inputs
    from blade_pipeline.assets.settings import Settings
    from blade_pipeline.assets.world import see
    from blade_pipeline.reporting import build_report
    from blade_pipeline.storage import Cell

    settings = Settings(*(f"{root}/{name}" for name in ("runs", "store", "profiles", "references", "labels")))
    inputs = Inputs(GRAPH["blade_report"], Cell("bench", "run"), see(settings), GRAPH)
    before, cpu = time.perf_counter(), cpu_seconds()
    files = build_report(given_to(inputs))
    return time.perf_counter() - before, cpu_seconds() - cpu, len(files["report.html"])
