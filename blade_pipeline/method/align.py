"""One row per expected or seen rollout, each with exactly one outcome.

A full outer join of what was expected, what was written, what failed and what the health check said. Duplicates of
a rollout's identity are resolved here: equal payloads are one row, the highest attempt wins, and one attempt with
two different results is a conflict, which is unscored and bounded by its choices.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.profiling import EXPECTED, profiled
from blade_pipeline.method.arrays import row_numbers, rows_where, with_columns
from blade_pipeline.method.contents import one_task_per_content, one_task_per_system
from blade_pipeline.method.slices import families, json_path, slices_by_task, task_ids
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile
from blade_pipeline.statistics import passes
from blade_pipeline.tables import ALIGNED_SAMPLES

_RESOLVED_AGENTS = """
    with named as (
        select stage, task, repeat, min(agent) as agent, count(distinct agent) as agents
        from known where agent is not null group by all
    ), overall as (
        select min(agent) as agent, count(distinct agent) as agents from known
    )
    select part.position,
        coalesce(part.agent, if(named.agents = 1, named.agent, null),
            if(overall.agents = 1, overall.agent, null), 'agent') as agent
    from part left join named using (stage, task, repeat) cross join overall
    order by part.position
"""

_IDENTIFIED_TASKS = """
    with inputs as (
        select prompt_digest, min(task) as task, count(distinct task) as tasks
        from expected where prompt_digest is not null group by all
    ), found as (
        select rows.position, inputs.task from rows join inputs using (prompt_digest)
        where not rows.indexed and inputs.tasks = 1
    ), planned as (
        select stage, task, repeat,
            row_number() over (partition by stage, task order by try_cast(repeat as bigint), repeat) - 1 as rank
        from (select distinct stage, task, repeat from expected)
    )
    select rows.position, coalesce(found.task, rows.task) as task, coalesce(planned.repeat, rows.repeat) as repeat
    from rows left join found using (position)
    left join planned on planned.stage = rows.stage and planned.task = found.task
        and planned.rank = try_cast(rows.repeat as bigint)
    order by rows.position
"""

_SEEN = """
    with scored as (
        select position, agent, stage, task, repeat, attempt, payload_digest, masked,
            case when $score = 'reward' then reward else numbers[$score] end as value,
            case when $score = 'reward' then reward_status
                 when numbers[$score] is not null then 'scored'
                 else case coalesce(json_type(verifier, $path), 'ABSENT') when 'ABSENT' then 'invalid_absent'
                     when 'NULL' then 'invalid_null' when 'DOUBLE' then 'too_large' else 'invalid_type' end
            end as parsed
        from rows
    ), judged as (
        select *, case when parsed = 'scored' and (value < $low or value > $high) then 'out_of_range'
                       else parsed end as status
        from scored
    ), latest as (
        select *, count(*) over rollout as lines
        from judged window rollout as (partition by agent, stage, task, repeat)
        qualify attempt = max(attempt) over rollout
    )
    select agent, stage, task, repeat, max(lines) - 1 as duplicates,
        arg_min(position, (payload_digest, position)) as position,
        count(distinct (status, value, masked)) > 1 as conflict,
        bool_or(masked) as masked, min(status) as status, min(value) as value,
        min(if(status = 'scored' and not masked, value, null)) as low,
        max(if(status = 'scored' and not masked, value, null)) as high,
        bool_and(status = 'scored' and not masked) as all_scored
    from latest group by agent, stage, task, repeat
"""

_JOINED = """
    with planned as (
        select agent, stage, task, repeat, min("order") as "order",
            coalesce(min(position) filter (where task_digest is not null), min(position)) as planned_position
        from expected group by agent, stage, task, repeat
    ), attempts as (
        select agent, stage, task, repeat, count(*) as attempts, arg_max(failure_class, position) as failure_class,
            bool_or(coalesce(terminal, false)) as failure_terminal, arg_max(failure_stage, position) as failure_stage,
            arg_max(http_status, position) as failure_status, arg_max(message, position) as failure_message
        from failures where line_class = 'row' and task is not null and repeat is not null
        group by agent, stage, task, repeat
    ), checked as (
        select stage, task, repeat, min(verdict) as health_verdict,
            string_agg(distinct "check", ',' order by "check") as health_checks
        from health where stale is null and task is not null group by stage, task, repeat
    ), keys as (
        select agent, stage, task, repeat from planned union select agent, stage, task, repeat from seen
        union select agent, stage, task, repeat from attempts
    ), outcomes as (
        select keys.*, planned."order", planned.planned_position, seen.position, seen.value, seen.low, seen.high,
            seen.all_scored, if($known, planned.task is not null, null) as expected,
            coalesce(seen.duplicates, 0) as duplicates, coalesce(attempts.attempts, 0) as attempts,
            seen.task is not null and attempts.task is not null as recovered,
            attempts.failure_class, attempts.failure_terminal, attempts.failure_stage,
            attempts.failure_status, attempts.failure_message,
            checked.health_verdict, checked.health_checks,
            case when $known and planned.task is null then 'unexpected'
                 when seen.task is null and attempts.task is not null then 'failed'
                 when seen.task is null then 'missing'
                 when seen.conflict then 'unscored'
                 when seen.masked then 'masked'
                 when seen.status <> 'scored' then 'unscored'
                 else 'measured' end as outcome,
            case when seen.task is null then coalesce(attempts.failure_class, 'no row')
                 when seen.conflict then 'conflict'
                 when seen.masked then 'masked'
                 when seen.status <> 'scored' then seen.status end as reason
        from keys left join planned using (agent, stage, task, repeat) left join seen using (agent, stage, task, repeat)
        left join attempts using (agent, stage, task, repeat) left join checked using (stage, task, repeat)
    ), tasks as (
        select stage, task, row_number() over (order by stage,
            min(coalesce("order", try_cast(task as bigint), position)), task) - 1 as "order"
        from outcomes group by stage, task
    ), repeats as (
        select agent, repeat,
            row_number() over (partition by agent order by try_cast(repeat as bigint), repeat) as shared
        from outcomes group by agent, repeat
    ), placed as (
        select outcomes.* exclude ("order"), tasks."order", repeats.shared,
            row_number() over (partition by agent, tasks."order" order by outcome = 'unexpected', shared) as own
        from outcomes join tasks using (stage, task) join repeats using (agent, repeat)
    ), agents as (
        select agent, not $known and max(shared) < 2 * max(own) as aligned from placed group by agent
    )
    select placed.* exclude (value, low, high, all_scored, own, shared),
        if(outcome = 'measured', value, null) as score,
        if(outcome = 'unscored' and all_scored, low, null) as score_low,
        if(outcome = 'unscored' and all_scored, high, null) as score_high,
        if(aligned, shared, own) - 1 as rank
    from placed join agents using (agent)
    order by stage, "order", agent, rank
"""

_CONTENT = ("task_digest", "prompt_digest", "answer_key_digest", "opening_digest")


def align(expected: pa.Table, rows: pa.Table, failures: pa.Table, health: pa.Table, profile: Profile) -> pa.Table:
    """Join what was expected, seen, failed and checked.

    Args:
        expected: ``EXPECTED_ROLLOUTS``; without a row nothing is known to be expected.
        rows: ``RAW_ROLLOUTS``, one row per physical line.
        failures: ``FAILED_ATTEMPTS``, one row per attempt.
        health: ``HEALTH_FINDINGS``.
        profile: names the score field, its valid range and the pass threshold.

    Returns:
        ``ALIGNED_SAMPLES``, sorted by stage, task order, agent and rank of the repeat.
    """
    rows = _numbered(_by_server(rows_where(rows, pc.equal(rows["line_class"], "row"))))
    expected = _by_server(_asked_for(expected, rows))
    rows = one_task_per_system(_identified(rows, expected), expected)
    rows, expected, failures = one_task_per_content(rows, _in_every_stage(expected, rows), failures)
    known = _known(expected, rows, failures)
    expected, failures = _with_agents(_numbered(expected), known), _with_agents(_numbered(failures), known)
    rows = _with_agents(rows, known)
    low, high = profile.reward_range or (float("-inf"), float("inf"))
    field = {"score": profile.score, "path": json_path(profile.score)}
    seen = query(_SEEN, {**field, "low": low, "high": high}, rows=rows)
    rules = {"known": expected.num_rows > 0}
    joined = query(_JOINED, rules, expected=expected, seen=seen, failures=failures, health=health)
    joined = joined.append_column("passed", _passed(joined["score"], profile))
    wide = {name: rows[name] for name in ALIGNED_SAMPLES.names if name in rows.column_names}
    del rows, known, seen
    return _completed(joined, wide, expected, profile)


def measured(aligned: pa.Table) -> pa.Table:
    """The rows whose reward is a valid measurement."""
    return aligned.filter(pc.equal(aligned["outcome"], "measured"))


def _asked_for(expected: pa.Table, rows: pa.Table) -> pa.Table:
    """The lines that say what was expected; those of a reward profile where the rollouts are its own."""
    classes = ["row", EXPECTED] if profiled(rows) else ["row"]
    return expected.filter(pc.is_in(expected["line_class"], pa.array(classes)))


def _numbered(table: pa.Table) -> pa.Table:
    return table.append_column("position", row_numbers(table))


def _identified(rows: pa.Table, expected: pa.Table) -> pa.Table:
    """Rows without indices take the index of the one expected task with the same prompt."""
    if rows.num_rows == 0 or expected.num_rows == 0 or pc.all(rows["indexed"]).as_py():
        return rows
    found = query(_IDENTIFIED_TASKS, rows=rows, expected=expected)
    return with_columns(rows, task=found["task"], repeat=found["repeat"])


def _by_server(table: pa.Table) -> pa.Table:
    """The environment server stands for the agent where a row names none."""
    return with_columns(table, agent=pc.coalesce(table["agent"], table["server"]))


def _in_every_stage(expected: pa.Table, rows: pa.Table) -> pa.Table:
    """Inputs that know no stages are expected in every stage that some row has."""
    stages = pc.unique(rows["stage"]).to_pylist()
    if set(stages) <= {0} or set(pc.unique(expected["stage"]).to_pylist()) != {0}:
        return expected
    copies = [with_columns(expected, stage=pa.array([stage] * expected.num_rows, pa.int64())) for stage in stages]
    return pa.concat_tables(copies)


def _known(*tables: pa.Table) -> pa.Table:
    """The identities that name an agent, wherever they stand."""
    columns = ["agent", "stage", "task", "repeat"]
    return pa.concat_tables([table.select(columns) for table in tables])


def _with_agents(table: pa.Table, known: pa.Table) -> pa.Table:
    """Fill the agent of rows that name none from the one agent known for their rollout, or for the run."""
    if table["agent"].null_count == 0:
        return table
    part = table.select(["position", "agent", "stage", "task", "repeat"])
    return with_columns(table, agent=query(_RESOLVED_AGENTS, part=part, known=known)["agent"])


def _completed(joined: pa.Table, rows: dict[str, pa.ChunkedArray], expected: pa.Table, profile: Profile) -> pa.Table:
    """Add the row's own columns by position, the content identity, the slices and the answer.

    The columns are taken out of ``rows`` one by one: nothing holds them twice.
    """
    position, planned = (joined[name].combine_chunks() for name in ("position", "planned_position"))
    columns = {name: joined[name] for name in joined.column_names}
    for name in rows.keys() - columns.keys():
        columns[name] = rows.pop(name).take(position)
    rows.clear()
    columns |= _content(columns, {name: expected[name].take(planned) for name in (*_CONTENT, "dataset_id")})
    sample = pa.table({**columns, "answer": _answers(columns["verifier"], profile.answer_key)})
    del columns
    sample = with_columns(sample, dataset_id=pc.coalesce(task_ids(sample, expected, profile), sample["dataset_id"]))
    sample = sample.append_column("slices", slices_by_task(sample, expected, profile))
    sample = sample.append_column("family", families(sample, expected, profile))
    return sample.select(ALIGNED_SAMPLES.names).cast(ALIGNED_SAMPLES)


def _content(own: dict[str, pa.ChunkedArray], inputs: dict[str, pa.Array]) -> dict[str, pa.ChunkedArray]:
    """What identifies a task's content: as the inputs say, unless they are of another content than the row."""
    stale = pc.fill_null(pc.not_equal(inputs["opening_digest"], own["opening_digest"]), False)
    found = {
        name: pc.if_else(stale, own[name], pc.coalesce(inputs[name], own[name]))
        for name in ("prompt_digest", "answer_key_digest", "opening_digest")
    }
    by_row = _prefixed("rows:", own["task_digest"])
    by_content = pc.coalesce(_prefixed("inputs:", inputs["task_digest"]), by_row)
    return found | {
        "dataset_id": pc.coalesce(inputs["dataset_id"], own["dataset_id"]),
        "pair_digest": pc.if_else(stale, by_row, by_content),
        "stale_inputs": stale,
    }


def _passed(score: pa.ChunkedArray, profile: Profile) -> pa.Array:
    """Whether each measured score passes; null where nothing was measured."""
    passed = passes(score.to_numpy(), profile.pass_threshold, higher_is_better=profile.higher_is_better)
    return pc.if_else(score.is_valid().combine_chunks(), pa.array(passed), pa.scalar(None, pa.bool_()))


def _prefixed(prefix: str, digests: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(prefix, digests, "")


def _answers(verifier: pa.ChunkedArray, key: str | None) -> pa.ChunkedArray:
    """The JSON literal of the answer field; null where it is null, absent or not asked for."""
    if key is None:
        return pa.chunked_array([pa.nulls(len(verifier), pa.string())])
    found = query(
        "select nullif(cast(json_extract(verifier, $path) as varchar), 'null') as answer from samples order by n",
        {"path": json_path(key)},
        samples=pa.table({"verifier": verifier, "n": np.arange(len(verifier))}),
    )
    return found["answer"]
