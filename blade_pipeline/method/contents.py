"""One name over several contents is several tasks: shards that each number from 0, one question under many systems."""

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import row_numbers, with_columns
from blade_pipeline.method.sql import query

SEVERAL_CONTENTS = "~"
"""Joins an index and the start of a prompt's digest in the id of a task that shares its index."""

_AMBIGUOUS = """
    select stage, task from known where prompt_digest is not null and task is not null
    group by stage, task having count(distinct prompt_digest) > 1 and ($inputs or count(distinct file) > 1)
"""

_SPLIT = """
    select if(ambiguous.task is not null and part.prompt_digest is not null,
        part.task || $mark || left(part.prompt_digest, 8), part.task) as task
    from part left join ambiguous using (stage, task) order by part.n
"""

_BY_SYSTEM = """
    with several as (
        select stage, task from part where not indexed
            and (select count(distinct system_digest) < count(*) from part where not indexed)
        group by stage, task having count(distinct system_digest) > 1
    ), told as (
        select part.n, part.task, part.task_digest,
            if(several.task is null or indexed, '', coalesce($mark || left(system_digest, 8), '')) as apart
        from part left join several using (stage, task)
    )
    select task || apart as task, task_digest || apart as task_digest from told order by n
"""

_SHARD = r"regexp_replace({file}, '(_materialized_inputs|_failures)?\.jsonl$', '')"

_OF_THEIR_SHARD = f"""
    with planned as (
        select {_SHARD.format(file="file")} as shard, stage, task, min(own) as own
        from inputs group by all having count(distinct own) = 1
    )
    select coalesce(planned.own, failures.task) as task
    from failures left join planned on planned.shard = {_SHARD.format(file="failures.file")}
        and planned.stage = failures.stage and planned.task = failures.task
    order by failures.n
"""


def one_task_per_content(rows: pa.Table, expected: pa.Table, failures: pa.Table) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Give tasks that share an index and not the prompt ids of their own, in the rows, inputs and failures alike.

    The inputs decide where there are any, since an environment may add to a prompt at run time; without inputs the
    rows do, when they come from several files. A failure tells no prompt: it is one of its own shard's task.
    """
    known = expected if expected.num_rows else rows
    columns = ["stage", "task", "prompt_digest"]
    slim = known.select(columns).append_column("file", known["file"] if known is rows else _no_file(known))
    ambiguous = query(_AMBIGUOUS, {"inputs": known is expected}, known=slim)
    if ambiguous.num_rows == 0:
        return rows, expected, failures
    split = _split(known, ambiguous)
    failures = _of_their_shard(failures, known.append_column("own", split["task"]))
    return (_split(rows, ambiguous), split, failures) if known is expected else (split, expected, failures)


def one_task_per_system(rows: pa.Table, expected: pa.Table) -> pa.Table:
    """Tell rows without an index apart by their system prompt too, where one user prompt stands under several.

    The method of a run is one, so a system prompt that some of its rows share and others do not states the task. Where
    each row has its own, as when it tells the time, it says nothing; inputs, where there are any, say more.
    """
    if expected.num_rows or pc.all(rows["indexed"]).as_py():
        return rows
    columns = ["stage", "task", "task_digest", "system_digest", "indexed"]
    part = rows.select(columns).append_column("n", row_numbers(rows))
    told = query(_BY_SYSTEM, {"mark": SEVERAL_CONTENTS}, part=part)
    return with_columns(rows, task=told["task"], task_digest=told["task_digest"])


def of_one_task(row: str, failure: str) -> str:
    """SQL that says whether an aligned row and a failed attempt are of one task, which may share its index."""
    shards = (_SHARD.format(file=f"{table}.file") for table in (row, failure))
    base = (f"split_part({table}.task, '{SEVERAL_CONTENTS}', 1)" for table in (row, failure))
    own = f"starts_with({row}.task, {failure}.task || '{SEVERAL_CONTENTS}')"
    return f"{' = '.join(base)} and ({row}.task = {failure}.task or ({own} and {' = '.join(shards)}))"


def _split(table: pa.Table, ambiguous: pa.Table) -> pa.Table:
    position = row_numbers(table)
    part = table.select(["stage", "task", "prompt_digest"]).append_column("n", position)
    task = query(_SPLIT, {"mark": SEVERAL_CONTENTS}, part=part, ambiguous=ambiguous)["task"]
    return with_columns(table, task=task)


def _of_their_shard(failures: pa.Table, inputs: pa.Table) -> pa.Table:
    part = failures.select(["file", "stage", "task"]).append_column("n", row_numbers(failures))
    slim = inputs.select(["file", "stage", "task", "own"])
    return with_columns(failures, task=query(_OF_THEIR_SHARD, failures=part, inputs=slim)["task"])


def _no_file(table: pa.Table) -> pa.Array:
    return pc.cast(pa.nulls(table.num_rows), pa.string())
