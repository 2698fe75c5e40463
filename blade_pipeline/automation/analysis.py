"""One bulk analysis from the command line: see, register, bring up to date."""

import time
from dataclasses import dataclass, replace

from blade_pipeline.assets.graph import GRAPH, SHARING_GRAPH
from blade_pipeline.assets.live import Live
from blade_pipeline.assets.settings import Settings
from blade_pipeline.assets.world import see
from blade_pipeline.automation.events import runless
from blade_pipeline.automation.forgetting import finish_forgetting, unfinished
from blade_pipeline.automation.home import open_instance
from blade_pipeline.automation.registering import register
from blade_pipeline.automation.update import Progress, Update, bring_up_to_date
from blade_pipeline.environment import QUIET_SECONDS
from blade_pipeline.gym import settled
from blade_pipeline.storage import Cell, Registry, Store


@dataclass(frozen=True)
class Analysis:
    """The runs that were asked for, what was done, the world afterwards, and which runs may still be growing."""

    cells: list[Cell]
    update: Update
    live: Live
    growing: dict[Cell, str]

    @property
    def errors(self) -> list[str]:
        """Everything that a person must act on, one line each."""
        return [*self.live.problems, *self.update.errors]


def analyse(
    settings: Settings,
    *,
    benchmark: str | None = None,
    run: str | None = None,
    trusted: bool = True,
    shareable: bool = False,
    progress: Progress | None = None,
) -> Analysis:
    """Brings the runs below the settings' folder, and the pages of their benchmarks, up to date.

    Runs of the same benchmarks that earlier passes found elsewhere are kept up to date too, unless ``run`` narrows
    the choice. With ``shareable`` the editions that may leave the team are made too. A directory that is still being
    written is analysed as it stands. Where another process registered runs of the same benchmarks meanwhile, pages
    that were made without them are made again.

    Raises:
        BladeError: the runs folder is no folder, or the store or Dagster's folder cannot be used.
    """
    _finish_what_was_begun(settings)
    live = see(settings, trusted=trusted)
    live.store.sweep()
    cells = [cell for cell in sorted(live.here, key=lambda cell: cell.order) if _asked(cell, benchmark, run)]
    update = Update()
    benchmarks = {cell.benchmark for cell in [*cells, *live.vanished] if _asked(cell, benchmark, run)}
    if benchmarks:
        with open_instance(settings.store) as instance:
            register(instance, live)
            update = bring_up_to_date(
                instance,
                live,
                SHARING_GRAPH if shareable else GRAPH,
                runless(instance),
                progress,
                lambda cell: cell.benchmark in benchmarks and (run is None or cell.run in (None, run)),
            )
    done = Analysis(cells, update, live, _growing(live, update))
    if not _has_newcomers(live, benchmarks):
        return done
    again = analyse(settings, benchmark=benchmark, run=run, trusted=trusted, shareable=shareable, progress=progress)
    return _together(done, again)


def _finish_what_was_begun(settings: Settings) -> None:
    if unfinished(Store(settings.store)):
        with open_instance(settings.store) as instance:
            finish_forgetting(instance, settings)


def _has_newcomers(live: Live, benchmarks: set[str]) -> bool:
    """Whether some run of these benchmarks was registered after the world was seen."""
    entries = Registry.load(live.store).entries.items()
    return any(
        entry.vanished is None and cell.benchmark in benchmarks and cell not in live.runs for cell, entry in entries
    )


def _together(first: Analysis, then: Analysis) -> Analysis:
    """Two analyses as one: what the second could not mend is what is left to mend."""
    update = replace(
        then.update,
        made=[*first.update.made, *then.update.made],
        verdicts=[*first.update.verdicts, *then.update.verdicts],
        current=first.update.current,
    )
    return replace(then, update=update, growing=first.growing | then.growing)


def _growing(live: Live, update: Update) -> dict[Cell, str]:
    """Runs that were just analysed with rollouts missing and whose writer may not be done, each with the reason."""
    fresh = {renewed.cell for renewed in update.made if renewed.stage.name == "coverage"}
    found: dict[Cell, str] = {}
    for cell in sorted(fresh, key=lambda cell: cell.order):
        share = (live.read("coverage", cell).artifact.document or {})["coverage"]
        if share is not None and share < 1:
            done = settled(live.runs[cell], time.time(), QUIET_SECONDS.amount())
            found |= {} if done.ok else {cell: done.reason}
    return found


def _asked(cell: Cell, benchmark: str | None, run: str | None) -> bool:
    return benchmark in (None, cell.benchmark) and run in (None, cell.run)
