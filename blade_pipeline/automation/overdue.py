"""Benchmarks whose runs are expected and stay away."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from blade_pipeline.assets.freshness import fresh_hours
from blade_pipeline.assets.live import Live
from blade_pipeline.gym import RunDirectory
from blade_pipeline.method.profiles import profile_of
from blade_pipeline.storage import Cell


@dataclass(frozen=True)
class Overdue:
    """A benchmark in which nothing was written for so many hours: its newest run, and when a file of it was written."""

    benchmark: str
    hours: float
    run: str
    since: datetime
    place: str

    @property
    def what(self) -> str:
        """What is the matter, in a sentence without its end."""
        return f"{self.benchmark}: no run was added or changed for {self.hours:g} hours or more"

    @property
    def latest(self) -> str:
        """What was written last."""
        return f"the newest file is one of {self.run}, written {self.since.isoformat(timespec='seconds')}"


def overdue(live: Live, now: datetime) -> list[Overdue]:
    """The benchmarks that have a live run and none as young as the profile's ``fresh_hours``, else the environment's.

    Raises:
        UsageProblem: ``BLADE_FRESH_HOURS`` is no number of hours above 0.
    """
    return list(_overdue(live, fresh_hours(), now))


def _overdue(live: Live, default: float | None, now: datetime) -> Iterator[Overdue]:
    for benchmark in live.benchmarks():
        hours, cells = _hours_of(live, Cell(benchmark)) or default, live.cells_of(benchmark)
        if hours is None or not cells:
            continue
        written, run = max((_written(live.runs[cell]), str(cell.run)) for cell in cells)
        since = datetime.fromtimestamp(written / 1e9, UTC)
        if now - since >= timedelta(hours=hours):
            place = str(live.runs[Cell(benchmark, run)].path.parent)
            yield Overdue(benchmark, hours, run, since, place)


def _hours_of(live: Live, cell: Cell) -> float | None:
    if not live.has("benchmark_profile", cell):
        return None
    document = live.read("benchmark_profile", cell).artifact.document or {}
    return profile_of(document).fresh_hours if document.get("present") else None


def _written(run: RunDirectory) -> int:
    """When a file of a run was written last, in nanoseconds since 1970."""
    return max((file.mtime_ns for file in run.files), default=0)
