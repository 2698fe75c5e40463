"""Reads what the run was to do: its materialized inputs, else what a reward profile expects."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.batches import to_batch
from blade_pipeline.gym.bounded import bounded_json
from blade_pipeline.gym.content import input_content, task_fields
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.identity import Ranks, fallback_task, identity
from blade_pipeline.gym.lines import Line, read_lines
from blade_pipeline.gym.measurement import sampling_of
from blade_pipeline.gym.profiling import expected_lines
from blade_pipeline.gym.values import mapping
from blade_pipeline.tables import EXPECTED_ROLLOUTS

_BATCH = 20_000


def read_expected(run: RunDirectory) -> pa.Table:
    """Every physical line of the materialized inputs of all shards as one row of ``EXPECTED_ROLLOUTS``.

    Blank and malformed lines carry only their class and number. Duplicates of a key stay; consumers collapse them.
    Without materialized inputs a reward profile gives lines of class ``profiled``, which hold for its own rollouts
    only. The table is empty where no file says what was expected.

    Raises:
        BladeError: a file cannot be read.
    """
    ranks = Ranks()
    order: dict[str, int] = {}
    batches = []
    rows: list[tuple[Any, ...]] = []
    for path, line in _lines(run):
        rows.append(_values(run.relative(path), line, ranks, order))
        if len(rows) == _BATCH:
            batches.append(to_batch(rows, EXPECTED_ROLLOUTS))
            rows = []
    batches.append(to_batch(rows, EXPECTED_ROLLOUTS))
    return pa.Table.from_batches(batches, schema=EXPECTED_ROLLOUTS)


def _lines(run: RunDirectory) -> Iterator[tuple[Path, Line]]:
    inputs = [file.path for file in run.having("materialized_inputs")]
    for path in inputs:
        yield from ((path, line) for line in read_lines(path))
    if not inputs:
        yield from expected_lines([file.path for file in run.having("reward_profiling")])


def _values(name: str, line: Line, ranks: Ranks, order: dict[str, int]) -> tuple[Any, ...]:
    row = line.row
    if row is None:
        return (*[None] * (len(EXPECTED_ROLLOUTS) - 3), name, line.number, line.line_class)
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
        name,
        line.number,
        line.line_class,
    )
