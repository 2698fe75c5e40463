"""Reads rollouts: one table row per physical line of every shard."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from blade_pipeline.gym.batches import to_array
from blade_pipeline.gym.columns import rollout_columns
from blade_pipeline.gym.content import digest
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.identity import Ranks, fallback_task
from blade_pipeline.gym.lines import Line, read_lines
from blade_pipeline.gym.profiling import profiled_lines
from blade_pipeline.tables import RAW_ROLLOUTS

BATCH_ROWS = 20_000
BATCH_BYTES = 64 * 2**20

_CHUNK_ROWS = 250
_CHUNK_BYTES = 2**20

_Place = tuple[str, Line]


def read_rollouts(run: RunDirectory) -> pa.Table:
    """Every physical line of every shard as one row of ``RAW_ROLLOUTS``, in shard and line order.

    A run that left only a reward profile gives one row per rollout info of that profile instead.

    Raises:
        BladeError: a file cannot be read.
    """
    return pa.Table.from_batches(rollout_batches(run), schema=RAW_ROLLOUTS)


def rollout_batches(run: RunDirectory) -> Iterator[pa.RecordBatch]:
    """The same rows as ``read_rollouts`` in batches of about 20,000 lines or 64 MB of text.

    Rows are parsed and narrowed in small chunks, so that memory stays bounded by the chunk and the longest line.

    Raises:
        BladeError: a file cannot be read.
    """
    ranks = Ranks()
    batches: list[pa.RecordBatch] = []
    rows = size = 0
    places = _lines(run)
    while True:
        with _collector_paused():
            chunk = _next_chunk(places)
            if not chunk:
                break
            batches.append(_batch(chunk, ranks))
        rows += len(chunk)
        size += sum(line.length for _, line in chunk)
        if size >= BATCH_BYTES or rows >= BATCH_ROWS:
            yield pa.concat_batches(batches)
            batches = []
            rows = size = 0
    if batches:
        yield pa.concat_batches(batches)


def _lines(run: RunDirectory) -> Iterator[_Place]:
    for path in run.rollouts:
        name = run.relative(path)
        for line in read_lines(path):
            yield name, line
    if not run.rollouts:
        for file in run.having("reward_profiling"):
            name = run.relative(file.path)
            for line in profiled_lines(file.path):
                yield name, line


def _next_chunk(places: Iterator[_Place]) -> list[_Place]:
    chunk: list[_Place] = []
    size = 0
    for place in places:
        chunk.append(place)
        size += place[1].length
        if size >= _CHUNK_BYTES or len(chunk) == _CHUNK_ROWS:
            break
    return chunk


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection while a chunk of parsed rows is alive: they hold no cycles and are many objects."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _batch(chunk: list[_Place], ranks: Ranks) -> pa.RecordBatch:
    lines = [line for _, line in chunk]
    columns: dict[str, Any] = {
        "file": [name for name, _ in chunk],
        "line": [line.number for line in lines],
        "offset": [line.offset for line in lines],
        "length": [line.length for line in lines],
        "line_class": [line.line_class for line in lines],
    }
    places = list(columns)
    readable = [place for place in chunk if place[1].row is not None]
    if readable:
        columns |= _content_columns(readable, ranks)
    if len(readable) == len(chunk):
        arrays = [to_array(columns[field.name], field.type) for field in RAW_ROLLOUTS]
        return pa.RecordBatch.from_arrays(arrays, schema=RAW_ROLLOUTS)
    order = _positions(lines)
    arrays = []
    for field in RAW_ROLLOUTS:
        if field.name in places:
            arrays.append(to_array(columns[field.name], field.type))
        elif readable:
            arrays.append(to_array(columns[field.name], field.type).take(order))
        else:
            arrays.append(pa.nulls(len(chunk), field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=RAW_ROLLOUTS)


def _positions(lines: list[Line]) -> pa.Array:
    """Index of each line among the readable ones, null for the others."""
    positions: list[int | None] = []
    seen = 0
    for line in lines:
        positions.append(None if line.row is None else seen)
        seen += line.row is not None
    return pa.array(positions, type=pa.int64())


def _content_columns(readable: list[_Place], ranks: Ranks) -> dict[str, Any]:
    columns = rollout_columns([line.row for _, line in readable if line.row is not None])
    columns["payload_digest"] = [digest(line.raw or b"") for _, line in readable]
    _complete_identity(columns, readable, ranks)
    return columns


def _complete_identity(columns: dict[str, Any], readable: list[_Place], ranks: Ranks) -> None:
    """Fills task, repeat and rollout id where the rows did not carry them."""
    tasks, repeats = columns["task"], columns["repeat"]
    for index in [index for index, indexed in enumerate(columns["indexed"]) if not indexed]:
        if tasks[index] is None:
            name, line = readable[index]
            task, prompt, dataset_id = (columns[key][index] for key in ("task_digest", "prompt_digest", "dataset_id"))
            tasks[index] = fallback_task(task, prompt, dataset_id, f"{name}:{line.number}")
        if repeats[index] is None:
            repeats[index] = ranks.next(columns["agent"][index], columns["stage"][index], tasks[index])
    columns["rollout_id"] = [
        given or f"{task}-{repeat}" + (f"-a{attempt}" if attempt > 0 else "")
        for given, task, repeat, attempt in zip(columns["rollout_id"], tasks, repeats, columns["attempt"], strict=True)
    ]
