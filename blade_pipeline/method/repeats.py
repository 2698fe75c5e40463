"""What the repeats of a run say beside their mean: drift between them, copies among them, the best of several."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Counts, Floats, known_mean
from blade_pipeline.method.sql import query, records
from blade_pipeline.statistics import CochranQ, best_of_k_by_task, cochran_q, repeat_agreement

_MATRIX = """
    with measured as (
        select agent, stage, task, "order", rank, {value} as value from aligned where outcome = 'measured'
    ), usual as (
        select rank from measured group by rank
        having 2 * count(*) >= (select count(distinct (agent, stage, task)) from measured)
    )
    select list(value order by rank) as "values", (select count(*) from usual) as repeats
    from measured semi join usual using (rank) group by agent, stage, task having len("values") = repeats
    order by stage, min("order"), agent
"""

_IDENTICAL = """
    with several as (
        select agent, stage, task, count(distinct response_digest) as answers, count(distinct score) as scores
        from aligned where outcome = 'measured' and response_digest is not null and output_items > 0
        group by agent, stage, task having count(*) > 1
    )
    select count(*) as tasks, count(*) filter (answers = 1) as identical,
        count(*) filter (answers = 1 and scores > 1) as unequal
    from several
"""

_SCORES = """
    select list(score order by score) as scores from aligned where outcome = 'measured'
    group by agent, stage, task order by min(stage), min("order"), agent
"""


def repeat_findings(aligned: pa.Table, n: Counts, c: Counts, planned: Counts) -> dict[str, Any]:
    """Cochran's Q over repeats, the agreement of two repeats, and the share of tasks whose repeats are copies.

    Q (Cochran 1950) takes the repeats that at least half of the tasks have measured, and the tasks that have all of
    them: a small p says that one repeat differs from the rest, as after an outage. ``repeat_agreement`` is the mean
    over ``agreement_tasks`` (two measured repeats or more) of the chance that two repeats agree. ``identical_tasks`` of
    ``compared_tasks`` (two outputs or more) have the same output in every measured repeat, which is what a cache or an
    overwritten file looks like; in ``identical_unequal_tasks`` of them the scores differ all the same.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        n: measured repeats of each task, shape (tasks,).
        c: passes of each task.
        planned: planned repeats of each task.
    """
    test = cochran_q(complete_tasks(aligned, "passed::int"))
    columns = ["agent", "stage", "task", "outcome", "response_digest", "output_items", "score"]
    [copies] = records(_IDENTICAL, aligned=aligned.select(columns))
    return {
        "cochran_q": test.q,
        "cochran_df": test.df,
        "cochran_p": test.p,
        "cochran_tasks": test.tasks,
        "cochran_reason": _no_q(test, int(n.max(initial=0))),
        "measured_per_task": _spread(n),
        "planned_per_task": _spread(planned),
        "repeat_agreement": known_mean(repeat_agreement(n, c)),
        "agreement_tasks": int(np.sum(n >= 2)),
        "identical_tasks": copies["identical"],
        "identical_unequal_tasks": copies["unequal"],
        "identical_share": copies["identical"] / copies["tasks"] if copies["tasks"] else None,
        "compared_tasks": copies["tasks"],
    }


def complete_tasks(aligned: pa.Table, value: str) -> Floats:
    """A value of every rollout, shape (tasks, repeats).

    The repeats are those that at least half of the tasks have measured, the tasks those that have all of them.
    """
    columns = ["agent", "stage", "task", "order", "rank", "outcome", "passed", "score"]
    found = query(_MATRIX.format(value=value), aligned=aligned.select(columns))["values"].combine_chunks()
    return next(iter(_by_length(found)), np.zeros((0, 1)))


def _spread(repeats: Counts) -> dict[str, float | None]:
    """Least, median and most repeats of a task."""
    if not repeats.size:
        return {"min": None, "median": None, "max": None}
    return {"min": int(repeats.min()), "median": float(np.median(repeats)), "max": int(repeats.max())}


_SINGLE = "no task has two measured repeats"
_SCATTERED = "too few tasks have the same repeats measured"
_ALIKE = "fewer than two of these tasks pass in one repeat and fail in another"


def _no_q(test: CochranQ, most: int) -> str | None:
    if test.q is not None:
        return None
    if most < 2:
        return _SINGLE
    return _ALIKE if test.df > 0 and test.tasks > 0 else _SCATTERED


def best_of(aligned: pa.Table, ks: Sequence[int], higher_is_better: bool = True) -> dict[str, dict[str, Any]]:
    """Expected best score of k rollouts, by order statistics, as the mean over the tasks with at least k of them."""
    columns = ["agent", "stage", "task", "order", "outcome", "score"]
    values = query(_SCORES, aligned=aligned.select(columns))["scores"].combine_chunks()
    sign = 1.0 if higher_is_better else -1.0
    alike = [sign * scores for scores in _by_length(values)]
    found = {}
    for k in ks:
        eligible = [sign * best_of_k_by_task(scores, k) for scores in alike if scores.shape[1] >= k]
        best = np.sort(np.concatenate(eligible)) if eligible else np.zeros(0)
        mean = float(np.mean(best)) if best.size else None
        found[str(k)] = {"value": mean, "eligible_tasks": best.size, "total_tasks": len(values)}
    return found


def _by_length(lists: pa.ListArray) -> list[Floats]:
    """Lists of equally many numbers as one array each, shape (lists, numbers)."""
    flat, starts = np.asarray(lists.values, dtype=np.float64), np.asarray(lists.offsets[:-1])
    lengths = np.diff(np.asarray(lists.offsets))
    return [flat[starts[lengths == n][:, None] + np.arange(n)] for n in np.unique(lengths)]
