"""What the records say about every task: which of its rollouts were lost, and to what."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method.agreed import agreed
from blade_pipeline.method.contrasts import TELLING_ANSWER
from blade_pipeline.method.failure_rules import PARTIAL, WRONG
from blade_pipeline.method.responsibility import cause_of, cause_of_answer
from blade_pipeline.method.sql import query

_CLASSES = """
    select distinct failure_class, failure_stage, failure_status, failure_message from samples
    where outcome = 'failed' and failure_class is not null
    union select distinct failure_kind, null, null, null from samples
    where outcome = 'masked' and failure_kind is not null
"""

_LOST = """
    with lost as (
        select samples.agent, samples.stage, samples.task, rank, outcome, score,
            coalesce(rollout_id, samples.task || '-' || samples.repeat) as rollout,
            case outcome when 'measured' then coalesce(modes.cause_mode, modes.mode)
                when 'failed' then coalesce(samples.failure_class, 'failed')
                when 'missing' then 'no row' else coalesce(samples.reason, outcome) end as reason,
            if(outcome = 'measured', modes.right_answer, null) as right_answer,
            case outcome when 'measured' then modes.root_cause when 'failed' then classes.cause
                when 'masked' then classes.cause when 'missing' then 'IR'
                when 'unscored' then if(list_contains($no_reward, samples.reason), null, 'DA') end as cause
        from samples left join modes using (agent, stage, task, repeat)
        left join classes
            on classes.failure_class = if(outcome = 'masked', samples.failure_kind, samples.failure_class)
            and classes.failure_stage is not distinct from if(outcome = 'masked', null, samples.failure_stage)
            and classes.failure_status is not distinct from if(outcome = 'masked', null, samples.failure_status)
            and classes.failure_message is not distinct from if(outcome = 'masked', null, samples.failure_message)
        where outcome <> 'unexpected' and (outcome <> 'measured' or not passed)
    )
    select agent, stage, task, count(*) as lost_rollouts,
        count(*) filter (outcome = 'measured') as failed,
        count(*) filter (outcome = 'measured' and cause is null and right_answer is null
            and (reason = $wrong or contains(reason, ':'))
            and not regexp_matches(reason, $error)) as clean,
        count(*) filter (outcome = 'measured' and cause is null and (reason = $partial or score > 0)) as partial,
        count(*) filter (right_answer is not null) as right_ones,
        count(*) filter (reason = 'conflict') as conflicts,
        list({'rollout': rollout, 'cause': cause, 'reason': reason, 'right': right_answer,
            'measured': outcome = 'measured'} order by rank) as rollouts
    from lost group by agent, stage, task
"""

_SAME_OUTPUT = """
    select distinct agent, stage, task from (
        select agent, stage, task from samples where outcome = 'measured' and response_digest is not null
            and (answer_length >= $telling or tool_calls > 0)
        group by agent, stage, task, response_digest having bool_or(passed) and bool_or(not passed)
    )
"""

_TASKS = """
    select b.agent, b.stage, b.task, b.bucket, b.planned, b.measured, b.passed, ids.dataset_id,
        coalesce(lost.lost_rollouts, 0) as lost_rollouts, coalesce(lost.failed, 0) as failed,
        coalesce(lost.clean, 0) as clean, coalesce(lost.partial, 0) as partial,
        coalesce(lost.right_ones, 0) as right_ones, coalesce(lost.conflicts, 0) as conflicts, lost.rollouts,
        same.task is not null as same_output, agreed.task is not null as agreed,
        (select coalesce(max(output_items), 0) > 0 from samples) as run_has_output
    from b left join lost using (agent, stage, task) left join same using (agent, stage, task)
    left join agreed using (agent, stage, task)
    left join (select stage, task, min(dataset_id) as dataset_id from samples group by stage, task) as ids
        using (stage, task)
    order by b.stage, b."order", b.agent
"""

_ERROR = "^(error|tool_error|met_error|[^:]*(agent|rollout|harness|sandbox|container)[^:]*(error|exception|fail)[^:]*):"
"""Messages about an error of the run's own: whoever met one did not simply answer wrongly."""

_NO_REWARD = ["invalid_absent", "invalid_null"]
"""Rows that nobody scored, which says nothing of why; any other invalid reward is a datum that is wrong."""

_FAILURE = ("failure_class", "failure_stage", "failure_status", "failure_message")

_COLUMNS = (
    "agent stage task repeat rank outcome passed score reason rollout_id failure_class failure_stage failure_status "
    "failure_message failure_kind "
    "response_digest answer_length output_items tool_calls dataset_id"
).split()


def task_evidence(aligned: pa.Table, buckets: pa.Table, modes: pa.Table) -> list[dict[str, Any]]:
    """One record per task of the buckets table, in the dataset's order.

    ``rollouts`` lists the lost rollouts (not passed or not measured) with ``rollout`` id, ``cause``, ``reason``,
    how their answer is known to be ``right`` and whether they were ``measured``; ``lost`` is 1 minus passed over
    planned repeats.
    """
    samples = aligned.select(_COLUMNS)
    classes = query(_CLASSES, samples=samples).to_pylist()
    causes = [row | {"cause": _cause(**row)} for row in classes]
    kinds = dict.fromkeys((*_FAILURE, "cause"), pa.string()) | {"failure_status": pa.int64()}
    lost = query(
        _LOST,
        {"wrong": WRONG.code, "partial": PARTIAL.code, "error": _ERROR, "no_reward": _NO_REWARD},
        samples=samples,
        modes=modes,
        classes=pa.Table.from_pylist(causes, schema=pa.schema(kinds)),
    )
    same = query(_SAME_OUTPUT, {"telling": TELLING_ANSWER}, samples=samples)
    one_answer = agreed(aligned, buckets)
    found = query(_TASKS, b=buckets, lost=lost, same=same, agreed=one_answer, samples=samples)
    return [_record(row) for row in found.to_pylist()]


def _cause(
    failure_class: str, failure_stage: str | None, failure_status: int | None, failure_message: str | None
) -> str | None:
    return cause_of(failure_class, failure_stage) or cause_of_answer(failure_status, failure_message)


def _record(row: dict[str, Any]) -> dict[str, Any]:
    lost = row.pop("rollouts") or []
    return row | {
        "rollouts": lost,
        "lost": 1 - row["passed"] / row["planned"] if row["planned"] else 0.0,
    }
