"""Tasks that never pass and whose every repeat gives one and the same answer, so that the expected one is in doubt.

Only answers in a field that takes many values count: of a few options repeats agree on a wrong one often.
"""

import pyarrow as pa

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS
from blade_pipeline.method.rejected import LONGEST
from blade_pipeline.method.sql import query

FEWEST = 3
"""Repeats whose agreement is looked at."""

FEWEST_VALUES = 10
"""Different answers from which on a field is no choice among options, if they are as many as half of the tasks too."""

_AGREED = """
    with said as (
        select agent, stage, task, passed, entry.key as field,
            lower(trim(json_extract_string(entry.value, '$'))) as text
        from samples, json_each(samples.verifier) as entry
        where outcome = 'measured' and entry.type not in ('BOOLEAN', 'NULL') and regexp_matches(entry.key, $answers)
    ), filled as (
        select * from said where text <> '' and length(text) <= $longest
    ), open as (
        select field from filled group by field
        having count(distinct text) >= $values and 2 * count(distinct text) >= count(distinct (agent, stage, task))
    ), tasks as (
        select agent, stage, task, field, count(*) as rollouts from filled semi join open using (field)
        group by all having not bool_or(passed) and count(distinct text) = 1 and count(*) >= $fewest
    )
    select distinct agent, stage, task from tasks join b using (agent, stage, task) where rollouts = b.planned
"""


def agreed(samples: pa.Table, buckets: pa.Table) -> pa.Table:
    """The tasks, by ``agent, stage, task``.

    Args:
        samples: rows with identity, ``outcome``, ``passed`` and the ``verifier`` fields.
        buckets: ``OUTCOME_BUCKETS``.
    """
    parameters = {"answers": ANSWER_FIELDS, "longest": LONGEST, "fewest": FEWEST, "values": FEWEST_VALUES}
    columns = samples.select(["agent", "stage", "task", "outcome", "passed", "verifier"])
    return query(_AGREED, parameters, samples=columns, b=buckets.select(["agent", "stage", "task", "planned"]))
