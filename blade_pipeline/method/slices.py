"""Fields of the task that a profile names: slices that break results down, families that share a source, its id.

Without a profile, every text, whole number or flag of the task with few values, each shared by several tasks, is a
slice; a number of many values is cut into quarters of the tasks, each of which is one. Where no inputs say what
describes a task, numbers and flags count only in a run with tasks that pass sometimes: what never differs within a task
is no result of a rollout there.
"""

import pyarrow as pa

from blade_pipeline.gym.answer_fields import ANSWER_FIELDS, EXPECTED_FIELDS, LIKELY_EXPECTED
from blade_pipeline.method.arrays import row_numbers
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile

MAX_VALUES = 12
"""More different values than this make a field an identifier rather than a category."""

_SLICES = """
    with described as (
        select stage, task, coalesce(any_value(expected.fields), any_value(sample.verifier)) as fields,
            any_value(expected.fields) is not null as planned
        from sample left join expected using (stage, task)
        where coalesce(expected.fields, sample.verifier) is not null group by stage, task
    ), pairs as (
        select stage, task, planned, entry.key, entry.value, entry.type
        from described, json_each(described.fields) as entry
        where entry.type in ('VARCHAR', 'BIGINT', 'UBIGINT', 'BOOLEAN', 'DOUBLE')
    ), results as (
        select key from (
            select stage, task, entry.key as key, entry.value as value from sample, json_each(sample.verifier) as entry
            where not (select bool_and(planned) from described) and entry.type in ('BIGINT', 'UBIGINT', 'BOOLEAN'))
        group by key, stage, task having count(distinct value) > 1
    ), mixed as (
        select stage, task from sample group by stage, task having bool_or(passed) and bool_or(not passed)
    ), named as (
        select stage, task, key, coalesce(json_extract_string(value, '$'), cast(value as varchar)) as value, type,
            type in ('BIGINT', 'UBIGINT', 'BOOLEAN') and not regexp_matches(key, $counters)
                and (planned or (key not in (from results) and exists (from mixed))) as describes
        from pairs
    ), numbers as (
        select stage, task, key, cast(value as double) as number from pairs
        where planned and len($slices) = 0 and type in ('BIGINT', 'UBIGINT', 'DOUBLE')
            and not regexp_matches(key, $counters) and not regexp_matches(key, $answers)
    ), cuts as (
        select key, quantile_disc(number, [0.25, 0.5, 0.75]) as cut from numbers group by key
        having count(distinct number) > $most and count(*) >= $fewest
            and not (count(distinct number) = count(*) and max(number) - min(number) + 1 = count(*))
        order by count(distinct number), key limit $quantities
    ), quarters as (
        select *, len(list_filter(cut, lambda each: number > each)) as quarter from numbers join cuts using (key)
    ), ranges as (
        select stage, task, key, if(low = high, low, low || ' to ' || high) as value from (
            select *, printf('%.10g', min(number) over own) as low, printf('%.10g', max(number) over own) as high
            from quarters window own as (partition by key, quarter))
    ), chosen as (
        select key from named
        where if(len($slices) > 0, list_contains($slices, key),
            (type = 'VARCHAR' or describes) and not list_contains($never, key))
        group by key
        having len($slices) > 0 or (
            count(distinct value) between 2 and $most and max(length(value)) <= 60
            and count(distinct (stage, task)) >= 2 * count(distinct value)
        )
    ), packed as (
        select stage, task,
            '{' || string_agg(to_json(key) || ':' || to_json(value), ',' order by key) || '}' as slices
        from (
            select stage, task, key, value from named semi join chosen using (key)
            union all select stage, task, key, value from ranges)
        group by stage, task
    )
    select packed.slices from sample left join packed using (stage, task) order by sample.n
"""

_NAMED = """
    with described as (
        select stage, task, coalesce(any_value(expected.fields), any_value(sample.verifier)) as fields
        from sample left join expected using (stage, task) group by stage, task
    )
    select nullif(cast(json_extract(described.fields, $path) as varchar), 'null') as value
    from sample left join described using (stage, task) order by sample.n
"""

FEWEST_TASKS = 20
"""Tasks from which numbers of many values are cut into quarters: five each."""

_MOST_QUANTITIES = 8
"""Such numbers that are cut, those of fewer values first: each adds four slices to what is tested."""

_COUNTERS = r"(?i)(^|_)(ids?|idx|index|seeds?|rewards?|scores?|rank|order|line|port|timestamp|seconds|tokens)(_|$)"
"""Whole numbers that count or name something, however few there are."""

_NEVER = ["expected_answer", "extracted_answer", "answer", "prompt", "question", "problem", "failure_reason"]


def slices_by_task(sample: pa.Table, expected: pa.Table, profile: Profile) -> pa.ChunkedArray:
    """A JSON object of slice field to value per row of the sample, null where the task has none.

    The task's fields come from the materialized inputs, else from the row's verifier fields.
    """
    parameters = {"slices": list(profile.slices), "never": _NEVER, "most": MAX_VALUES, "counters": _COUNTERS}
    parameters |= {
        "answers": f"{ANSWER_FIELDS}|{EXPECTED_FIELDS}|{LIKELY_EXPECTED}",
        "fewest": FEWEST_TASKS,
        "quantities": _MOST_QUANTITIES,
    }
    return query(_SLICES, parameters, sample=_described(sample), expected=_fields(expected))["slices"]


def families(sample: pa.Table, expected: pa.Table, profile: Profile) -> pa.ChunkedArray:
    """The JSON literal of the task's family per row, null where the profile names no family or the task has none."""
    return _named(sample, expected, profile.family_field)


def task_ids(sample: pa.Table, expected: pa.Table, profile: Profile) -> pa.ChunkedArray:
    """The JSON literal of the task's id per row, null where the profile names no such field or the task has none."""
    return _named(sample, expected, profile.task_id_field)


def _named(sample: pa.Table, expected: pa.Table, field: str | None) -> pa.ChunkedArray:
    if field is None:
        return pa.chunked_array([pa.nulls(sample.num_rows, pa.string())])
    parameters: dict[str, object] = {"path": json_path(field)}
    return query(_NAMED, parameters, sample=_described(sample), expected=_fields(expected))["value"]


def json_path(name: str) -> str:
    """The JSON pointer of a top-level field, whatever characters its name holds."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _described(sample: pa.Table) -> pa.Table:
    position = row_numbers(sample)
    return sample.select(["stage", "task", "verifier", "passed"]).append_column("n", position)


def _fields(expected: pa.Table) -> pa.Table:
    return expected.select(["stage", "task", "fields"])
