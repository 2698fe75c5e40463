"""One row per task: how many repeats were planned, measured and passed, and what the unknown ones leave open."""

import pyarrow as pa

from blade_pipeline.method.kept import while_it_lives
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile
from blade_pipeline.statistics import PASS_TOLERANCE
from blade_pipeline.tables import PASS_AT_K

_TASKS = """
    with counted as (
        select agent, stage, task, min("order") as "order", count(*) as seen,
            count(*) filter (outcome = 'measured') as measured, count(*) filter (passed) as passed,
            count(*) filter (outcome = 'masked') as masked, count(*) filter (outcome = 'failed') as failed,
            sum(score order by rank) as score_sum, avg(score order by rank) as score_mean,
            var_samp(score order by rank) as score_variance,
            count(*) filter (outcome = 'unscored' and if($higher, score_low >= $bar, score_high <= $bar))
                as sure_passes,
            count(*) filter (outcome = 'unscored' and if($higher, score_high < $bar, score_low > $bar))
                as sure_fails,
            sum(if(outcome = 'measured', score, coalesce(score_low, $lowest)) order by rank) as low_sum,
            sum(if(outcome = 'measured', score, coalesce(score_high, $highest)) order by rank) as high_sum,
            min(pair_digest) filter (line is not null) as seen_digest,
            min(pair_digest) as pair_digest, min(prompt_digest) as prompt_digest,
            min(answer_key_digest) as answer_key_digest, min(opening_digest) as opening_digest,
            min(dataset_id) as dataset_id,
            min(slices) as slices, min(family) as family
        from aligned where outcome <> 'unexpected' group by agent, stage, task
    )
    select * exclude (seen, seen_digest, pair_digest),
        greatest(seen, if($known, 0, $repeats)) as planned, coalesce(seen_digest, pair_digest) as pair_digest
    from counted order by stage, "order", agent
"""

_INDEPENDENT = """
    select count(distinct coalesce(family, 'task ' || task)) = count(distinct (agent, stage, task)) as yes
    from aligned where outcome <> 'unexpected'
"""
RELATED = "tasks that share an id over agents or stages, or a family, are no independent draws"


@while_it_lives
def independent(aligned: pa.Table) -> bool:
    """Whether no task counts several times, once per agent or stage, and none shares a family with another.

    A share of the tasks has Wilson's interval only then.
    """
    columns = ["agent", "stage", "task", "family", "outcome"]
    return bool(query(_INDEPENDENT, aligned=aligned.select(columns))["yes"][0].as_py())


def tasks(aligned: pa.Table, profile: Profile) -> pa.Table:
    """Per agent, stage and task: the columns of ``PASS_AT_K`` and four counts that only bounds and buckets need.

    Without materialized inputs the planned repeats are the seen ones, or the profile's ``expected_repeats`` where
    that is more. ``masked`` and ``failed`` count such repeats; ``sure_passes`` and ``sure_fails`` count conflicts
    whose choices agree on the outcome. Without a declared range ``low_sum`` and ``high_sum`` assume scores in [0, 1].
    """
    lowest, highest = profile.reward_range or (0.0, 1.0)
    known = aligned.num_rows > 0 and aligned["expected"].null_count == 0
    parameters = {
        "known": known,
        "repeats": profile.expected_repeats or 0,
        "higher": profile.higher_is_better,
        "bar": profile.pass_threshold + (-PASS_TOLERANCE if profile.higher_is_better else PASS_TOLERANCE),
        "lowest": lowest,
        "highest": highest,
    }
    columns = "agent stage task rank order outcome passed score score_low score_high pair_digest".split()
    contents = ["prompt_digest", "answer_key_digest", "opening_digest", "dataset_id"]
    table = query(
        _TASKS,
        parameters,
        aligned=aligned.select([*columns, *contents, "slices", "family", "line"]),
    )
    extra = ["masked", "failed", "sure_passes", "sure_fails"]
    return table.select([*PASS_AT_K.names, *extra])
