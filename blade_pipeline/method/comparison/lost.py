"""Which rollouts two runs lost, and whether they sat on hard tasks."""

import math

from blade_pipeline.method.arrays import Floats, known_mean
from blade_pipeline.method.comparison.check import Check, check
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.method.comparison.values import Values
from blade_pipeline.rounding import percent
from blade_pipeline.statistics import welch_over_repeats

ALPHA = 0.05


def lost_words(values: Values) -> str:
    """The lost rollouts of a run's paired tasks by kind, in words."""
    kinds = {"masked": values.masked, "failed": values.failed, "unscored": values.unscored, "missing": values.missing}
    found = [f"{int(count.sum())} {kind}" for kind, count in kinds.items() if count.sum()]
    return f"{', '.join(found) or 'nothing lost'} of {int(values.planned.sum())}"


def lost_check(a: Side, b: Side, left: Values, right: Values) -> Check:
    """How the other run scored on the tasks whose rollouts one run lost, against how it scored on the rest."""
    found = [_hardness(a.run, left, b.run, right), _hardness(b.run, right, a.run, left)]
    notes = [note for note, _ in found if note]
    return check(
        "lost_on_hard_tasks",
        "accounting",
        "different" if any(apart for _, apart in found) else "same",
        a=lost_words(left),
        b=lost_words(right),
        blocking=False,
        label="whether lost rollouts sat on hard or easy tasks",
        note="; ".join(notes) or "no run lost a rollout on a task that the other scored",
    )


def _hardness(loser: str, lost: Values, other: str, scored: Values) -> tuple[str | None, bool]:
    """A sentence on the tasks with lost rollouts, and whether they are harder or easier than the rest beyond chance."""
    known = scored.measured > 0
    hit, rest = known & (lost.unknown > 0), known & (lost.unknown == 0)
    if not hit.any():
        return None, False
    count = int(hit.sum())
    note = f"{loser} lost rollouts on {count} task{'s' * (count != 1)}, on which {other} scores "
    on_lost, on_rest = known_mean(scored.mean[hit]) or 0.0, known_mean(scored.mean[rest])
    note += _score(on_lost)
    if on_rest is None:
        return note, False
    note += f" against {_score(on_rest)} on the others"
    apart = _apart(scored.mean[hit], scored.mean[rest])
    if apart:
        note += f", so {'hard' if on_lost < on_rest else 'easy'} tasks were lost"
    return note, apart


def _apart(lost: Floats, rest: Floats) -> bool:
    """Welch's t; where neither side varies, twice the chance of just this choice of tasks."""
    test = welch_over_repeats(rest, lost)
    if test.interval.se == 0.0 and test.p is None:
        return 2 / math.comb(lost.size + rest.size, lost.size) < ALPHA
    return test.p is not None and test.p < ALPHA


def _score(value: float) -> str:
    return percent(value) if 0 <= value <= 1 else f"{value:.4g}"
