"""Partitions: those that are outdated, those without artifacts, and artifacts without a partition."""

from collections.abc import Collection, Iterable

from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.automation.outdated import Due, Plan
from blade_pipeline.storage import Cell

_NAMED = 10


def outdated_findings(plan: Plan, runs: int) -> list[Finding]:
    """One finding per run or benchmark that does not follow from what is there, with what changed."""
    by_cell: dict[Cell, list[Due]] = {}
    for due in plan.due:
        by_cell.setdefault(due.cell, []).append(due)
    if not by_cell:
        return [Finding("outdated", "ok", f"every artifact of {runs} runs follows from what is there")]
    found = [
        Finding("outdated", "act", f"{cell}: {_reasons(dues)}", f"run blade analyze --benchmark {cell.benchmark}")
        for cell, dues in sorted(by_cell.items(), key=lambda item: item[0].order)
    ]
    if plan.pending:
        found.append(Finding("outdated", "note", f"{len(plan.pending)} further artifacts may follow from these"))
    return found


def _reasons(dues: Iterable[Due]) -> str:
    """Each reason once, with the artifacts it holds for."""
    by_reason: dict[str, list[str]] = {}
    for due in dues:
        by_reason.setdefault(due.reason, []).append(due.stage.name)
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in by_reason.items())


def stray_findings(
    benchmarks: Collection[str], runs: Collection[str], known: Collection[Cell], artifacts: Collection[Cell]
) -> list[Finding]:
    """Names that Dagster knows and nothing stands behind, and artifacts that belong to no partition."""
    present = {*known, *artifacts}
    found = _unused("benchmark", set(benchmarks) - {cell.benchmark for cell in present})
    found += _unused("run directory", set(runs) - {cell.run for cell in present})
    registered = {cell for cell in artifacts if cell.benchmark in benchmarks and cell.run in (None, *runs)}
    for cell in sorted({cell for cell in artifacts if cell.run is not None}, key=lambda cell: cell.order):
        if cell not in known:
            what = f"{cell} has artifacts, and the store remembers no directory of it"
            found.append(Finding("partitions", "act", what, f"blade forget {cell.benchmark} {cell.run}"))
        elif cell not in registered:
            what = f"{cell} has artifacts and is no partition of these Dagster records"
            found.append(Finding("partitions", "act", what, f"run blade analyze --benchmark {cell.benchmark}"))
    return found


def _unused(kind: str, names: Collection[str]) -> list[Finding]:
    """Partitions behind which there is nothing, in one finding."""
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    what = f"partitions without a {kind} or artifacts: {', '.join(map(repr, sorted(names)[:_NAMED]))}{more}"
    do = "they do no harm; the page of any asset's partitions in blade ui can delete them"
    return [Finding("partitions", "note", what, do)]
