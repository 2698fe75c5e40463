"""What each slice of the tasks scored: its tasks, its score with an interval and against the rest, never-pass tasks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import Floats, counts, floats, known_mean, ratio, rows_where
from blade_pipeline.method.slice_members import Slice, slice_members
from blade_pipeline.method.slice_tests import FEWEST_UNITS, against_rest
from blade_pipeline.statistics import Interval, score_interval


def slice_scores(
    aligned: pa.Table, per_task: pa.Table, families: list[str] | None, *, graded: bool = False, unit: bool = True
) -> dict[str, Any]:
    """Score every slice of the tasks as the run is scored.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        per_task: ``PASS_AT_K``.
        families: the family of each task of ``per_task``, as for the run's interval; None where none is shared.
        graded: whether the run goes by its mean score rather than by pass@1.
        unit: whether every score lies in [0, 1].

    Returns:
        ``{slices, slices_left_out}``. A slice is ``{field, value, total_tasks, total_rollouts, num_tasks, num_rollouts,
        passed_rollouts, never_pass_tasks, pass_at_1, interval, against_rest}``: ``total_rollouts`` are those expected
        or seen, ``never_pass_tasks`` those of the ``num_tasks`` measured tasks without a passing rollout,
        ``pass_at_1`` is the mean over them (null without any), ``interval`` the task-clustered one for new tasks, its
        ends null with the reason below ``FEWEST_UNITS``, ``against_rest`` what ``slice_tests`` says. A graded run adds
        ``mean_reward`` and ``mean_reward_interval``. Left out are fields beyond the cap on slices, as
        ``{field, values}``.
    """
    n, c, means = counts(per_task["measured"]), counts(per_task["passed"]), floats(per_task["score_mean"])
    members, rollouts = slice_members(per_task["slices"]), _rollouts(aligned)
    masks = list(members.masks())
    apart = against_rest(masks, means if graded else ratio(c, n), families)
    found = []
    for ((field, value), inside), test in zip(masks, apart, strict=True):
        some = inside & (n > 0)
        found.append(
            {
                "field": field,
                "value": value,
                "total_tasks": int(inside.sum()),
                "total_rollouts": rollouts[field, value],
                "num_tasks": int(some.sum()),
                "num_rollouts": int(n[inside].sum()),
                "passed_rollouts": int(c[inside].sum()),
                "never_pass_tasks": int((some & (c == 0)).sum()),
                "pass_at_1": known_mean(ratio(c[some], n[some])),
                "interval": _interval(ratio(c[some], n[some]), _of(families, some), unit=True).as_dict(),
                **(_mean_score(means[some], _of(families, some), unit) if graded else {}),
                "against_rest": test,
            }
        )
    left_out = [{"field": field, "values": values} for field, values in members.left_out.items()]
    return {"slices": found, "slices_left_out": left_out}


def _rollouts(aligned: pa.Table) -> dict[Slice, int]:
    """Rollouts expected or seen per slice."""
    samples = rows_where(aligned.select(["outcome", "slices"]), pc.not_equal(aligned["outcome"], "unexpected"))
    members = slice_members(samples["slices"])
    return dict(zip(members.slices, members.count(np.ones(samples.num_rows, dtype=np.bool_)).tolist(), strict=True))


def _of(families: list[str] | None, some: np.ndarray[Any, np.dtype[np.bool_]]) -> list[str] | None:
    """The families of some tasks; None where these share none."""
    if families is None:
        return None
    names = [families[place] for place in np.flatnonzero(some)]
    return names if len({*names}) < len(names) else None


def _mean_score(means: Floats, families: list[str] | None, unit: bool) -> dict[str, Any]:
    return {
        "mean_reward": known_mean(means),
        "mean_reward_interval": _interval(means, families, unit=unit).as_dict(),
    }


def _interval(means: Floats, families: list[str] | None, *, unit: bool) -> Interval:
    found = score_interval(means, clusters=families, proportion=unit)
    if not 0 < found.n < FEWEST_UNITS:
        return found
    reason = f"fewer than {FEWEST_UNITS} measured {'tasks' if families is None else 'families'}"
    return replace(found, se=None, low=None, high=None, method="none", df=None, reason=reason, note=None)
