"""Many small run directories from nothing to reports, Dagster's records included.

Run it as ``python -m blade_pipeline_tests.perf.bulk --runs 100``; the figures go to docs/performance.md by hand.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from blade_pipeline_tests.perf.ingest import write_run

BLADE = [sys.executable, "-c", "from blade_pipeline.cli import main; main()"]


def write_runs(root: Path, runs: int) -> None:
    """Benchmarks of ten runs each, 5 to 60 tasks with two repeats and rows of about 2 KB."""
    for number in range(runs):
        write_run(root / f"bench{number // 10}" / f"run{number % 10}", 5 + (number * 11) % 56, 2, 2000)


def analyze(runs: Path, store: Path) -> float:
    """Wall seconds of one ``blade analyze`` in a process of its own."""
    environment = os.environ | {"DAGSTER_HOME": str(store / ".dagster")}
    before = time.perf_counter()
    subprocess.run(
        [*BLADE, "analyze", str(runs), "--store", str(store)], check=True, capture_output=True, env=environment
    )
    return time.perf_counter() - before


def main() -> None:
    """Print the seconds of the first and of the second call, in all and per run directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    count = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        runs, store = Path(folder) / "runs", Path(folder) / "store"
        write_runs(runs, count)
        (store / ".dagster").mkdir(parents=True)
        first, second = analyze(runs, store), analyze(runs, store)
        print(f"{count} run directories: {first:.1f} s from nothing, {first / count:.2f} s each; again {second:.1f} s")


if __name__ == "__main__":
    main()
