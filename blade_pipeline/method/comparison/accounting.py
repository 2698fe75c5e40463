"""Failure accounting of two runs: the same difference under every rule, and whether the rule decides the answer."""

from typing import Any

import numpy as np

from blade_pipeline.method.arrays import Counts
from blade_pipeline.method.comparison.checks import Check, check, status_of
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import Values, both_measured
from blade_pipeline.method.sql import records
from blade_pipeline.statistics import PairBounds, accountings, fisher_p, pair_bounds

RULES = ("observed", "failures_as_zero", "all_unscored_as_zero", "all_as_one")
BEYOND_CHANCE = 0.01
MASK_POINTS = 0.02


def differences(a: Values, b: Values) -> dict[str, float | None]:
    """The mean difference (second minus first) over the paired tasks under each of the four rules.

    ``observed`` runs over the tasks that both runs measured, the other rules over every paired task.
    """
    common = both_measured(a, b)
    whole = {rule: _minus(_scores(b)[rule], _scores(a)[rule]) for rule in RULES}
    return whole | {"observed": _minus(_scores(b.only(common))["observed"], _scores(a.only(common))["observed"])}


def bounds(a: Values, b: Values) -> PairBounds:
    """Worst and best case of the difference over every completion of the unscored repeats (Manski 2003)."""
    return pair_bounds(*a.extremes(), *b.extremes())


def accounting_checks(a: Side, b: Side, values: tuple[Values, Values], margin: float) -> list[Check]:
    """The checks of the group ``accounting``, in the order in which they decide."""
    left, right = values
    return [
        _rules_check(a, b, "count_failures_as_zero", "which failures count as zero"),
        _rules_check(a, b, "count_missing_as_zero", "whether missing rollouts count as zero"),
        _sign_check(left, right, margin),
        _rate_check("mask_rate", "the share of masked rollouts", left.masked, right.masked, left, right),
        _rate_check("loss_rate", "the share of lost rollouts", _lost(left), _lost(right), left, right),
        _share_check(a, b, "truncation", "the share of truncated answers", "incomplete_reason = 'max_output_tokens'"),
        _share_check(a, b, "empty_answers", "the share of empty answers", "answer_length = 0"),
    ]


def _scores(values: Values) -> dict[str, float | None]:
    return accountings(values.total, values.measured, values.failed, values.planned)


def _minus(b: float | None, a: float | None) -> float | None:
    return None if a is None or b is None else b - a


def _lost(values: Values) -> Counts:
    return values.unknown - values.masked


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


def _sign_check(a: Values, b: Values, margin: float) -> Check:
    """Whether the counting rule decides the sign, or moves the difference by more than the margin."""
    by_rule = {rule: value for rule, value in differences(a, b).items() if value is not None}
    signs = {np.sign(value) for value in by_rule.values()}
    spread = max(by_rule.values()) - min(by_rule.values()) if by_rule else 0.0
    decides = len(signs) > 1 or spread > margin
    shown = ", ".join(f"{rule.replace('_', ' ')} {value * 100:+.1f}" for rule, value in by_rule.items())
    status = "unknown" if not by_rule else "different" if decides else "same"
    return check(
        "accounting_rules",
        "accounting",
        status,
        label="the difference under each counting rule",
        note=f"the difference in points is {shown}" if by_rule else "no paired task has anything to count",
    )


def _rate_check(name: str, label: str, a: Any, b: Any, left: Values, right: Values) -> Check:
    hits = (int(a.sum()), int(b.sum()))
    totals = (int(left.planned.sum()), int(right.planned.sum()))
    return _compared_rates(name, label, hits, totals, MASK_POINTS if name == "mask_rate" else None)


def _share_check(a: Side, b: Side, name: str, label: str, condition: str) -> Check:
    (hits_a, total_a), (hits_b, total_b) = _share(a, condition), _share(b, condition)
    found = _compared_rates(name, label, (hits_a, hits_b), (total_a, total_b), None)
    return found | {"blocking": found["blocking"] and name == "empty_answers"}


def _share(side: Side, condition: str) -> tuple[int, int]:
    columns = side.aligned.select(["outcome", "incomplete_reason", "answer_length"])
    found = records(
        f"select count(*) filter ({condition}) as hits, count(*) as total from aligned where outcome = 'measured'",
        aligned=columns,
    )[0]
    return found["hits"], found["total"]


def _compared_rates(
    name: str, label: str, hits: tuple[int, int], totals: tuple[int, int], points: float | None
) -> Check:
    """Two rates by Fisher's exact test, which blocks, and by plain distance where given, which is only reported."""
    texts = [f"{hit} of {total}" for hit, total in zip(hits, totals, strict=True)]
    note = f"{label} is {texts[0]} against {texts[1]}"
    if min(totals) == 0:
        return check(name, "accounting", "unknown", a=texts[0], b=texts[1], label=label, blocking=False, note=note)
    p = float(fisher_p(hits[0], totals[0], hits[1], totals[1])[0])
    apart = abs(hits[0] / totals[0] - hits[1] / totals[1])
    beyond = p < BEYOND_CHANCE
    differs = beyond or (points is not None and apart > points)
    status = "different" if differs else "same"
    note += f" (Fisher's exact p = {p:.2g})" if differs else ""
    return check(name, "accounting", status, a=texts[0], b=texts[1], label=label, blocking=beyond, note=note)
