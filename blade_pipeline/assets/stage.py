"""One step of the analysis: what it reads, what it makes, and how it is shown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from blade_pipeline.assets.check import Check
from blade_pipeline.columns import Columns
from blade_pipeline.metrics import Metric
from blade_pipeline.storage import Artifact, Cell

if TYPE_CHECKING:
    from blade_pipeline.assets.inputs import Inputs

Level = Literal["run", "benchmark"]
Folder = Literal["profiles", "references", "labels"]


@dataclass(frozen=True)
class Markdown:
    """Metadata that Dagster renders as Markdown."""

    text: str


def nothing_to_show(_: Artifact) -> dict[str, Any]:
    """The summary of a stage that shows no numbers."""
    return {}


@dataclass(frozen=True)
class Stage:
    """One asset of the graph as plain data around one pure function.

    ``columns`` are those of the artifact's table, none where it has none; ``deps`` the stages whose artifacts
    ``compute`` may ask for; ``reads`` the roles of the run directory's files, and ``folder`` the folder of the team's
    own files, that a reading stage reads. ``metrics`` are the numbers of the artifact's document; ``summary`` turns the
    artifact into metadata: numbers, names, small tables, never text of a rollout. ``looks_across`` marks a run-level
    stage that may also read other runs of its benchmark, ``shares`` one whose files may leave the team.
    """

    name: str
    level: Level
    description: str
    group: str
    compute: Callable[["Inputs"], Artifact]
    columns: Columns = field(default_factory=dict)
    deps: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    folder: Folder | None = None
    metrics: tuple[Metric, ...] = ()
    code_version: str = "1"
    kinds: tuple[str, ...] = ("duckdb",)
    publishes: tuple[str, ...] = ()
    shares: bool = False
    looks_across: bool = False
    summary: Callable[[Artifact], Mapping[str, Any]] = nothing_to_show


class Graph:
    """Stages in the order in which they can run, and the checks of what they make.

    Raises:
        ValueError: a stage comes before one that it depends on.
    """

    def __init__(self, stages: Sequence[Stage], checks: Sequence[Check] = ()) -> None:
        self.stages = tuple(stages)
        self.checks = tuple(checks)
        self._by_name: dict[str, Stage] = {}
        for stage in stages:
            early = [name for name in stage.deps if name not in self._by_name]
            if early:
                raise ValueError(f"{stage.name} stands before {', '.join(early)}, which it depends on")
            self._by_name[stage.name] = stage

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def __getitem__(self, name: str) -> Stage:
        return self._by_name[name]

    def checks_of(self, stage: Stage) -> list[Check]:
        """The checks of a stage's artifacts."""
        return [check for check in self.checks if check.asset == stage.name]

    def is_run_level(self, name: str) -> bool:
        """Whether the stage has one artifact per run."""
        return self._by_name[name].level == "run"

    def run_assets(self, stage: Stage) -> list[str]:
        """The run-level artifacts among a stage's dependencies."""
        return [name for name in stage.deps if self.is_run_level(name)]

    def stands_on(self, stage: Stage, cell: Cell) -> list[tuple[str, Cell]]:
        """The artifacts without which a cell cannot be made; a benchmark does without any one of its runs."""
        if stage.level == "run":
            return [(name, cell if self.is_run_level(name) else cell.of_benchmark) for name in stage.deps]
        return [(name, cell) for name in stage.deps if not self.is_run_level(name)]
