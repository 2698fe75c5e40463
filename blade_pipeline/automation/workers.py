"""Makes the artifacts of one stage on every core, in processes that end with their parent."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from blade_pipeline import processes
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.perform import Made, perform
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell, Learned

Outcome = Made | BladeError
_Chunk = list[Cell]
_Answer = tuple[list[Outcome], Learned]

_WORTHWHILE = 12
_CHUNKS_PER_WORKER = 4
_MOST = 8


class Workers:
    """Worker processes, started when a stage first has enough cells to pay for their start.

    With few cells, or on one core, everything happens in this process. What a cell comes out as is the same either
    way.
    """

    def __init__(self, live: Live, graph: Graph, cores: int | None = None) -> None:
        self._live = live
        self._graph = graph
        self._count = min(processes.cores() if cores is None else cores, _MOST)
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def make(self, stage: Stage, cells: Sequence[Cell]) -> Iterator[Outcome]:
        """Each cell's artifact, or the error that kept it from being made, in order."""
        if self._count < 2 or len(cells) < _WORTHWHILE:
            yield from (_attempt(stage, cell, self._live, self._graph) for cell in cells)
            return
        chunks = list(_chunks(cells, self._count * _CHUNKS_PER_WORKER))
        for chunk, future in [(chunk, self._submit(stage, chunk)) for chunk in chunks]:
            yield from self._outcomes(stage, chunk, future)

    def _submit(self, stage: Stage, chunk: _Chunk) -> "Future[_Answer]":
        """Gives a chunk to the workers; to new ones where the old were ended while nobody waited for them."""
        try:
            return self._running().submit(_make_chunk, stage.name, chunk, self._live)
        except BrokenProcessPool:
            self._stop()
            return self._running().submit(_make_chunk, stage.name, chunk, self._live)

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._count, context, initializer=_begin, initargs=(self._graph,))
        return self._pool

    def _outcomes(self, stage: Stage, chunk: _Chunk, future: "Future[_Answer]") -> Iterator[Outcome]:
        """The outcomes of a chunk; one whose worker was ended is tried again, cell by cell."""
        try:
            outcomes, learned = future.result()
        except (BrokenProcessPool, CancelledError):
            self._stop()
            for cell in chunk:
                yield self._alone(stage, cell)
            return
        self._live.memo.adopt(learned)
        yield from outcomes

    def _alone(self, stage: Stage, cell: Cell) -> Outcome:
        try:
            [outcome], learned = self._submit(stage, [cell]).result()
        except BrokenProcessPool:
            self._stop()
            return BladeError("the worker process was ended from outside, perhaps for want of memory.")
        self._live.memo.adopt(learned)
        return outcome

    def _stop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _attempt(stage: Stage, cell: Cell, live: Live, graph: Graph) -> Outcome:
    try:
        return perform(stage, cell, live, graph)
    except BladeError as error:
        return error


def _chunks(cells: Sequence[Cell], count: int) -> Iterator[_Chunk]:
    size = -(-len(cells) // count)
    for start in range(0, len(cells), size):
        yield list(cells[start : start + size])


_graph: Graph


def _begin(graph: Graph) -> None:
    global _graph
    _graph = graph
    processes.begin_worker()


def _make_chunk(name: str, cells: _Chunk, live: Live) -> _Answer:
    stage = _graph[name]
    outcomes = [_attempt(stage, cell, live, _graph) for cell in cells]
    return outcomes, live.memo.learned_of(f"{name}/{cell}" for cell in cells)
