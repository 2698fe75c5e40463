"""Failure accounting of two runs: the same difference under every rule, and whether the rule decides the answer."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from blade_pipeline.method.arrays import Counts
from blade_pipeline.method.comparison.amounts import signed
from blade_pipeline.method.comparison.check import Check, check, status_of
from blade_pipeline.method.comparison.lost import lost_check, lost_words
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import UNIT, Scale, Values, both_measured
from blade_pipeline.statistics import accountings, fisher_p, pair_bounds, tipping_point

RULES = ("observed", "failures_as_zero", "all_unscored_as_zero", "all_as_one")
BEYOND_CHANCE = 0.01
MASK_POINTS = 0.02
UNBOUNDED = (
    "the profile declares no reward_range, so nobody can say how far the lost rollouts could move the difference"
)
_ROUNDING = 1e-12


def differences(a: Values, b: Values, scale: Scale | None = UNIT) -> dict[str, float | None]:
    """The mean difference (second minus first) over the paired tasks under each of the four rules.

    ``observed`` runs over the tasks that both runs measured, the other rules over every paired task, with zero and one
    standing for the ends of the scale; they are null where nobody has said how far the scale goes.
    """
    common = both_measured(a, b)
    observed = _minus(_scores(b.only(common))["observed"], _scores(a.only(common))["observed"])
    if scale is None:
        return dict.fromkeys(RULES) | {"observed": observed}
    low, high = scale
    left, right = (_scores(side.on_unit(scale)) for side in (a, b))
    unit = {rule: _minus(right[rule], left[rule]) for rule in RULES}
    return {rule: None if gap is None else gap * (high - low) for rule, gap in unit.items()} | {"observed": observed}


def bounds(a: Values, b: Values, scale: Scale | None = UNIT) -> dict[str, Any]:
    """Worst and best case of the difference over every completion of the unscored repeats (Manski 2003).

    Null on a scale whose ends nobody has said.
    """
    if scale is None:
        return {"low": None, "high": None, "sign_identified": None}
    width = scale[1] - scale[0]
    found = pair_bounds(*a.on_unit(scale).extremes(), *b.on_unit(scale).extremes())
    ends = [None if end is None else end * width for end in (found.low, found.high)]
    return {"low": ends[0], "high": ends[1], "sign_identified": found.sign_identified}


def tipping(a: Values, b: Values, scale: Scale | None = UNIT) -> dict[str, Any] | None:
    """The pass rate of unscored rollouts at which the sign flips, over the rollouts of the paired tasks.

    For graded scores the share of the scale that they would have to reach.
    """
    expected = [int(side.planned.sum()) for side in (a, b)]
    if min(expected) < 1 or scale is None:
        return None
    a, b = a.on_unit(scale), b.on_unit(scale)
    sums, lost = ([float(side.total.sum()) for side in (a, b)], [int(side.unknown.sum()) for side in (a, b)])
    return tipping_point(sums[0], lost[0], expected[0], sums[1], lost[1], expected[1]).as_dict()


def accounting_checks(
    a: Side, b: Side, values: tuple[Values, Values], margin: float, scale: Scale | None, found: Mapping[str, Any]
) -> list[Check]:
    """The checks of the group ``accounting``, in the order in which they decide: what was lost, then what that does.

    ``margin`` is a share of the scale; ``found`` is the difference of the runs.
    """
    left, right = values
    errors = [side.failed + side.unscored for side in values]
    return [
        _rules_check(a, b, "count_failures_as_zero", "which failures count as zero"),
        _rules_check(a, b, "count_missing_as_zero", "whether missing rollouts count as zero"),
        _rules_check(a, b, "route_failures_to_sidecar", "whether failures go to the sidecar"),
        _rate_check("mask_rate", "the share of masked rollouts", (left.masked, right.masked), values),
        _rate_check("error_rate", "the share of failed or unscored rollouts", (errors[0], errors[1]), values),
        _rate_check("missing_rate", "the share of missing rollouts", (left.missing, right.missing), values),
        lost_check(a, b, left, right),
        _sign_check(a, b, values, margin, scale, found),
        _truncation(a, b),
        _share_check(a, b, "empty_answers", "the share of empty answers", "empty"),
    ]


def _scores(values: Values) -> dict[str, float | None]:
    return accountings(values.total, values.measured, values.failed, values.planned)


def _minus(b: float | None, a: float | None) -> float | None:
    return None if a is None or b is None else b - a


def _rules_check(a: Side, b: Side, key: str, label: str) -> Check:
    left, right = a.value(key), b.value(key)
    return check(
        key,
        "accounting",
        status_of(left, right),
        a=left,
        b=right,
        source_a=a.source(key),
        source_b=b.source(key),
        blocking=False,
        label=label,
    )


def _sign_check(
    a: Side, b: Side, values: tuple[Values, Values], margin: float, scale: Scale | None, found: Mapping[str, Any]
) -> Check:
    """Whether the counting rule decides the sign, or moves the difference by more than the margin."""
    by_rule = {rule: value for rule, value in found["accountings"].items() if value is not None}
    signs = {np.sign(value) if abs(value) > _ROUNDING else 0.0 for value in by_rule.values()}
    spread = max(by_rule.values()) - min(by_rule.values()) if by_rule else 0.0
    width = 1.0 if scale is None else scale[1] - scale[0]
    decides = len(signs) > 1 or spread > margin * width + _ROUNDING
    unbounded = scale is None and any(side.unknown.sum() for side in values)
    status = "unknown" if not by_rule or unbounded else "different" if decides else "same"
    return check(
        "accounting_rules",
        "accounting",
        status,
        a=lost_words(values[0]),
        b=lost_words(values[1]),
        source_a=f"the rollouts of {a.run} on paired tasks",
        source_b=f"the rollouts of {b.run} on paired tasks",
        label="the difference under each counting rule",
        note=UNBOUNDED if unbounded else _by_rule(by_rule, found["metric"]),
    )


def _by_rule(by_rule: dict[str, float], metric: str) -> str:
    if not by_rule:
        return "no paired task has anything to count"
    shown = {rule: signed(value, metric) for rule, value in by_rule.items()}
    if len(set(shown.values())) == 1:
        return f"the difference is {next(iter(shown.values()))} under every rule"
    return "the difference is " + ", ".join(f"{value} ({rule.replace('_', ' ')})" for rule, value in shown.items())


def _rate_check(name: str, label: str, lost: tuple[Counts, Counts], values: tuple[Values, Values]) -> Check:
    hits = (int(lost[0].sum()), int(lost[1].sum()))
    totals = (int(values[0].planned.sum()), int(values[1].planned.sum()))
    return _compared_rates(name, label, hits, totals, MASK_POINTS if name == "mask_rate" else None)


def _truncation(a: Side, b: Side) -> Check:
    """Answers cut at the output limit, and what the runs score on the others."""
    found = _share_check(a, b, "truncation", "the share of truncated answers", "truncated")
    completed = [side.measured_answers["completed_score"] for side in (a, b)]
    if found["status"] == "different" and None not in completed:
        found["note"] += f"; on completed answers the mean score is {completed[0]:.4g} against {completed[1]:.4g}"
    return found


def _share_check(a: Side, b: Side, name: str, label: str, kind: str) -> Check:
    of = (a.measured_answers, b.measured_answers)
    hits, totals = (of[0][kind], of[1][kind]), (of[0]["total"], of[1]["total"])
    found = _compared_rates(name, label, hits, totals, None)
    return found | {"blocking": found["blocking"] and name == "empty_answers"}


def _compared_rates(
    name: str, label: str, hits: tuple[int, int], totals: tuple[int, int], points: float | None
) -> Check:
    """Two rates by Fisher's exact test, which blocks, and by plain distance where given, which is only reported."""
    texts = [f"{hit} of {total}" for hit, total in zip(hits, totals, strict=True)]
    note = f"{label} is {texts[0]} against {texts[1]}"
    if min(totals) == 0:
        return check(name, "accounting", "unknown", a=texts[0], b=texts[1], label=label, blocking=False, note=note)
    p = float(fisher_p(hits[0], totals[0], hits[1], totals[1])[0]) if any(hits) else 1.0
    apart = abs(hits[0] / totals[0] - hits[1] / totals[1])
    beyond = p < BEYOND_CHANCE
    differs = beyond or (points is not None and apart > points)
    note += f" (Fisher's exact p = {p:.2g})" if any(hits) else ""
    status = "different" if differs else "same"
    return check(name, "accounting", status, a=texts[0], b=texts[1], label=label, blocking=beyond, note=note)
