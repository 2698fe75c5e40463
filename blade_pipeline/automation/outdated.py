"""Names what has to be recomputed: one pure function of the event log, the store and the directories."""

from collections.abc import Iterator
from dataclasses import dataclass

import dagster as dg

from blade_pipeline.assets.live import Live
from blade_pipeline.assets.stage import Graph, Stage
from blade_pipeline.automation.records import load_records
from blade_pipeline.automation.state import State
from blade_pipeline.storage import Cell


@dataclass(frozen=True)
class Due:
    """A cell of a stage that has to be recomputed, why, and a digest of the inputs that it would be made from."""

    stage: Stage
    cell: Cell
    reason: str
    inputs: str


@dataclass(frozen=True)
class Plan:
    """In graph order: what is due now, and what stands below it and may follow."""

    due: list[Due]
    pending: list[tuple[Stage, Cell]]

    def of(self, benchmark: str) -> list[Due]:
        """What is due in one benchmark."""
        return [due for due in self.due if due.cell.benchmark == benchmark]


def outdated(instance: dg.DagsterInstance, live: Live, graph: Graph) -> Plan:
    """Compares every live cell's recorded inputs and code with the current ones, from nothing but the records.

    A cell is due when it does not follow from what is there and nothing above it is due; everything below a due cell
    is pending, and stays as it is when the due cell comes out the same.
    """
    return plan(State(live, graph, load_records(instance, graph, live.known(), live.store)))


def plan(state: State) -> Plan:
    """The plan that follows from a state."""
    due: list[Due] = []
    pending: list[tuple[Stage, Cell]] = []
    moving: set[tuple[str, Cell]] = set()
    moving_in: set[tuple[str, str]] = set()
    for stage in state.graph:
        across = _read_across(state.graph, stage)
        for cell in cells_in_order(state.live, stage):
            if state.is_waiting(stage, cell):
                continue
            if not moving.isdisjoint(state.graph.stands_on(stage, cell)) or any(
                (name, cell.benchmark) in moving_in for name in across
            ):
                pending.append((stage, cell))
            elif state.lacks(stage, cell) is not None:
                continue
            elif (reason := state.why_outdated(stage, cell)) is not None:
                due.append(Due(stage, cell, reason, state.fingerprint(stage, cell)))
            else:
                continue
            moving.add((stage.name, cell))
            moving_in.add((stage.name, cell.benchmark))
    return Plan(due, pending)


def cells_in_order(live: Live, stage: Stage) -> Iterator[Cell]:
    """Every live cell of a stage, benchmark by benchmark."""
    for benchmark in live.benchmarks():
        yield from live.cells(stage, benchmark)


def _read_across(graph: Graph, stage: Stage) -> list[str]:
    """The artifacts that a stage may read of every run of its benchmark."""
    return graph.run_assets(stage) if stage.level == "benchmark" or stage.looks_across else []
