"""Two runs held against each other, in the order in which people fool themselves."""

from typing import Any

from blade_pipeline.method.comparison.accounting import accounting_checks
from blade_pipeline.method.comparison.amounts import score_text
from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.checks import ordered_checks
from blade_pipeline.method.comparison.copies import copies_check
from blade_pipeline.method.comparison.debugging import debugging_cases
from blade_pipeline.method.comparison.difference import ALPHA, FEW_MOVED, beyond_chance, difference
from blade_pipeline.method.comparison.flips import flips
from blade_pipeline.method.comparison.mix import category_mix
from blade_pipeline.method.comparison.mixed import mixed_words
from blade_pipeline.method.comparison.moved_slices import moved_sentence
from blade_pipeline.method.comparison.moves import moves
from blade_pipeline.method.comparison.pairing import pair_tasks
from blade_pipeline.method.comparison.peer_compare import peer_compare
from blade_pipeline.method.comparison.scale import scale_check, scale_of
from blade_pipeline.method.comparison.secondary import secondary
from blade_pipeline.method.comparison.settle import settling
from blade_pipeline.method.comparison.shock import shock_check
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import Values, content_order, metric_name, paired_values
from blade_pipeline.method.comparison.verdict import Judged, decide
from blade_pipeline.method.comparison.wording import paragraph, sentence
from blade_pipeline.models import BladeError, Factor, Profile, UsageProblem


def compare(
    a: Side, b: Side, profile: Profile, *, varying: Factor | None = None, margin: float | None = None
) -> dict[str, Any]:
    """The pair object of ``comparability.json``: checks in order, verdict, paired statistics, flips.

    Scores that are not only 0 and 1 add ``moves``: the tasks by their mean score.

    Args:
        a: the run compared with, usually the baseline.
        b: the run compared; differences are ``b`` minus ``a``.
        profile: gives the factor under study and the margin unless they are given here.
        varying: the factor under study.
        margin: smallest difference that matters, as a share of the range of the score.

    Raises:
        BladeError: the margin is not above 0.
        UsageProblem: both sides are one run.
    """
    if a.run == b.run and a.manifest == b.manifest:
        raise UsageProblem(f"{a.run} is one run, which cannot be held against itself: name another run.")
    factor = varying or profile.varying
    limit = profile.equivalence_margin if margin is None else margin
    if not limit > 0:
        raise BladeError(f"The margin must be above 0, got {limit}: give the smallest difference that matters.")
    pairing = pair_tasks(a, b)
    metric = metric_name(a, b)
    left, right = paired_values(a, b, pairing, metric)
    scale = scale_of(metric, profile, left, right)
    gap = difference(left, right, metric, limit, scale)
    gap["higher_is_better"] = metric == "pass@1" or profile.higher_is_better
    checks = [
        *ordered_checks(a, b, pairing, factor, mix_is_meant=profile.mixed_models or varying is not None),
        scale_check(a, b),
        *accounting_checks(a, b, (left, right), limit, scale, gap),
    ]
    checks += [_overlap(left, right, gap["tasks"]), copies_check(a, b), shock_check(a, b), _noise(gap)]
    cases = debugging_cases((a, b))
    verdict = decide(checks, gap, factor)
    judged = Judged(a.run, b.run, verdict, checks, gap, cases)
    order = [pairing.a[position] for position in content_order(a, pairing.a)]
    further = secondary(left, right, [a.labels[row] for row in order], scale)
    moved = moved_sentence(further, metric)
    return {
        "run_a": a.run,
        "run_b": b.run,
        "varying": factor,
        "verdict": verdict.verdict,
        "headline_check": verdict.headline_check,
        "conditional_on": verdict.conditional_on,
        "sentence": sentence(judged, mixed_words((a, b), verdict.headline_check)),
        "paragraph": " ".join(filter(None, (paragraph(checks, gap, mixed_words((a, b))), moved))),
        "slice_sentence": moved,
        "settle": settling(judged),
        "debugging": cases,
        "pairing": pairing.summary(),
        "checks": checks,
        "difference": gap,
        "secondary": further,
        "mix": category_mix(a, b, metric),
        "flips": flips(left, right),
        **({} if metric == "pass@1" else {"moves": moves(left, right)}),
        "gym_compare": peer_compare(a, b),
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
    interval, p = gap["new_tasks"], gap["sign_flip_mid_p"]
    if interval["low"] is None:
        return check("noise", "noise", "unknown", blocking=False, label="chance", note=interval["reason"])
    excludes, beyond = interval["low"] > 0 or interval["high"] < 0, beyond_chance(gap)
    note = "the interval for new tasks " + ("excludes" if excludes else "includes") + " no difference"
    if excludes and not beyond:
        why = "few tasks moved" if gap["moved"] <= FEW_MOVED else "with one repeat a side every flip is of one size"
        note += f", but {why}, and the sign-flip test does not agree (mid-p = {p:.2g}, above {ALPHA})"
    return check(
        "noise",
        "noise",
        "different" if beyond else "same",
        a=score_text(gap["a"], gap["metric"]),
        b=score_text(gap["b"], gap["metric"]),
        blocking=False,
        label="chance",
        note=note,
    )
