"""What the rollouts with a seen cause cost a run that goes by its mean score."""

from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.graded import MEAN_REWARD, headline_metric, scale_of
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile

_GAINS = """
    with measured as (
        select agent, stage, task, repeat, score, count(*) over (partition by agent, stage, task) as repeats
        from samples where outcome = 'measured'
    )
    select root_cause as label, count(*) as rollouts, count(distinct (agent, stage, task)) as tasks,
        sum(abs($best - score) / repeats order by agent, stage, task, repeat) as sum,
        mode(coalesce(cause_mode, modes.mode) order by coalesce(cause_mode, modes.mode)) as reason,
        (select count(distinct (agent, stage, task)) from measured) as of
    from measured join modes using (agent, stage, task, repeat)
    where root_cause is not null group by root_cause
"""


def mean_score_gains(aligned: pa.Table, modes: pa.Table, profile: Profile) -> list[dict[str, Any]]:
    """The rise of the mean score if every rollout that shows a cause reached the best score, as a bound.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        modes: ``FAILURE_MODES``.
        profile: says how far scores go.

    Returns:
        ``{label, rollouts, tasks, of, gain, best, reason}`` per root cause that some failure mode proposes, the
        largest gain first: its measured rollouts, their tasks of all measured ones, the gain in the unit of the score,
        the best possible score, and the most frequent mode. Empty where a run goes by pass@1.
    """
    if headline_metric(aligned, profile) != MEAN_REWARD:
        return []
    samples = aligned.select(["agent", "stage", "task", "repeat", "outcome", "score"])
    scores = np.asarray(samples.filter(np.asarray(samples["outcome"]) == "measured")["score"], dtype=np.float64)
    scale = scale_of(scores, profile)
    assert scale is not None
    best = scale[1] if profile.higher_is_better else scale[0]
    found = query(_GAINS, {"best": best}, samples=samples, modes=modes).to_pylist()
    rows = [row | {"gain": row.pop("sum") / row["of"], "best": best} for row in found]
    return sorted(rows, key=lambda row: (-row["gain"], row["label"]))
