"""What one night's re-analysis found and mended, as numbers and sentences: pure functions of what the walk did."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from blade_pipeline.automation.overdue import Overdue
from blade_pipeline.automation.update import Renewed
from blade_pipeline.storage import Cell, Entry

TRACELESS = "edited without a trace in size or times"
CHANGED = "files changed"
NEW = "new, or failed before"
LOST = "artifact or page lost"
ALTERED = "artifact not the recorded one"
CODE = "code changed"
FOLLOWING = "follows from another"
KINDS = (TRACELESS, CHANGED, NEW, LOST, ALTERED, CODE, FOLLOWING)

_BY_REASON = {
    "never made": NEW,
    "its file is missing": LOST,
    "its file is not the recorded one": ALTERED,
    "its code changed": CODE,
}
_SOURCE = "changed: source"


@dataclass
class Night:
    """What a night did beside the walk; ``mended`` are benchmarks whose jobs had failed and that are whole now."""

    files: int = 0
    bytes: int = 0
    vanished: list[Cell] = field(default_factory=list)
    returned: list[Cell] = field(default_factory=list)
    swept: int = 0
    forgotten: list[Cell] = field(default_factory=list)
    failed_before: int = 0
    mended: list[str] = field(default_factory=list)
    pruned: int = 0
    superseded: int = 0
    overdue: list[Overdue] = field(default_factory=list)


def kind_of(renewed: Renewed, is_traceless: Callable[[Renewed], bool]) -> str:
    """Why an artifact was made again, as a kind of repair."""
    if renewed.reason in _BY_REASON:
        return _BY_REASON[renewed.reason]
    if renewed.reason == _SOURCE:
        return TRACELESS if is_traceless(renewed) else CHANGED
    return FOLLOWING


def counts_of(made: Iterable[Renewed], is_traceless: Callable[[Renewed], bool]) -> dict[str, int]:
    """How many artifacts were made again for each kind of reason."""
    counted = Counter(kind_of(renewed, is_traceless) for renewed in made)
    return {kind: counted[kind] for kind in KINDS if counted[kind]}


def repairs_of(made: Iterable[Renewed], is_traceless: Callable[[Renewed], bool]) -> list[dict[str, str]]:
    """One row per run or benchmark and kind, with its artifacts; what merely follows from another is left out."""
    rows: dict[tuple[Cell, str], list[str]] = {}
    for renewed in made:
        kind = kind_of(renewed, is_traceless)
        if kind != FOLLOWING:
            rows.setdefault((renewed.cell, kind), []).append(renewed.stage.name)
    return [
        {"of": str(cell), "because": kind, "made again": ", ".join(names)}
        for (cell, kind), names in sorted(rows.items(), key=lambda item: (item[0][0].order, KINDS.index(item[0][1])))
    ]


def moved(before: Mapping[Cell, Entry], now: Mapping[Cell, Entry]) -> tuple[list[Cell], list[Cell]]:
    """The runs whose directory vanished between two states of the registry, and those whose directory is back."""
    gone = {cell for cell, entry in before.items() if entry.vanished is not None}
    gone_now = {cell for cell, entry in now.items() if entry.vanished is not None}
    return _in_order(gone_now - gone), _in_order(gone - gone_now)


def sentence_of(night: Night, made: int, failed: Sequence[str]) -> str:
    """One line that says what the night did."""
    parts = [f"read {night.files} files again ({night.bytes / 1e6:.1f} MB)", f"made {made} artifacts again"]
    parts += [f"{len(cells)} directories {what}" for what, cells in _directories(night) if cells]
    parts += [f"mended {', '.join(night.mended)}"] if night.mended else []
    parts += [f"{len(failed)} failures are left"] if failed else []
    late = ", ".join(found.benchmark for found in night.overdue)
    parts += [f"no new run for too long in {late}"] if late else []
    return "; ".join(parts)


def _directories(night: Night) -> list[tuple[str, list[Cell]]]:
    return [("vanished", night.vanished), ("came back", night.returned)]


def _in_order(cells: Iterable[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: cell.order)
