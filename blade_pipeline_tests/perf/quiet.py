"""Nothing to do: a tick of the sensor, and ``blade analyze`` once more."""

import json
import tempfile
from pathlib import Path

from blade_pipeline_tests.perf.bulk import RUNS_OF_A_BENCHMARK
from blade_pipeline_tests.perf.ingest import write_run
from blade_pipeline_tests.perf.measuring import BLADE, Row, cost_of, row


def rows(small: bool) -> list[Row]:
    """One tick over run directories that are all known, and a second call on directories that did not change."""
    return [_tick(50 if small else 10_000), _second_call(2 if small else 500)]


def _tick(runs: int) -> Row:
    """With how many of the directories' files it opened."""
    with tempfile.TemporaryDirectory() as folder:
        cost = cost_of(["-m", "blade_pipeline_tests.perf.tick", folder, str(runs)])
    found = json.loads(cost.out)
    what, note = f"sensor tick over {runs} known run directories", f"{found['opened']} of their files opened"
    return row(what, found["seconds"], found["cpu_seconds"], cost.peak, note=note)


def _second_call(runs: int) -> Row:
    """Of ``blade analyze`` over runs of 5 to 20 tasks with two repeats, with what it recomputed."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number in range(runs):
            benchmark, run = divmod(number, RUNS_OF_A_BENCHMARK)
            write_run(root / "runs" / f"bench{benchmark}" / f"run{run}", 5 + (number * 11) % 16, 2, 2000)
        command = [*BLADE, "analyze", str(root / "runs"), "--store", str(root / "store"), "--json"]
        cost_of(command)
        again = cost_of(command)
    found = json.loads(again.out)
    note = f"{sum(found['recomputed'].values())} artifacts recomputed, {found['current']} were current"
    return row(f"blade analyze, {runs} unchanged run directories", again.wall, again.cpu, again.peak, note=note)
