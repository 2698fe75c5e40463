"""Reads rollouts: one table row per physical line of every shard."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.batches import to_batch
from blade_pipeline.gym.content import digest
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.identity import Identity, Ranks, fallback_task
from blade_pipeline.gym.lines import Line, read_lines
from blade_pipeline.gym.profiling import profiled_lines
from blade_pipeline.gym.row import row_values
from blade_pipeline.tables import RAW_ROLLOUTS

BATCH_ROWS = 20_000
BATCH_BYTES = 64 * 2**20

_PLACE = 5
_IDENTITY = len(Identity._fields)
_AFTER_PLACE = len(RAW_ROLLOUTS) - _PLACE
_FIELD = {name: index for index, name in enumerate(RAW_ROLLOUTS.names)}
_CONTENT = _FIELD["task_digest"]
_PROMPT = _FIELD["prompt_digest"]
_DATASET_ID = _FIELD["dataset_id"]


def read_rollouts(run: RunDirectory) -> pa.Table:
    """Every physical line of every shard as one row of ``RAW_ROLLOUTS``, in shard and line order.

    A run that left only a reward profile gives one row per rollout info of that profile instead.

    Raises:
        BladeError: a file cannot be read.
    """
    return pa.Table.from_batches(rollout_batches(run), schema=RAW_ROLLOUTS)


def rollout_batches(run: RunDirectory) -> Iterator[pa.RecordBatch]:
    """The same rows as ``read_rollouts`` in batches of at most 20,000 lines or about 64 MB of text."""
    ranks = Ranks()
    rows: list[tuple[Any, ...]] = []
    size = 0
    for name, line in _lines(run):
        rows.append(_values(name, line, ranks))
        size += line.length
        if size >= BATCH_BYTES or len(rows) == BATCH_ROWS:
            yield to_batch(rows, RAW_ROLLOUTS)
            rows, size = [], 0
    if rows:
        yield to_batch(rows, RAW_ROLLOUTS)


def _lines(run: RunDirectory) -> Iterator[tuple[str, Line]]:
    for path in run.rollouts:
        name = run.relative(path)
        for line in read_lines(path):
            yield name, line
    if not run.rollouts:
        for file in run.having("reward_profiling"):
            name = run.relative(file.path)
            for line in profiled_lines(file.path):
                yield name, line


def _values(name: str, line: Line, ranks: Ranks) -> tuple[Any, ...]:
    place = (name, line.number, line.offset, line.length, line.line_class)
    if line.row is None or line.raw is None:
        return (*place, *[None] * _AFTER_PLACE)
    values = row_values(line.row)
    row = [*place, *values[:_IDENTITY], digest(line.raw), *values[_IDENTITY:]]
    _complete_identity(row, ranks)
    return tuple(row)


def _complete_identity(row: list[Any], ranks: Ranks) -> None:
    """Fills task, repeat and rollout id where the row did not carry them."""
    task, repeat, rollout_id = _FIELD["task"], _FIELD["repeat"], _FIELD["rollout_id"]
    if row[task] is None:
        row[task] = fallback_task(row[_CONTENT], row[_PROMPT], row[_DATASET_ID], f"{row[0]}:{row[1]}")
    if row[repeat] is None:
        row[repeat] = ranks.next(row[_FIELD["agent"]], row[_FIELD["stage"]], row[task])
    if row[rollout_id] is None:
        attempt = row[_FIELD["attempt"]]
        row[rollout_id] = f"{row[task]}-{row[repeat]}" + (f"-a{attempt}" if attempt > 0 else "")
