"""Many pairs compared on every core.

In this process where they are few or no other core is free, and what workers that were ended left.
"""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

import pyarrow as pa

from blade_pipeline.method.comparison.compare import compare
from blade_pipeline.method.comparison.pairs import Pairs
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.models import Profile
from blade_pipeline.processes import begin_worker, cores

WORTHWHILE = 4000
"""Pairs from which starting workers pays."""

_CHUNK = 250
_MOST = 8

Places = Sequence[tuple[int, int]]


def compared(sides: Sequence[Side], pairs: Places, profile: Profile) -> Iterator[pa.Table]:
    """Rows of ``PAIRS``, chunk by chunk and in order.

    Args:
        sides: the runs.
        pairs: the first and the second run of each pair, as places in ``sides``.
        profile: of the benchmark.
    """
    chunks = [pairs[start : start + _CHUNK] for start in range(0, len(pairs), _CHUNK)]
    count, done = min(cores(), _MOST), 0
    if count > 1 and len(pairs) >= WORTHWHILE:
        context = multiprocessing.get_context("spawn")
        with (
            suppress(BrokenProcessPool, OSError),
            ProcessPoolExecutor(count, context, initializer=_begin, initargs=(sides, profile)) as pool,
        ):
            for table in pool.map(_of_worker, chunks):
                done += 1
                yield table
    yield from (_rows(sides, chunk, profile) for chunk in chunks[done:])


def _rows(sides: Sequence[Side], chunk: Places, profile: Profile) -> pa.Table:
    return Pairs.of(compare(sides[a], sides[b], profile) for a, b in chunk).table


_given: tuple[Sequence[Side], Profile]


def _begin(sides: Sequence[Side], profile: Profile) -> None:
    global _given
    _given = sides, profile
    begin_worker()


def _of_worker(chunk: Places) -> pa.Table:
    sides, profile = _given
    return _rows(sides, chunk, profile)
