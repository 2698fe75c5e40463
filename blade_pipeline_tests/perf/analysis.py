"""Everything from typed rows to metrics, buckets, funnel, failure modes and a comparison of two runs, stage by stage.

Run it as ``python -m blade_pipeline_tests.perf.analysis``; it prints seconds of computing per stage and number of rows.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym import discover, read_expected, read_failures, read_health, read_manifest, read_rollouts
from blade_pipeline.method.align import align
from blade_pipeline.method.buckets import outcome_buckets
from blade_pipeline.method.comparison import Side, compare
from blade_pipeline.method.coverage import coverage
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.funnel import funnel
from blade_pipeline.method.scores import scores
from blade_pipeline.models import Profile
from blade_pipeline_tests.perf.ingest import write_run

TASKS, REPEATS = 1000, 16
_DIGESTS = ("task_digest", "prompt_digest", "answer_key_digest")


class Clock:
    """Seconds of computing of each named step, in this process alone."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, name: str, work: Callable[..., Any], *arguments: Any) -> Any:
        before = time.process_time()
        result = work(*arguments)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - before
        return result


def analyse(count: int, runs: int = 1) -> dict[str, float]:
    """Best seconds of each step, and of all, over ``count`` rows of two runs; steps of a run are counted once."""
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder) / "bench" / "run", TASKS, REPEATS, 900)
        [run] = discover(Path(folder)).runs
        rows = read_rollouts(run)
        given = (read_expected(run), read_failures(run), read_health(run, count), read_manifest)
        tables = [_enlarged(rows, count, seed) for seed in (1, 2)]
        manifest = read_manifest(run, rows, given[0])
        clocks = [_analysed(run.run, tables, given, manifest) for _ in range(runs)]
    best = {name: round(min(clock[name] for clock in clocks), 3) for name in clocks[0]}
    return best | {"all": round(min(sum(clock.values()) for clock in clocks), 3)}


def _analysed(name: str, tables: list[pa.Table], given: Any, manifest: dict[str, Any]) -> dict[str, float]:
    profile = Profile()
    expected, failures, health, _ = given
    sides = []
    for table in tables:
        clock = Clock()
        aligned = clock("align", align, expected, table, failures, health, profile)
        per_task, scored = clock("scores", scores, aligned, table, profile)
        counted = clock("coverage", coverage, aligned, table, failures, health, manifest, scored, profile)
        clock("buckets", outcome_buckets, aligned, profile)
        clock("funnel", funnel, aligned, profile)
        clock("failure modes", failure_modes, aligned, profile)
        sides.append(Side(f"{name} {len(sides) + 1}", manifest, counted, scored, per_task, aligned))
    clock("comparison", compare, *sides, profile)
    return clock.seconds


def _enlarged(rows: pa.Table, count: int, seed: int) -> pa.Table:
    """``count`` rows in one chunk, as from a file: copies of the given ones under tasks and lines of their own."""
    copies = []
    for copy in range(-(-count // rows.num_rows)):
        part = _with(rows, "task", pc.add(rows["task"].cast(pa.int64()), copy * TASKS).cast(pa.string()))
        for column in _DIGESTS:
            part = _with(part, column, pc.binary_join_element_wise(part[column], pa.scalar(str(copy)), "-"))
        copies.append(part)
    table = pa.concat_tables(copies).slice(0, count).combine_chunks()
    rewards = np.random.default_rng(seed).random(count) < 0.4
    table = _with(table, "line", pa.array(np.arange(1, count + 1)))
    return _with(table, "reward", pa.array(rewards.astype(float)))


def _with(table: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, values)


def main() -> None:
    """Print seconds by step as JSON, one line per number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, default=[16_000])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    for count in options.rows:
        print(json.dumps({"rows": count, **analyse(count, options.runs)}), flush=True)


if __name__ == "__main__":
    main()
