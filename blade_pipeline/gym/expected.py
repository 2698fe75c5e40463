"""Reads materialized inputs: what the run was to do."""

from typing import Any

import pyarrow as pa

from blade_pipeline.gym.batches import to_batch
from blade_pipeline.gym.bounded import bounded_json
from blade_pipeline.gym.content import input_content, task_fields
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.identity import Ranks, fallback_task, identity
from blade_pipeline.gym.lines import Line, read_lines
from blade_pipeline.gym.measurement import sampling_of
from blade_pipeline.gym.values import mapping
from blade_pipeline.tables import EXPECTED_ROLLOUTS

_BATCH = 20_000


def read_expected(run: RunDirectory) -> pa.Table:
    """Every physical line of the materialized inputs of all shards as one row of ``EXPECTED_ROLLOUTS``.

    Blank and malformed lines carry only their class and number. Duplicates of a key stay; consumers collapse them.
    The table is empty when the run has no materialized inputs: then what was expected is unknown.

    Raises:
        BladeError: a file cannot be read.
    """
    ranks = Ranks()
    order: dict[str, int] = {}
    batches = []
    rows: list[tuple[Any, ...]] = []
    for file in run.having("materialized_inputs"):
        for line in read_lines(file.path):
            rows.append(_values(run.relative(file.path), line, ranks, order))
            if len(rows) == _BATCH:
                batches.append(to_batch(rows, EXPECTED_ROLLOUTS))
                rows = []
    batches.append(to_batch(rows, EXPECTED_ROLLOUTS))
    return pa.Table.from_batches(batches, schema=EXPECTED_ROLLOUTS)


def _values(name: str, line: Line, ranks: Ranks, order: dict[str, int]) -> tuple[Any, ...]:
    row = line.row
    if row is None:
        return (*[None] * (len(EXPECTED_ROLLOUTS) - 2), line.number, line.line_class)
    who = identity(row)
    content = input_content(row)
    task = who.task or fallback_task(
        content.task_digest, content.prompt_digest, content.dataset_id, f"{name}:{line.number}"
    )
    repeat = who.repeat or ranks.next(who.agent, who.stage, task)
    fields = task_fields(row)
    return (
        who.agent,
        who.server,
        who.stage,
        task,
        repeat,
        order.setdefault(task, len(order)),
        *content,
        *sampling_of(mapping(row.get("responses_create_params")), {})[:3],
        bounded_json(fields) if fields else None,
        line.number,
        line.line_class,
    )
