"""Which pairs are compared: a run with its baseline and references, and every pair of a benchmark's runs."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from blade_pipeline.method.comparison.compare import compare
from blade_pipeline.method.comparison.leaderboard import leaderboard
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
        "pairs": pairs,
        "references": [_against(run, Reference.model_validate(entry)) for entry in references["references"]],
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
    pairs = [held.get((a.run, b.run)) or compare(a, b, profile) for a, b in itertools.combinations(ordered, 2)]
    return {"runs": [side.run for side in ordered], "pairs": pairs}


def model_comparison(benchmark: str, sides: Sequence[Side], pairs: Mapping[str, Any]) -> dict[str, Any]:
    """The leaderboard of a benchmark with the ranks that its pairs can tell apart."""
    return leaderboard(benchmark, sorted(sides, key=lambda side: side.run), pairs["pairs"])


def _started(manifest: Mapping[str, Any]) -> str:
    return manifest["values"].get("started_at", {}).get("value") or ""


def _against(run: Side, reference: Reference) -> dict[str, Any]:
    """A run's score beside a published one: a target, and a contract only with a config and a date."""
    score = reference.score / 100 if reference.scale == "percent" else reference.score
    own = run.scores["pass_at_1"] if reference.metric == "pass@1" else None
    difference = None if own is None else own - score
    rough = reference.config is None or reference.date_read is None
    return reference.model_dump(mode="json") | {
        "score_fraction": score,
        "own": own,
        "difference": difference,
        "rough": rough,
        "verdict": "insufficient_evidence",
        "sentence": _reference_sentence(run.run, reference, difference, rough),
    }


def _reference_sentence(run: str, reference: Reference, difference: float | None, rough: bool) -> str:
    if difference is None:
        return f"{run} has no {reference.metric} to hold against {reference.name}."
    text = f"{run} lies {difference * 100:+.1f} points from {reference.name}"
    if rough:
        return f"{text}, a rough target and no contract: it comes without a config or a date."
    return f"{text} (read {reference.date_read}); whether the method is the same has not been checked."
