"""Brings everything up to date in one walk through the graph."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import dagster as dg

from blade_pipeline.assets.check import Verdict
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.perform import Made
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.automation.eventlog import kept_open
from blade_pipeline.automation.events import Record
from blade_pipeline.automation.outdated import cells_in_order
from blade_pipeline.automation.records import load_records
from blade_pipeline.automation.state import State
from blade_pipeline.automation.workers import Workers
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell

Select = Callable[[Cell], bool]
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Renewed:
    """A cell that was recomputed, and why."""

    stage: Stage
    cell: Cell
    reason: str


@dataclass
class Update:
    """What one walk did: what it made, what failed with which sentence, and what was skipped below which failure."""

    made: list[Renewed] = field(default_factory=list)
    failed: dict[tuple[str, Cell], str] = field(default_factory=dict)
    skipped: dict[tuple[str, Cell], tuple[str, Cell]] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    current: int = 0

    @property
    def errors(self) -> list[str]:
        """One line per failed cell, in the order they came up, with what was skipped below it."""
        return [
            f"{stage} of {cell} failed: {sentence.rstrip('.')}.{self._below((stage, cell))}"
            for (stage, cell), sentence in self.failed.items()
        ]

    def _below(self, failed: tuple[str, Cell]) -> str:
        names = list(dict.fromkeys(stage for (stage, _), cause in self.skipped.items() if cause == failed))
        return f" Skipped below it: {', '.join(names)}." if names else ""


def bring_up_to_date(
    instance: dg.DagsterInstance,
    live: Live,
    graph: Graph,
    record: Record,
    progress: Progress | None = None,
    select: Select | None = None,
) -> Update:
    """Recomputes exactly what does not follow from the current inputs, in graph order, and records each artifact.

    An input rebuilt to the same content stops the wave there. A stage that raises marks its cell failed; what stands
    on it is skipped and named; every other cell goes on.
    """
    cells = {stage.name: _selected(live, stage, select) for stage in graph}
    benchmarks = {cell.benchmark for of_stage in cells.values() for cell in of_stage}
    with live.store.lock(benchmarks), kept_open(instance), Workers(live, graph) as workers:
        live.refresh()
        state = State(live, graph, load_records(instance, graph, live.known(), live.store))
        walk = _Walk(state, record, workers, _Counted(progress, sum(map(len, cells.values()))))
        for stage in graph:
            walk.visit(stage, cells[stage.name])
    live.memo.save()
    return walk.update


def _selected(live: Live, stage: Stage, select: Select | None) -> Sequence[Cell]:
    return [cell for cell in cells_in_order(live, stage) if select is None or select(cell)]


class _Counted:
    """Tells the progress of a walk of known length: how many cells are done with, and which is worked on."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def passed(self, cells: int) -> None:
        """Counts cells that are done with."""
        self._done += cells

    def work(self, stage: Stage, cells: Sequence[Cell]) -> Iterator[Cell]:
        """Hands out the cells one by one; asking for the next one counts the one before as done with."""
        for cell in cells:
            if self._progress is not None:
                self._progress(self._done, self._total, f"{stage.name} of {cell}")
            yield cell
            self._done += 1


class _Walk:
    """One walk through the graph and what came of it."""

    def __init__(self, state: State, record: Record, workers: Workers, counted: _Counted) -> None:
        self.update = Update()
        self._state = state
        self._record = record
        self._workers = workers
        self._counted = counted

    def visit(self, stage: Stage, cells: Sequence[Cell]) -> None:
        """Recomputes those of a stage's cells that have to be and can be; none of them stands on another."""
        due = {cell: reason for cell in cells if (reason := self._why(stage, cell)) is not None}
        self._counted.passed(len(cells) - len(due))
        outcomes = self._workers.make(stage, list(due))
        for cell in self._counted.work(stage, list(due)):
            self._take(stage, cell, next(outcomes), due[cell])

    def _why(self, stage: Stage, cell: Cell) -> str | None:
        """Why the cell is to be recomputed; None when it is current, or waits, or cannot be made."""
        if self._state.is_waiting(stage, cell):
            return None
        if (below := self._fallen(stage, cell)) is not None:
            self.update.skipped[stage.name, cell] = below
            return None
        if self._state.lacks(stage, cell) is not None:
            return None
        reason = self._state.why_outdated(stage, cell)
        self.update.current += reason is None
        return reason

    def _fallen(self, stage: Stage, cell: Cell) -> tuple[str, Cell] | None:
        """The failed cell that this one stands on."""
        for above in self._state.graph.stands_on(stage, cell):
            if above in self.update.failed:
                return above
            if above in self.update.skipped:
                return self.update.skipped[above]
        return None

    def _take(self, stage: Stage, cell: Cell, outcome: Made | BladeError, reason: str) -> None:
        if isinstance(outcome, BladeError):
            self.update.failed[stage.name, cell] = str(outcome)
            return
        self._record(outcome)
        self._state.live.wrote(stage, cell)
        self.update.verdicts += outcome.verdicts
        if outcome.error is not None:
            self.update.failed[stage.name, cell] = outcome.error
            return
        self._state.takes_over(outcome)
        self.update.made.append(Renewed(stage, cell, reason))
