"""Everything from typed rows to metrics, buckets, funnel, failure modes and a comparison of two runs, stage by stage.

Run it as ``python -m blade_pipeline_tests.perf.analysis``; it prints seconds of computing per stage and number of rows.
Rows are made as Arrow tables, so their number is bound by memory alone.
"""

import argparse
import json
import math
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym import discover, read_expected, read_failures, read_health, read_manifest, read_rollouts
from blade_pipeline.method.align import align
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.comparison import Side, compare
from blade_pipeline.method.comparison.side import SAMPLE_COLUMNS
from blade_pipeline.method.coverage import coverage
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.scores import scores
from blade_pipeline.models import Profile
from blade_pipeline_tests.perf.ingest import write_run
from blade_pipeline_tests.perf.measuring import Row, row

TASKS, REPEATS = 1000, 16
_DIGESTS = ("task_digest", "prompt_digest", "answer_key_digest")


class Clock:
    """Seconds of computing of each named step, in this process alone, and on the wall of all of them."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.wall = 0.0

    def __call__(self, name: str, work: Callable[..., Any], *arguments: Any) -> Any:
        before, started = time.process_time(), time.perf_counter()
        result = work(*arguments)
        self.seconds[name] = time.process_time() - before
        self.wall += time.perf_counter() - started
        return result


def rows(small: bool) -> list[Row]:
    """Seconds and memory per number of rollouts: one run, and its comparison with another."""
    found = list(measure([1_000, 4_000] if small else [10_000, 16_000, 100_000, 1_000_000]))
    notes = ["", *(f"slope {slope(*pair)} from the size before" for pair in pairwise(found))]
    return [_row_of(entry, note) for entry, note in zip(found, notes, strict=True)]


def _row_of(found: dict[str, float], note: str) -> Row:
    what = f"analysis of {found['rows']:.0f} typed rows"
    return row(what, found["wall"], found["all"], found["peak_megabytes"], note=note)


def measure(counts: Sequence[int], runs: int = 1) -> Iterator[dict[str, float]]:
    """What :func:`analyse` finds for each number of rows, each in a process of its own, so that peaks are its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as process:
        for count in counts:
            yield process.submit(analyse, count, runs).result()


def slope(less: dict[str, float], more: dict[str, float]) -> float:
    """Slope of log seconds of computing on log rows between two sizes; 1 is linear."""
    return round(math.log(more["all"] / less["all"]) / math.log(more["rows"] / less["rows"]), 2)


def analyse(count: int, runs: int = 1) -> dict[str, float]:
    """Seconds of computing of each step, of all, and on the wall, the best of ``runs``; and the highest memory.

    Two runs of ``count`` rows each: a step of a run is counted once, and the comparison is of the two.
    """
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder) / "bench" / "run", TASKS, REPEATS, 900)
        [run] = discover(Path(folder)).runs
        read = read_rollouts(run)
        given = (read_expected(run), read_failures(run), read_health(run, count))
        manifest = read_manifest(run, read, given[0])
    enlarged = _enlarged(read, count)
    tables = [_with(enlarged, "reward", _rewards(count, seed)) for seed in (1, 2)]
    clocks = [_analysed(tables, given, manifest) for _ in range(runs)]
    best = {name: round(min(clock.seconds[name] for clock in clocks), 3) for name in clocks[0].seconds}
    totals = {
        "all": round(min(sum(clock.seconds.values()) for clock in clocks), 3),
        "wall": round(min(clock.wall for clock in clocks), 3),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    return {"rows": count} | best | totals


def _analysed(tables: list[pa.Table], given: tuple[pa.Table, ...], manifest: dict[str, Any]) -> Clock:
    profile = Profile()
    expected, failures, health = given
    sides: list[Side] = []
    for table in tables:
        clock = Clock()
        aligned = clock("align", align, expected, table, failures, health, profile)
        per_task, scored = clock("scores", scores, aligned, table, profile)
        counted = clock("coverage", coverage, aligned, table, failures, health, manifest, scored, profile)
        clock("buckets", outcome_buckets, aligned, profile)
        clock("funnel", funnel, aligned, profile)
        clock("failure modes", failure_modes, aligned, profile)
        samples = aligned.select(SAMPLE_COLUMNS)
        sides.append(Side(f"run {len(sides) + 1}", manifest, counted, scored, per_task, samples))
        del aligned
    clock("comparison", compare, *sides, profile)
    return clock


def _enlarged(rows: pa.Table, count: int) -> pa.Table:
    """``count`` rows in one chunk, as from a file: copies of the given ones under tasks and lines of their own."""
    copies = []
    for copy in range(-(-count // rows.num_rows)):
        part = _with(rows, "task", pc.add(rows["task"].cast(pa.int64()), copy * TASKS).cast(pa.string()))
        for column in _DIGESTS:
            part = _with(part, column, pc.binary_join_element_wise(part[column], pa.scalar(str(copy)), "-"))
        copies.append(part)
    table = pa.concat_tables(copies).slice(0, count).combine_chunks()
    return _with(table, "line", pa.array(np.arange(1, count + 1)))


def _rewards(count: int, seed: int) -> pa.Array:
    return pa.array((np.random.default_rng(seed).random(count) < 0.4).astype(float))


def _with(table: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, values)


def main() -> None:
    """Print seconds by step as JSON, one line per number of rows, with the slope from the number before."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, default=[16_000])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    before = None
    for found in measure(options.rows, options.runs):
        print(json.dumps(found | ({"slope": slope(before, found)} if before else {})), flush=True)
        before = found


if __name__ == "__main__":
    main()
