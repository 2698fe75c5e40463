"""Run directories that appear while the daemon runs: how often each was analysed, and what memory and disk it took."""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import dagster as dg

from blade_pipeline.assets.partitions import cell_of
from blade_pipeline.automation.home import open_instance
from blade_pipeline_tests.automation.world import REPEATS, TASKS, write_run
from blade_pipeline_tests.campaigns.servers import Site

SAMPLES = 20
HALF = TASKS * REPEATS // 2
GROWING_SECONDS = 3.0
ONCE = ("raw_rollouts", "aligned_samples", "coverage")
"""Assets that follow from a run's own files alone, so that they are made once per run."""


class Soak:
    """Runs that appear below ``root`` one by one in an order drawn from ``seed``; every third grows in two steps."""

    def __init__(self, root: Path, benchmarks: int, runs: int, seed: int) -> None:
        self.runs, self.store = root / "runs", root / "store"
        self.runs.mkdir()
        self._draw = random.Random(seed)
        self._order = [(f"bench{b}", f"run{r:03}") for b in range(benchmarks) for r in range(runs)]
        self._draw.shuffle(self._order)

    def appear(self, seconds: float) -> Iterator[int]:
        """Writes the runs, evenly over so many seconds; yields how many are there."""
        started = time.monotonic()
        for number, (benchmark, run) in enumerate(self._order, 1):
            folder = self.runs / benchmark / run
            if number % 3 == 0:
                write_run(folder, age=number, model=run, rows=HALF)
                time.sleep(GROWING_SECONDS)
            write_run(folder, age=number, model=run)
            yield number
            time.sleep(max(0.0, started + number * seconds / len(self._order) - time.monotonic()))

    def reports(self) -> int:
        """How many runs have a report."""
        return sum(1 for _ in self.store.glob("reports/*/*/report.md"))

    def megabytes(self, *parts: str) -> float:
        """What a folder of the store takes."""
        return sum(path.stat().st_size for path in self.store.joinpath(*parts).rglob("*") if path.is_file()) / 1e6

    def more_than_once(self) -> dict[str, int]:
        """Runs of which an asset that follows from their files alone was made another number of times than once."""
        found = dict[str, int]()
        with open_instance(str(self.store)) as instance:
            for name in ONCE:
                made = Counter(cell_of(key) for key in _partitions(instance, name))
                cells = {(cell.benchmark, str(cell.run)): times for cell, times in made.items()}
                found |= {f"{name} of {b}/{r}": cells.get((b, r), 0) for b, r in self._order if cells.get((b, r)) != 1}
        return found


def _partitions(instance: dg.DagsterInstance, name: str) -> Iterator[str]:
    cursor = None
    while True:
        page = instance.fetch_materializations(dg.AssetKey(name), limit=1000, cursor=cursor)
        yield from (str(record.partition_key) for record in page.records)
        if not page.has_more:
            return
        cursor = page.cursor


def main() -> None:
    """Prints a line at each sample and what was not analysed exactly once; ends with 1 when there was any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmarks", type=int, default=10)
    parser.add_argument("--runs", type=int, default=200, help="runs of each benchmark")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}\n| there | with a report | daemon, MB | records, MB | store, MB |", flush=True)
    total = chosen.benchmarks * chosen.runs
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        soak = Soak(Path(folder), chosen.benchmarks, chosen.runs, chosen.seed)
        site = Site(soak.runs, soak.store)

        def sample(there: int) -> None:
            sizes = (site.daemon_megabytes(), soak.megabytes(".dagster"), soak.megabytes())
            print(f"| {there} | {soak.reports()} | {' | '.join(f'{size:.0f}' for size in sizes)} |", flush=True)

        try:
            site.begin("daemon")
            for there in soak.appear(chosen.minutes * 60):
                if there % max(1, total // SAMPLES) == 0:
                    sample(there)
            done = site.waits_for(lambda: soak.reports() == total and site.idle(), 60 * chosen.minutes)
            sample(total)
        finally:
            site.end()
        wrong = soak.more_than_once()
    print("all analysed" if done else "not all analysed in time", *[f"{what}: {n} times" for what, n in wrong.items()])
    sys.exit(bool(wrong) or not done)


if __name__ == "__main__":
    main()
