"""Run directories: where they are looked for, those still being written, those that are gone or stay away."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.automation.overdue import Overdue
from blade_pipeline.storage import Cell, Entry

IsFolder = Callable[[str], bool]


def root_findings(asked: str, entries: Mapping[Cell, Entry], is_folder: IsFolder) -> list[Finding]:
    """One finding per folder of run directories: the one asked for, and those that the store remembers."""
    found = []
    if not is_folder(asked):
        found.append(Finding("run roots", "act", f"{asked} is no folder", "name a folder that holds run directories"))
    for root in sorted({entry.root for entry in entries.values()}):
        runs = sum(entry.root == root for entry in entries.values())
        if is_folder(root):
            found.append(Finding("run roots", "ok", f"{root}: {runs} runs known"))
        else:
            what = f"{root} is gone, and with it the directories of {runs} runs"
            found.append(Finding("run roots", "act", what, "mount or restore it, or blade forget its runs"))
    return found


def unsettled_findings(waiting: Mapping[Cell, str], since: Mapping[str, str], overdue: datetime) -> list[Finding]:
    """Runs that are still being written, each with the reason; one that the sensor first saw before ``overdue`` acts.

    Args:
        waiting: reasons by run.
        since: when (ISO) the sensor first saw each being written.
        overdue: runs that are being written since then never settle.
    """
    found = []
    for cell, reason in waiting.items():
        begun = since.get(str(cell))
        if begun is not None and datetime.fromisoformat(begun) <= overdue:
            do = f"see whether its writer is alive; blade analyze --benchmark {cell.benchmark} does not wait"
            found.append(Finding("unsettled", "act", f"{cell}: being written since {begun}; {reason}", do))
        else:
            do = "it is analysed once it settles; blade analyze does not wait"
            found.append(Finding("unsettled", "note", f"{cell}: {reason}", do))
    return found


def overdue_findings(late: Sequence[Overdue]) -> list[Finding]:
    """Benchmarks whose runs are expected and stay away."""
    do = "see whether what makes its runs is alive, or give its profile more fresh_hours"
    return [Finding("expected runs", "act", f"{found.what}; {found.latest}", do) for found in late]


def vanished_findings(
    entries: Mapping[Cell, Entry], vanished: Mapping[Cell, str], is_folder: IsFolder
) -> list[Finding]:
    """Runs whose directory is gone although the folder around it is there; a whole folder that is gone is told once."""
    found = []
    for cell, directory in sorted(vanished.items(), key=lambda item: item[0].order):
        entry = entries.get(cell)
        if entry is not None and not is_folder(entry.root):
            continue
        since = f" since {entry.vanished}" if entry is not None and entry.vanished else ""
        what = f"{cell}: its directory {directory} is gone{since}; its results are kept and marked"
        found.append(Finding("vanished", "note", what, f"put it back, or blade forget {cell.benchmark} {cell.run}"))
    return found
