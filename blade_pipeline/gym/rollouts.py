"""Reads rollouts: one table row per physical line of every shard."""

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.batches import to_array
from blade_pipeline.gym.columns import Columns, expanded, joined
from blade_pipeline.gym.content import Contents
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.helpers import parse_spans
from blade_pipeline.gym.identity import Ranks, fallback_task
from blade_pipeline.gym.lines import cut
from blade_pipeline.gym.parsing import parse
from blade_pipeline.gym.profiling import profiled_lines
from blade_pipeline.tables import RAW_ROLLOUTS

BATCH_ROWS = 4_000
BATCH_BYTES = 64 * 2**20
SPAN_BYTES = 2 * 2**20

_PROFILED_ROWS = 64
_PLACES = ("file", "line", "offset", "length", "line_class")
_IDENTITY = (
    *("agent", "stage", "task", "repeat", "indexed", "attempt", "rollout_id"),
    *("task_digest", "prompt_digest", "dataset_id"),
)


def read_rollouts(run: RunDirectory) -> pa.Table:
    """Every physical line of every shard as one row of ``RAW_ROLLOUTS``, in shard and line order.

    A run that left only a reward profile gives one row per rollout info of that profile instead.

    Raises:
        BladeError: a file cannot be read.
    """
    return pa.Table.from_batches(rollout_batches(run), schema=RAW_ROLLOUTS)


def rollout_batches(run: RunDirectory) -> Iterator[pa.RecordBatch]:
    """The same rows as ``read_rollouts`` in batches of about 4,000 lines or 64 MB of text.

    Rows are parsed and narrowed in small spans, so that memory stays bounded by the span and the longest line. They
    become Arrow arrays once per batch: for a span alone, a third of reading would be the start of some 70 arrays.

    Raises:
        BladeError: a file cannot be read.
    """
    ranks = Ranks()
    held: list[Columns] = []
    size = lines = 0
    for name, columns in _shards(run) if run.rollouts else _profiles(run):
        size += sum(columns["length"])
        lines += len(columns["line"])
        columns["file"] = [name] * len(columns["line"])
        held.append(columns)
        if size >= BATCH_BYTES or lines >= BATCH_ROWS:
            yield _batch(joined(held), ranks)
            held, size, lines = [], 0, 0
    if held:
        yield _batch(joined(held), ranks)


def _shards(run: RunDirectory) -> Iterator[tuple[str, Columns]]:
    """Columns of one span of lines after the other, with the name of its file."""
    size = sum(file.size for file in run.files if file.path in run.rollouts)
    spans = (span for path in run.rollouts for span in cut(path, SPAN_BYTES))
    lines = 0
    for span, columns in parse_spans(spans, size):
        if span.start == 0:
            lines = 0
        columns["line"] = [lines + number for number in columns["line"]]
        lines += len(columns["line"])
        yield run.relative(Path(span.path)), columns


def _profiles(run: RunDirectory) -> Iterator[tuple[str, Columns]]:
    contents = Contents()
    for file in run.having("reward_profiling"):
        lines = profiled_lines(file.path)
        while columns := parse(islice(lines, _PROFILED_ROWS), contents):
            yield run.relative(file.path), columns


def _batch(columns: Columns, ranks: Ranks) -> pa.RecordBatch:
    """Rows of all the lines; those that are not readable hold their place and class only."""
    classes = columns["line_class"]
    readable = [at for at, line_class in enumerate(classes) if line_class == "row"]
    if readable:
        _complete_identity(columns, readable, ranks)
    order = None if len(readable) == len(classes) else _positions(classes)
    arrays = []
    for field in RAW_ROLLOUTS:
        if field.name not in columns:
            arrays.append(pa.nulls(len(classes), field.type))
            continue
        array = _array(columns[field.name], field.type, len(readable))
        arrays.append(array if order is None or field.name in _PLACES else array.take(order))
    return pa.RecordBatch.from_arrays(arrays, schema=RAW_ROLLOUTS)


def _array(column: Any, kind: pa.DataType, height: int) -> pa.Array:
    """A column of so many rows, which a tuple of one value has in all of them."""
    if isinstance(column, tuple) and len(column) == 1:
        return pa.repeat(to_array(list(column), kind)[0], height)
    return to_array(column, kind)


def _positions(classes: list[str]) -> pa.Array:
    """Index of each line among the readable ones, null for the others."""
    rank = count()
    return pa.array([next(rank) if line_class == "row" else None for line_class in classes], type=pa.int64())


def _complete_identity(columns: Columns, readable: list[int], ranks: Ranks) -> None:
    """Fills task, repeat and rollout id where the rows did not carry them."""
    known = {name: expanded(columns.get(name), len(readable)) for name in _IDENTITY}
    tasks, repeats = known["task"], known["repeat"]
    for index in [index for index, indexed in enumerate(known["indexed"]) if not indexed]:
        if tasks[index] is None:
            line = readable[index]
            place = f"{columns['file'][line]}:{columns['line'][line]}"
            task, prompt, dataset_id = (known[key][index] for key in ("task_digest", "prompt_digest", "dataset_id"))
            tasks[index] = fallback_task(task, prompt, dataset_id, place)
        if repeats[index] is None:
            repeats[index] = ranks.next(known["agent"][index], known["stage"][index], tasks[index])
    columns["task"], columns["repeat"] = tasks, repeats
    columns["rollout_id"] = [
        given or f"{task}-{repeat}" + (f"-a{attempt}" if attempt > 0 else "")
        for given, task, repeat, attempt in zip(known["rollout_id"], tasks, repeats, known["attempt"], strict=True)
    ]
