"""Two runs held against each other, in the order in which people fool themselves."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method.comparison.accounting import accounting_checks
from blade_pipeline.method.comparison.checks import Check, check, ordered_checks
from blade_pipeline.method.comparison.difference import difference, flips
from blade_pipeline.method.comparison.pairing import Pairing, pair_tasks
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import Values, metric_name, paired_values
from blade_pipeline.method.comparison.verdict import decide, paragraph, sentence
from blade_pipeline.models import BladeError, Factor, Profile


def compare(
    a: Side, b: Side, profile: Profile, *, varying: Factor | None = None, margin: float | None = None
) -> dict[str, Any]:
    """The pair object of ``comparability.json``: checks in order, verdict, paired statistics, flips.

    Args:
        a: the run compared with, usually the baseline.
        b: the run compared; differences are ``b`` minus ``a``.
        profile: gives the factor under study and the margin unless they are given here.
        varying: the factor under study.
        margin: smallest difference that matters, as a fraction.

    Raises:
        BladeError: the margin is not above 0.
    """
    factor = varying or profile.varying
    limit = profile.equivalence_margin if margin is None else margin
    if not limit > 0:
        raise BladeError(f"The margin must be above 0, got {limit}: give the smallest difference that matters.")
    pairing = pair_tasks(a, b)
    metric = metric_name(a, b)
    left, right = paired_values(a, b, pairing, metric)
    gap = difference(left, right, metric, limit)
    checks = [*ordered_checks(a, b, pairing, factor), *accounting_checks(a, b, (left, right), limit)]
    checks += [_overlap(left, right, gap["tasks"]), _noise(gap)]
    verdict = decide(checks, gap, factor)
    return {
        "run_a": a.run,
        "run_b": b.run,
        "varying": factor,
        "verdict": verdict.verdict,
        "headline_check": verdict.headline_check,
        "conditional_on": verdict.conditional_on,
        "sentence": sentence(a.run, b.run, verdict, checks, gap),
        "paragraph": paragraph(checks, gap),
        "pairing": pairing.summary(),
        "checks": checks,
        "difference": gap,
        "flips": flips(left, right, _names(a, pairing)),
    }


def _overlap(a: Values, b: Values, tasks: int) -> Check:
    return check(
        "overlap",
        "noise",
        "same" if tasks >= 1 else "unknown",
        a=int((a.measured > 0).sum()),
        b=int((b.measured > 0).sum()),
        label="the overlap of scored tasks",
        note=f"{tasks} {'task is' if tasks == 1 else 'tasks are'} scored in both runs",
    )


def _noise(gap: dict[str, Any]) -> Check:
    interval = gap["new_tasks"]
    if interval["low"] is None:
        return check("noise", "noise", "unknown", blocking=False, label="chance", note=interval["reason"])
    beyond = interval["low"] > 0 or interval["high"] < 0
    return check(
        "noise",
        "noise",
        "different" if beyond else "same",
        a=gap["a"],
        b=gap["b"],
        blocking=False,
        label="chance",
        note="the interval for new tasks " + ("excludes" if beyond else "includes") + " no difference",
    )


def _names(a: Side, pairing: Pairing) -> list[str]:
    """Task ids in the order of the paired values."""
    rows = a.per_task.select(["pair_digest", "stage", "task"]).take(pa.array(pairing.a, pa.int64())).to_pylist()
    rows.sort(key=lambda row: (row["pair_digest"] or "", row["stage"], row["task"]))
    return [row["task"] for row in rows]
