"""The whole command ``blade analyze`` on one large run, from process start to report, and NeMo Gym's own figures."""

import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from blade_pipeline_tests.perf.ingest import write_run
from blade_pipeline_tests.perf.measuring import BLADE, Row, bare_of, called, cost_of, cpu_seconds, row

_ANALYSIS = "blade_pipeline.automation.analysis"
_IMPORTS = ("-c", f"import {_ANALYSIS}")

PEER_SECONDS = 19.9
"""NeMo Gym 0.7 on 88 MB, 1,000 tasks x 16: 8.4 s to load and aggregate and 11.5 s for ``gym eval profile``."""

PEER_BARE_SECONDS = 0.11
"""The bare loop on the machine of those figures: 88 MB at 800 MB/s.

They are scaled by it in CPU seconds, which other work on the machine disturbs less than wall seconds.
"""


def rows(small: bool) -> list[Row]:
    """The command, what is left of it without start-up, and its start-up alone."""
    tasks, repeats = (20, 4) if small else (1000, 16)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        size = write_run(root / "runs" / "bench" / "run", tasks, repeats, 5500).stat().st_size / 1e6
        bare = bare_of(root)
        start = [cost_of(_IMPORTS) for _ in range(2)][1]  # the first writes what byte code is not there yet
        whole = cost_of([*BLADE, "analyze", str(root / "runs"), "--store", str(root / "store")])
        (wall, cpu), inside = called("command", f"analysis_seconds({str(root)!r})")
        (scored, scored_cpu), alone = called("command", f"scored_seconds({str(root / 'runs')!r})")
    peer = PEER_SECONDS * bare.loop_cpu / PEER_BARE_SECONDS
    of = f"{size:.0f} MB, {tasks * repeats} rollouts"
    times = "" if small else "{:.1f} times as fast as NeMo Gym, by CPU"
    return [
        row(f"blade analyze, {of}", whole.wall, whole.cpu, whole.peak, bare, times.format(peer / whole.cpu)),
        row("the same without start-up", wall, cpu, inside.peak, bare, times.format(peer / cpu)),
        row("its scores and coverage alone", scored, scored_cpu, alone.peak, bare, times.format(peer / scored_cpu)),
        row("its imports alone", start.wall, start.cpu, start.peak),
    ]


def analysis_seconds(root: str) -> tuple[float, float]:
    """Wall and CPU seconds of the command with a fresh store, Dagster's records included, after its imports."""
    from blade_pipeline.cli import main

    import_module(_ANALYSIS)
    sys.argv = ["blade", "analyze", f"{root}/runs", "--store", f"{root}/again"]
    before, cpu = time.perf_counter(), cpu_seconds()
    main()
    return time.perf_counter() - before, cpu_seconds() - cpu


def scored_seconds(run: str) -> tuple[float, float]:
    """Wall and CPU seconds from the files to every score of the run, in memory and without Dagster."""
    import blade_pipeline.api as blade

    before, cpu = time.perf_counter(), cpu_seconds()
    loaded = blade.load(run)
    assert loaded.buckets and loaded.coverage and loaded.scores
    return time.perf_counter() - before, cpu_seconds() - cpu
