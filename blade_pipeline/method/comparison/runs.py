"""Which pairs are compared: a run with its baseline and references, and every pair of a benchmark's runs."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from blade_pipeline.method.comparison.check import Check
from blade_pipeline.method.comparison.compare import compare
from blade_pipeline.method.comparison.debugging import debugging_cases
from blade_pipeline.method.comparison.leaderboard import leaderboard
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
    run: Side, baseline: Side | None, references: Mapping[str, Any], profile: Profile, reason: str
) -> dict[str, Any]:
    """A run against its baseline and against the published references of its benchmark."""
    pairs = [compare(baseline, run, profile)] if baseline else []
    return {
        "baseline": baseline.run if baseline else None,
        "reason": reason,
        "debugging": debugging_cases([run]),
        "pairs": pairs,
        "references": [
            against_reference(run, Reference.model_validate(entry), profile) for entry in references["references"]
        ],
    }


def comparability(
    sides: Sequence[Side], profile: Profile, known: Mapping[tuple[str, str], Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Every pair of a benchmark's runs: the baseline first, then by time, so that a pair reads forward.

    Args:
        sides: the runs.
        profile: of the benchmark.
        known: pair objects that still hold, by the names of their runs.
    """
    ordered = sorted(sides, key=lambda side: (side.run != profile.baseline_run, _started(side.manifest), side.run))
    held = known or {}
    compared = (held.get((a.run, b.run)) or compare(a, b, profile) for a, b in itertools.combinations(ordered, 2))
    pairs = list(_sharing_checks(compared))
    return {"runs": [side.run for side in ordered], "pairs": pairs, "debugging": debugging_cases(ordered)}


def _sharing_checks(pairs: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The pairs with equal checks as one object: most runs of a benchmark are alike in most of what is checked."""
    seen: dict[str, Check] = {}
    for pair in pairs:
        yield {**pair, "checks": [seen.setdefault(repr(check), check) for check in pair["checks"]]}


def model_comparison(benchmark: str, sides: Sequence[Side], pairs: Mapping[str, Any]) -> dict[str, Any]:
    """The leaderboard of a benchmark with the ranks that its pairs can tell apart."""
    return leaderboard(benchmark, sorted(sides, key=lambda side: side.run), pairs["pairs"])


def _started(manifest: Mapping[str, Any]) -> str:
    return manifest["values"].get("started_at", {}).get("value") or ""
