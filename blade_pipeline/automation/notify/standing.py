"""What stands about a run now, and what of it a channel was not told yet: pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from blade_pipeline.automation.notify.notice import Notice
from blade_pipeline.rounding import percent, signed
from blade_pipeline.storage import Cell

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Standing:
    """A run's verdict, the version of the report that says so, and the notices that hold as long as it stands."""

    cell: Cell
    report: str
    verdict: str
    how_sure: str
    look: str
    conditions: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Told:
    """What one channel knows of a run: up to which report, its verdict, and the key of each condition told."""

    report: str | None = None
    verdict: str | None = None
    conditions: Mapping[str, str] = field(default_factory=dict)


def standing_of(
    cell: Cell, report: str, headline: Document, comparison: Document, coverage: Document, look: str
) -> Standing:
    """What the artifacts of a run say.

    Args:
        cell: the run.
        report: data version of its report.
        headline: of the document of ``blade_report``.
        comparison: document of ``run_comparison``.
        coverage: document of ``coverage``.
        look: path of the published report.
    """
    pair = next(iter(comparison["pairs"]), None)
    sure = _measured(coverage) if pair is None else f"{_interval(pair)}{_moved(pair, comparison)}"
    worse = _regression(cell, pair, comparison, report, look) if pair else None
    found = [worse, _below_floor(cell, coverage, report, look)]
    return Standing(cell, report, headline["verdict"], sure, look, tuple(notice for notice in found if notice))


def due_of(told: Told | None, standing: Standing) -> list[Notice]:
    """What a channel that knows ``told`` has to be told; the first verdict of a run is no change."""
    known = told or Told()
    due = [notice for notice in standing.conditions if known.conditions.get(notice.kind) != notice.key]
    if known.verdict in (None, standing.verdict):
        return due
    return [_changed(known.verdict, standing), *due]


def after(told: Told | None, notice: Notice, standing: Standing) -> Told:
    """What a channel knows once a notice was sent."""
    known = told or Told()
    if notice.kind == "verdict_changed":
        return Told(known.report, standing.verdict, known.conditions)
    return Told(known.report, known.verdict, {**known.conditions, notice.kind: notice.key})


def up_to_date(standing: Standing) -> Told:
    """What a channel knows when nothing is left to tell; a condition that no longer holds can be told again."""
    conditions = {str(notice.kind): notice.key for notice in standing.conditions}
    return Told(standing.report, standing.verdict, conditions)


def _changed(before: str, standing: Standing) -> Notice:
    cell, now = standing.cell, standing.verdict
    what = f"{cell}: the verdict went from {before} to {now}"
    key = f"{before} to {now}"
    return Notice(
        "verdict_changed", cell.benchmark, cell.run, what, standing.how_sure, standing.look, key, standing.report
    )


def _regression(cell: Cell, pair: Document, comparison: Document, report: str, look: str) -> Notice | None:
    """A change of what is under study, for the worse, whose interval for new tasks excludes no difference.

    A weaker model is no news beside a stronger one, so where the models differ it says why the two are held together.
    """
    gap = pair["difference"]
    if pair["verdict"] != f"{pair['varying']}_change" or (gap["value"] > 0) == gap["higher_is_better"]:
        return None
    what = f"{cell} is worse than {pair['run_a']} beyond noise"
    if pair["conditional_on"]:
        what += f", provided that {len(pair['conditional_on'])} unknown settings are the same"
    sure = f"{_interval(pair)}{_moved(pair, comparison)}{_of_two_models(pair, str(comparison['reason']))}"
    return Notice("regression", cell.benchmark, cell.run, what, sure, look, str(pair["run_a"]), report)


def _below_floor(cell: Cell, coverage: Document, report: str, look: str) -> Notice | None:
    share, floor = coverage["measured_share"], coverage["min_coverage"]
    if share is None or floor is None or share >= floor:
        return None
    what = f"{cell}: less is measured than the profile's min_coverage of {percent(floor)}"
    sure = _measured(coverage)
    return Notice("coverage_below_floor", cell.benchmark, cell.run, what, sure, look, str(floor), report)


def _measured(coverage: Document) -> str:
    counts = coverage["accounting"]
    if not counts["expected"]:
        return f"{counts['measured']} rollouts are measured, and how many were expected is unknown"
    share = percent(counts["measured"] / counts["expected"])
    return f"{share} of the expected rollouts are measured, {counts['measured']} of {counts['expected']}"


def _interval(pair: Document) -> str:
    gap, interval = pair["difference"], pair["difference"]["new_tasks"]
    against = f"against {pair['run_a']} on {gap['tasks']} common tasks"
    if gap["value"] is None or interval["low"] is None:
        return f"no interval {against}"
    value, low, high = (_points(number, gap["metric"]) for number in (gap["value"], interval["low"], interval["high"]))
    unit = " points" if gap["metric"] == "pass@1" else ""
    bounds = f"{interval['level']:.0%} interval for new tasks {low} to {high}{unit}"
    return f"{gap['metric']} {value}{unit} {against}, {bounds}"


def _moved(pair: Document, comparison: Document) -> str:
    """The slices, failure modes and tools that moved beyond chance, where there are any."""
    behaviour = ((comparison.get(name) or {}).get("sentence") for name in ("modes", "tools"))
    told = (pair.get("slice_sentence"), *behaviour)
    return "".join(f". {str(text).removesuffix('.')}" for text in told if text)


def _of_two_models(pair: Document, reason: str) -> str:
    differ = any(check["id"] == "model" and check["status"] == "different" for check in pair["checks"])
    return f". The models differ; the baseline is {reason}" if differ else ""


def _points(value: float, metric: str) -> str:
    return signed(100 * value, 1) if metric == "pass@1" else f"{value:+.3g}"
