"""Tells a team what matters, once: verdicts, regressions, lost coverage, runs that never settle or come, failures."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from blade_pipeline.assets.links import place_of
from blade_pipeline.assets.live import Live
from blade_pipeline.automation.notify.channels import Channel, channels_of
from blade_pipeline.automation.notify.memory import FILE, MOST_HEARD, Heard, Memory
from blade_pipeline.automation.notify.notice import Notice
from blade_pipeline.automation.notify.standing import Standing, after, due_of, standing_of, up_to_date
from blade_pipeline.automation.notify.webhook import ChannelError
from blade_pipeline.automation.overdue import Overdue, overdue
from blade_pipeline.environment import UNSETTLED_HOURS
from blade_pipeline.models import BladeError
from blade_pipeline.storage import Cell

_NEEDED = ("blade_report", "run_comparison", "coverage")


def notify(
    live: Live,
    log: Callable[[str], None] | None = None,
    failed: Mapping[str, Notice] | None = None,
    *,
    settling: bool = True,
) -> list[str]:
    """Tells every channel of the environment what it was not told yet; answers what kept one from being told.

    Sent first and remembered then: a process that dies in between sends the same message, with the same id, once more.
    What a channel did not take is tried again at the next call, as long as it stands. Nothing is raised: notices never
    stand in the way of an analysis.

    Args:
        live: the world after a pass.
        log: takes lines for people, where there is a log.
        failed: notices of failed runs of Dagster, by run.
        settling: whether ``live.waiting`` says which runs are being written.
    """
    channels = channels_of(os.environ, log)
    if not channels:
        return []
    try:
        hours = UNSETTLED_HOURS.amount() if settling else None
        return tell(live, channels, hours, datetime.now(UTC), failed or {})
    except (OSError, BladeError) as error:
        return [f"Notices were not told: {error}"]


def tell(
    live: Live, channels: Sequence[Channel], hours: float | None, now: datetime, failed: Mapping[str, Notice]
) -> list[str]:
    """The same for given channels and a given time; without ``hours`` nothing is said of runs that do not settle."""
    problems = []
    with live.store.lock([FILE]):
        memory = Memory.load(live.store)
        before = asdict(memory)
        memory.failures |= failed
        unsettled = [] if hours is None else _unsettled(live, memory, hours, now)
        late = [_late(found) for found in overdue(live, now)]
        teller = _Teller(live, memory)
        for channel in channels:
            try:
                teller.tell(channel, unsettled, late)
            except ChannelError as error:
                problems.append(f"Notices were not told by {channel.name}: {error}; they are tried again.")
        memory.forget_told_failures(channel.name for channel in channels)
        if asdict(memory) != before:
            memory.save(live.store)
    return problems


def _unsettled(live: Live, memory: Memory, hours: float, now: datetime) -> list[Notice]:
    """A notice for each run that has been written for too long; notes since when each is."""
    memory.waiting = {
        str(cell): memory.waiting.get(str(cell), now.isoformat(timespec="seconds")) for cell in live.waiting
    }
    found = []
    for cell, reason in live.waiting.items():
        begun = memory.waiting[str(cell)]
        if now - datetime.fromisoformat(begun) >= timedelta(hours=hours):
            what = f"{cell} has not settled for {hours:g} hours or more"
            sure, look = f"being written since {begun} at least; {reason}", str(live.runs[cell].path)
            found.append(Notice("never_settled", cell.benchmark, cell.run, what, sure, look, begun))
    return found


def _late(found: Overdue) -> Notice:
    """The notice of a benchmark whose runs stay away."""
    since = found.since.isoformat(timespec="seconds")
    return Notice("benchmark_overdue", found.benchmark, None, found.what, found.latest, found.place, since)


class _Teller:
    """Tells channels, reads each run's artifacts once, and saves what was told after every message."""

    def __init__(self, live: Live, memory: Memory) -> None:
        self._live = live
        self._memory = memory
        self._versions: dict[Cell, str] = {}
        self._standings: dict[Cell, Standing] = {}

    def tell(self, channel: Channel, unsettled: Sequence[Notice], late: Sequence[Notice]) -> None:
        """Everything that the channel was not told yet.

        Raises:
            ChannelError: the channel did not take a notice; the rest is left for next time.
        """
        heard = self._memory.heard.setdefault(channel.name, Heard())
        for run, notice in self._memory.failures.items():
            if run not in heard.failures:
                channel.send(notice)
                heard.failures = [*heard.failures, run][-MOST_HEARD:]
                self._memory.save(self._live.store)
        for notices, told in ((unsettled, heard.unsettled), (late, heard.overdue)):
            for notice in notices:
                if told.get(notice.cell) != notice.key:
                    channel.send(notice)
                    told[notice.cell] = notice.key
                    self._memory.save(self._live.store)
        for cell in sorted(self._live.runs, key=lambda cell: cell.order):
            if all(self._live.has(asset, cell) for asset in _NEEDED):
                self._tell_of(cell, channel, heard)

    def _tell_of(self, cell: Cell, channel: Channel, heard: Heard) -> None:
        if cell not in self._versions:
            self._versions[cell] = self._live.read("blade_report", cell).version
        told = heard.reports.get(str(cell))
        if told is not None and told.report == self._versions[cell]:
            return
        standing = self._standing(cell)
        for notice in due_of(told, standing):
            channel.send(notice)
            told = heard.reports[str(cell)] = after(told, notice, standing)
            self._memory.save(self._live.store)
        heard.reports[str(cell)] = up_to_date(standing)

    def _standing(self, cell: Cell) -> Standing:
        if cell not in self._standings:
            report = self._live.read("blade_report", cell)
            comparison, coverage = (self._live.read(asset, cell).artifact.document or {} for asset in _NEEDED[1:])
            headline = (report.artifact.document or {})["headline"]
            look = place_of(self._live.store, cell, "report.html")
            self._standings[cell] = standing_of(cell, report.version, headline, comparison, coverage, look)
        return self._standings[cell]
