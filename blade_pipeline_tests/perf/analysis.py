"""Everything from typed rows to metrics, buckets, funnel, failure modes and a comparison of two runs, stage by stage.

Run it as ``python -m blade_pipeline_tests.perf.analysis``; it prints seconds of computing per stage and number of rows.
Rows are made directly as Parquet, a few copies of a run at a time, and each step reads the columns that it needs. Ten
million rows take ``10000000 --runs 1``, half an hour and 20 GB.
"""

import argparse
import json
import math
import resource
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from blade_pipeline.gym import discover, read_expected, read_failures, read_health, read_manifest, read_rollouts
from blade_pipeline.method.align import align
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.comparison import Side, compare
from blade_pipeline.method.comparison.side import SAMPLE_COLUMNS
from blade_pipeline.method.coverage import coverage
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.needed import LINES, OF_SCORES, OF_TASKS, ROWS, SCORED_ROWS, of_symptoms
from blade_pipeline.method.scores import scores
from blade_pipeline.models import Profile
from blade_pipeline.storage.encoding import read_columns
from blade_pipeline_tests.perf.ingest import write_run
from blade_pipeline_tests.perf.measuring import Row, row

TASKS, REPEATS = 1000, 16
COPIES = 32
"""Copies of a run that are written at a time: half a million rows."""

_DIGESTS = ("task_digest", "prompt_digest", "answer_key_digest")

Given = tuple[pa.Table, ...]
"""What is expected, failed and checked."""


class Clock:
    """Seconds of computing of each named step, in this process alone, and on the wall of all of them."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.wall = 0.0

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        before, started = time.process_time(), time.perf_counter()
        result = work()
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

    Two runs of ``count`` rows each: a step of a run is counted once, and the comparison is of the two. Each step reads
    the columns that it needs from Parquet, as the assets do, and that is counted; that the samples are written is not.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_run(folder / "bench" / "run", TASKS, REPEATS, 900)
        [run] = discover(folder).runs
        read = read_rollouts(run)
        given = (read_expected(run), read_failures(run), read_health(run, count))
        manifest = read_manifest(run, read, given[0])
        files = [_written(read, count, seed, folder / f"rows {seed}.parquet") for seed in (1, 2)]
        del read
        clocks = [_analysed(files, given, manifest) for _ in range(runs)]
    best = {name: round(min(clock.seconds[name] for clock in clocks), 3) for name in clocks[0].seconds}
    totals = {
        "all": round(min(sum(clock.seconds.values()) for clock in clocks), 3),
        "wall": round(min(clock.wall for clock in clocks), 3),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    return {"rows": count} | best | totals


def _analysed(files: list[Path], given: Given, manifest: dict[str, Any]) -> Clock:
    """The clock of the last run and of the comparison."""
    described = []
    for file in files:
        clock = Clock()
        described.append(_of_run(file, given, manifest, clock))
    clock("comparison", lambda: compare(*(_side(*of_run) for of_run in zip(files, described, strict=True)), Profile()))
    return clock


def _of_run(file: Path, given: Given, manifest: dict[str, Any], clock: Clock) -> dict[str, Any]:
    """Every step of one run; what the comparison needs of it, but for the samples, which lie beside its rows."""
    profile, samples = Profile(), _samples(file)
    expected, failures, health = given
    aligned = clock("align", lambda: align(expected, _read(file, ROWS), failures, health, profile))
    pq.write_table(aligned, samples, compression="zstd")
    del aligned
    per_task, scored = clock("scores", lambda: scores(_read(samples, OF_SCORES), _read(file, SCORED_ROWS), profile))
    clock("buckets", lambda: outcome_buckets(_read(samples, OF_TASKS), profile))
    kept: list[pa.Table] = []

    def covered() -> dict[str, Any]:
        kept.append(_read(samples, of_symptoms(profile)))
        return coverage(kept[0], _read(file, LINES), failures, health, manifest, scored, profile)

    counted = clock("coverage", covered)
    clock("funnel", lambda: funnel(kept[0], profile))
    clock("failure modes", lambda: failure_modes(kept[0], profile))
    return {"run": file.stem, "manifest": manifest, "coverage": counted, "scores": scored, "per_task": per_task}


def _side(file: Path, described: dict[str, Any]) -> Side:
    return Side(**described, aligned=_read(_samples(file), SAMPLE_COLUMNS))


def _samples(file: Path) -> Path:
    return file.with_name(f"samples of {file.name}")


def _read(file: Path, columns: Collection[str]) -> pa.Table:
    return read_columns(pq.ParquetFile(file), columns)


def _written(rows: pa.Table, count: int, seed: int, file: Path) -> Path:
    """A file of ``count`` rows: copies of the given ones under tasks and lines of their own, a few copies at a time."""
    draw = np.random.default_rng(seed)
    with pq.ParquetWriter(file, rows.schema, compression="zstd") as target:
        for first in range(0, count, COPIES * rows.num_rows):
            copies = range(first // rows.num_rows, first // rows.num_rows + COPIES)
            size = min(COPIES * rows.num_rows, count - first)
            part = pa.concat_tables(_copy(rows, copy) for copy in copies).slice(0, size)
            part = _with(part, "line", pa.array(np.arange(first + 1, first + size + 1)))
            target.write_table(_with(part, "reward", pa.array((draw.random(size) < 0.4).astype(float))))
    return file


def _copy(rows: pa.Table, number: int) -> pa.Table:
    part = _with(rows, "task", pc.add(rows["task"].cast(pa.int64()), number * TASKS).cast(pa.string()))
    for column in _DIGESTS:
        part = _with(part, column, pc.binary_join_element_wise(part[column], pa.scalar(str(number)), "-"))
    return part


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
