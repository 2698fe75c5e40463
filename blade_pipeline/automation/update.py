"""Brings everything up to date in one walk through the graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import dagster as dg

from blade_pipeline.assets.check import Verdict
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.perform import Made, perform
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.automation.eventlog import kept_open
from blade_pipeline.automation.events import Record
from blade_pipeline.automation.outdated import cells_in_order
from blade_pipeline.automation.records import load_records
from blade_pipeline.automation.state import State
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
    cells = _selected(live, graph, select)
    with live.store.lock(cell.benchmark for _, cell in cells), kept_open(instance):
        live.refresh()
        walk = _Walk(State(live, graph, load_records(instance, graph, live.known(), live.store)), record)
        for number, (stage, cell) in enumerate(cells):
            if progress is not None:
                progress(number, len(cells), f"{stage.name} of {cell}")
            walk.visit(stage, cell)
    live.memo.save()
    return walk.update


def _selected(live: Live, graph: Graph, select: Select | None) -> Sequence[tuple[Stage, Cell]]:
    cells = [(stage, cell) for stage in graph for cell in cells_in_order(live, stage)]
    return cells if select is None else [(stage, cell) for stage, cell in cells if select(cell)]


class _Walk:
    """One walk through the graph and what came of it."""

    def __init__(self, state: State, record: Record) -> None:
        self.update = Update()
        self._state = state
        self._record = record

    def visit(self, stage: Stage, cell: Cell) -> None:
        """Recomputes the cell when it has to be and can be."""
        if self._state.is_waiting(stage, cell):
            return
        if (below := self._fallen(stage, cell)) is not None:
            self.update.skipped[stage.name, cell] = below
        elif self._state.lacks(stage, cell) is None:
            self._renew(stage, cell)

    def _fallen(self, stage: Stage, cell: Cell) -> tuple[str, Cell] | None:
        """The failed cell that this one stands on."""
        for above in self._state.graph.stands_on(stage, cell):
            if above in self.update.failed:
                return above
            if above in self.update.skipped:
                return self.update.skipped[above]
        return None

    def _renew(self, stage: Stage, cell: Cell) -> None:
        reason = self._state.why_outdated(stage, cell)
        if reason is None:
            self.update.current += 1
            return
        try:
            made = perform(stage, cell, self._state.live, self._state.graph)
        except BladeError as error:
            self.update.failed[stage.name, cell] = str(error)
        else:
            self._take(made, reason)

    def _take(self, made: Made, reason: str) -> None:
        self._record(made)
        self.update.verdicts += made.verdicts
        if made.error is not None:
            self.update.failed[made.stage.name, made.cell] = made.error
            return
        self._state.takes_over(made)
        self.update.made.append(Renewed(made.stage, made.cell, reason))
