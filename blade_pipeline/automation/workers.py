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
    way. A run stays with one worker through all stages, which remembers its tables and what was worked out from them.
    """

    def __init__(self, live: Live, graph: Graph, cores: int | None = None) -> None:
        self._live = live
        self._count = min(processes.cores() if cores is None else cores, _MOST)
        self._graph = graph
        self._workers = [_Worker(graph) for _ in range(self._count)]
        self._homes: dict[Cell, int] = {}

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.stop()

    def make(self, stage: Stage, cells: Sequence[Cell]) -> Iterator[Outcome]:
        """Each cell's artifact, or the error that kept it from being made, in order."""
        if self._count < 2 or len(cells) < _WORTHWHILE:
            yield from (_attempt(stage, cell, self._live, self._graph) for cell in cells)
            return
        homes = [self._homes.setdefault(cell, len(self._homes) % self._count) for cell in cells]
        streams = [
            worker.make(stage, [cell for cell, home in zip(cells, homes, strict=True) if home == number], self._live)
            for number, worker in enumerate(self._workers)
        ]
        for home in homes:
            yield next(streams[home])


class _Worker:
    """One process, started when it is first given work, and again when it was ended from outside."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._process: ProcessPoolExecutor | None = None

    def make(self, stage: Stage, cells: Sequence[Cell], live: Live) -> Iterator[Outcome]:
        """The outcomes of all the cells, which are given to the process at once, in order."""
        given = [(chunk, self._submit(stage, chunk, live)) for chunk in _chunks(cells)]
        return (outcome for chunk, future in given for outcome in self._outcomes(stage, chunk, future, live))

    def stop(self) -> None:
        """Ends the process; what it was given and has not begun is lost."""
        if self._process is not None:
            self._process.shutdown(cancel_futures=True)
            self._process = None

    def _submit(self, stage: Stage, chunk: _Chunk, live: Live) -> "Future[_Answer]":
        """Gives a chunk to the process; to a new one where the old was ended while nobody waited for it."""
        try:
            return self._running().submit(_make_chunk, stage.name, chunk, live)
        except BrokenProcessPool:
            self.stop()
            return self._running().submit(_make_chunk, stage.name, chunk, live)

    def _running(self) -> ProcessPoolExecutor:
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._process = ProcessPoolExecutor(1, context, initializer=_begin, initargs=(self._graph,))
        return self._process

    def _outcomes(self, stage: Stage, chunk: _Chunk, future: "Future[_Answer]", live: Live) -> Iterator[Outcome]:
        """The outcomes of a chunk; one whose process was ended is tried again by the next process, cell by cell."""
        try:
            outcomes, learned = future.result()
        except (BrokenProcessPool, CancelledError):
            for cell in chunk:
                yield self._alone(stage, cell, live)
            return
        live.memo.adopt(learned)
        yield from outcomes

    def _alone(self, stage: Stage, cell: Cell, live: Live) -> Outcome:
        try:
            [outcome], learned = self._submit(stage, [cell], live).result()
        except BrokenProcessPool:
            self.stop()
            return BladeError("the worker process was ended from outside, perhaps for want of memory.")
        live.memo.adopt(learned)
        return outcome


def _attempt(stage: Stage, cell: Cell, live: Live, graph: Graph) -> Outcome:
    try:
        return perform(stage, cell, live, graph)
    except BladeError as error:
        return error


def _chunks(cells: Sequence[Cell]) -> Iterator[_Chunk]:
    size = -(-len(cells) // _CHUNKS_PER_WORKER) or 1
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
