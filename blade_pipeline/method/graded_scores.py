"""What a run that goes by its mean score adds to it: counting rules, each repeat, how scores spread."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import Floats, counts, floats
from blade_pipeline.method.graded import scale_of
from blade_pipeline.method.repeats import complete_tasks
from blade_pipeline.method.sql import records
from blade_pipeline.models import Profile
from blade_pipeline.statistics import accountings, friedman, variance_split

_REPEATS = """
    select agent, rank as repeat, count(*) as num_rollouts, avg(score order by stage, "order", task) as mean_reward,
        stddev_samp(score order by stage, "order", task) as sd
    from measured group by agent, rank order by agent, rank
"""
_COLUMNS = ["agent", "stage", "task", "order", "rank", "score", "outcome"]


def graded_scores(aligned: pa.Table, per_task: pa.Table, profile: Profile) -> dict[str, Any]:
    """The numbers that only a run has that goes by its mean score.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        per_task: the tasks as ``method.tasks`` counts them.
        profile: says how far scores go, and which end is the better.

    Returns:
        ``mean_reward_accountings``: the mean over tasks under each rule for rollouts without a score, which count as
        the worst score where the rule for passes says zero, and as the best where it says one; ``mean_reward_scale``
        has these ends. ``mean_reward_spread``: lowest, median and highest mean score of a task.
        ``mean_reward_variance``: the split of the variance of scores. ``mean_reward_repeats``: per
        agent and repeat its measured rollouts, their mean score and its standard deviation (ddof 1, null for one
        rollout). ``mean_reward_drift``: Friedman's test over the repeats that at least half of the tasks have
        measured, on the tasks that have all of them.
    """
    measured = aligned.select(_COLUMNS).filter(pc.equal(aligned["outcome"], "measured"))
    scale = scale_of(measured["score"], profile)
    assert scale is not None, "a run goes by its mean score only on a known scale"
    worst, best = scale if profile.higher_is_better else scale[::-1]
    n, means = counts(per_task["measured"]), floats(per_task["score_mean"])
    rules = accountings(
        floats(per_task["score_sum"]), n, counts(per_task["failed"]), counts(per_task["planned"]),
        lowest=worst, highest=best,
    )  # fmt: skip
    return {
        "mean_reward_scale": {"worst": worst, "best": best},
        "mean_reward_accountings": rules,
        "mean_reward_spread": _spread(means[n > 0]),
        "mean_reward_variance": variance_split(means, floats(per_task["score_variance"]), n).as_dict(),
        "mean_reward_repeats": records(_REPEATS, measured=measured),
        "mean_reward_drift": friedman(complete_tasks(aligned, "score")).as_dict(),
    }


def _spread(means: Floats) -> dict[str, float]:
    return {"low": float(means.min()), "median": float(np.median(means)), "high": float(means.max())}
