"""What the repeats of a run say beside their mean: drift between them, copies among them, the best of several."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.sql import query, records
from blade_pipeline.statistics import best_of_k, cochran_q

_MATRIX = """
    with complete as (
        select agent, stage, task, list(passed::int order by rank) as passes, min("order") as position
        from aligned where outcome = 'measured' group by agent, stage, task
    )
    select passes from complete where len(passes) = (select max(len(passes)) from complete)
    order by stage, position, agent
"""

_IDENTICAL = """
    with several as (
        select agent, stage, task, count(distinct response_digest) as answers from aligned
        where outcome = 'measured' and response_digest is not null
        group by agent, stage, task having count(*) > 1
    )
    select count(*) as tasks, count(*) filter (answers = 1) as identical from several
"""

_SCORES = """
    select list(score order by score) as scores from aligned where outcome = 'measured'
    group by agent, stage, task order by min(stage), min("order"), agent
"""


def repeat_findings(aligned: pa.Table) -> dict[str, Any]:
    """Cochran's Q over repeats and the share of tasks whose repeats are copies of each other.

    Q runs over the tasks with the most measured repeats of the run (Cochran 1950): a small p says that one repeat
    differs from the rest, as after an outage. ``identical_tasks`` of ``compared_tasks`` have the same output in every
    measured repeat, which is what a cache or an overwritten file looks like.
    """
    passes = query(_MATRIX, aligned=aligned.select(["agent", "stage", "task", "order", "rank", "outcome", "passed"]))
    test = cochran_q(np.array(passes["passes"].to_pylist() or np.zeros((0, 1)), dtype=np.float64))
    [copies] = records(_IDENTICAL, aligned=aligned.select(["agent", "stage", "task", "outcome", "response_digest"]))
    return {
        "cochran_q": test.q,
        "cochran_df": test.df,
        "cochran_p": test.p,
        "cochran_tasks": passes.num_rows,
        "identical_tasks": copies["identical"],
        "compared_tasks": copies["tasks"],
    }


def best_of(aligned: pa.Table, ks: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Expected best score of k rollouts, by order statistics, as the mean over the tasks with at least k of them."""
    columns = ["agent", "stage", "task", "order", "outcome", "score"]
    values = query(_SCORES, aligned=aligned.select(columns))["scores"].to_pylist()
    found = {}
    for k in ks:
        eligible = [best_of_k(scores, k) for scores in values if len(scores) >= k]
        mean = float(np.mean(np.sort(np.array(eligible)))) if eligible else None
        found[str(k)] = {"value": mean, "eligible_tasks": len(eligible), "total_tasks": len(values)}
    return found
