"""Which pairs are compared: a run with its baseline and references, and every pair of a benchmark's runs."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from blade_pipeline.method.comparison.behaviour import Behaviour, moved_behaviour
from blade_pipeline.method.comparison.compare import compare
from blade_pipeline.method.comparison.debugging import debugging_cases
from blade_pipeline.method.comparison.leaderboard import leaderboard
from blade_pipeline.method.comparison.many import compared
from blade_pipeline.method.comparison.pairs import Pairs, in_order
from blade_pipeline.method.comparison.references import against_reference
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.models import Profile, Reference


def baseline_of(run: str, manifests: Mapping[str, Mapping[str, Any]], profile: Profile) -> tuple[str | None, str]:
    """The run that ``run`` is held against, and why: the profile's, else the one before it in time, then by name.

    Time is the earliest timestamp of a run's own rows; runs without one come first.
    """
    if profile.baseline_run == run:
        return None, "this run is the profile's baseline"
    if profile.baseline_run is not None:
        if profile.baseline_run in manifests:
            return profile.baseline_run, "the profile's baseline_run"
        return None, f"the profile's baseline_run '{profile.baseline_run}' is not among the runs"
    order = sorted(manifests, key=lambda name: (_started(manifests[name]), name))
    position = order.index(run)
    if position == 0:
        return None, "no run of this benchmark precedes it"
    return order[position - 1], "the run before it by its rows' timestamps, then by name"


def run_comparison(
    run: Behaviour,
    baseline: Behaviour | None,
    references: Mapping[str, Any],
    profile: Profile,
    reason: str,
) -> dict[str, Any]:
    """A run against its baseline, also by failure mode and tool, and against the references of its benchmark."""
    side = run.side
    return {
        "baseline": baseline.side.run if baseline else None,
        "reason": reason,
        "debugging": debugging_cases([side]),
        "pairs": [compare(baseline.side, side, profile)] if baseline else [],
        **(moved_behaviour(baseline, run) if baseline else {"modes": None, "tools": None}),
        "references": [
            against_reference(side, Reference.model_validate(entry), profile) for entry in references["references"]
        ],
    }


def comparability(sides: Sequence[Side], profile: Profile, known: Pairs | None = None) -> tuple[dict[str, Any], Pairs]:
    """Every pair of a benchmark's runs: the baseline first, then by time, so that a pair reads forward.

    Args:
        sides: the runs.
        profile: of the benchmark.
        known: pairs that still hold.

    Returns:
        ``{runs, debugging}`` with the runs in order and those that crashed, and the pairs.
    """
    ordered = sorted(sides, key=lambda side: (side.run != profile.baseline_run, _started(side.manifest), side.run))
    pairs = list(itertools.combinations(range(len(ordered)), 2))
    held = known or Pairs.of([])
    places = [held.positions.get((ordered[a].run, ordered[b].run)) for a, b in pairs]
    missing = [pair for pair, place in zip(pairs, places, strict=True) if place is None]
    added = itertools.count(len(held))
    table = in_order(
        [held.table, *compared(ordered, missing, profile)],
        [next(added) if place is None else place for place in places],
    )
    document = {"runs": [side.run for side in ordered], "debugging": debugging_cases(ordered)}
    return document, Pairs(table)


def model_comparison(
    benchmark: str, sides: Sequence[Side], pairs: Pairs, funnels: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The leaderboard of a benchmark with the ranks that its pairs can tell apart.

    Args:
        benchmark: its name.
        sides: the runs that were compared.
        pairs: all pairs of them.
        funnels: the funnel document of each run, of which a row holds the counts under ``funnel``.
    """
    found = leaderboard(benchmark, sorted(sides, key=lambda side: side.run), pairs.briefs)
    rows = [row | {"funnel": _counts_of(funnels[row["run"]])} for row in found["leaderboard"]]
    return found | {"leaderboard": rows}


def _counts_of(funnel: Mapping[str, Any]) -> dict[str, Any]:
    phases = [{name: phase[name] for name in ("phase", "entered", "reached")} for phase in funnel["phases"]]
    return {"phases": phases} | {name: funnel[name] for name in ("source", "total_rollouts", "largest_drop")}


def _started(manifest: Mapping[str, Any]) -> str:
    return manifest["values"].get("started_at", {}).get("value") or ""
