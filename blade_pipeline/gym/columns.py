"""Rollout rows as the columns of ``RAW_ROLLOUTS``.

Most values come column by column over many rows: a column whose values all have the right type is taken as it is,
and only a column with a stranger among them is cleaned value by value.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from types import NoneType
from typing import Any

from blade_pipeline.gym.bounded import bounded_json
from blade_pipeline.gym.content import Content, Contents
from blade_pipeline.gym.error_lines import lines_of_logs
from blade_pipeline.gym.errors import error_text
from blade_pipeline.gym.failed_checks import failed_checks
from blade_pipeline.gym.given_way_in_logs import given_way_in_logs
from blade_pipeline.gym.identity import identity_columns
from blade_pipeline.gym.maps import Maps, maps_of
from blade_pipeline.gym.measurement import (
    judge_of,
    judge_sampling_of,
    mask_of,
    reward_columns,
    sampling_columns,
    seconds_of,
    token_columns,
)
from blade_pipeline.gym.patches import patched_files
from blade_pipeline.gym.shape import Shape, shape_of
from blade_pipeline.gym.trajectory import Trajectory, trajectory
from blade_pipeline.gym.values import compact_json, scalar_text, texts

Row = dict[str, Any]
Columns = dict[str, Any]
"""Columns by name: a list of the rows' values, ``Maps``, or a tuple of the one value that all rows have."""

_NOTHING: Row = {}
_SCALARS = frozenset({bool, int, float, NoneType})
_MASKS = frozenset({"mask_sample", "instance_config"})
_RESPONSE_LIMIT = 2000
_RESPONSE_FIELDS = (
    "status",
    "error",
    "incomplete_details",
    "finish_reason",
    "stop_reason",
    "service_tier",
    "truncation",
)


def rollout_columns(rows: list[Row], contents: Contents) -> Columns:
    """Columns by name, from ``agent`` to ``steps``, without ``payload_digest``, which needs the bytes.

    Values are plain sequences of equal length, or ``Maps`` for the map columns. Tasks, repeats and rollout ids are
    null where the row does not carry them.
    """
    shapes = [shape_of(tuple(row)) for row in rows]
    params = _objects([row.get("responses_create_params") for row in rows])
    responses = _objects([row.get("response") for row in rows])
    usages = _objects([response.get("usage") for response in responses])
    present = frozenset().union(*{id(shape): shape.present for shape in shapes}.values())
    columns: Columns = identity_columns(rows, present)
    columns |= _named(Content, map(contents.of_row, rows, params, responses, shapes, columns["task"]))
    columns |= _outcome(rows, responses, shapes, present)
    columns |= _response_facts(responses)
    columns |= sampling_columns(params, responses)
    for name, read in (("judge", judge_of), ("judge_sampling", judge_sampling_of)):
        columns[name] = [read(row, shape) if shape.judges else None for row, shape in zip(rows, shapes, strict=True)]
    columns |= token_columns(usages)
    path = _named(Trajectory, map(trajectory, rows, responses, shapes))
    columns["output_items"] = path.pop("items")
    errors = path.pop("open_errors")
    columns |= path
    columns["usage"] = maps_of(usage if usage is not _NOTHING else None for usage in usages)
    perfs = [row.get("ng_perf") for row in rows] if "ng_perf" in present else [None] * len(rows)
    columns["perf"] = maps_of(perf if isinstance(perf, dict) else None for perf in perfs)
    columns["numbers"], columns["verifier"] = _verifier(rows, shapes)
    columns["patched_files"] = patched_files(rows, shapes)
    columns["error_lines"] = list(map(_error_lines, rows, shapes, errors))
    return columns


def condensed(columns: Columns) -> Columns:
    """The same columns, of which those with one value in all rows are that value, and those with none are left out.

    That is most of them in the usual file. Floats stay as they are: zeros of either sign are equal.
    """
    kept: Columns = {}
    for name, values in columns.items():
        rows = values[0] if isinstance(values, tuple) else values
        first = rows[0]
        if first != rows[-1] or type(first) is float or rows.count(first) < len(rows):
            kept[name] = values
        elif first is not None:
            kept[name] = values if isinstance(values, tuple) else (first,)
    return kept


def expanded(column: Any, height: int) -> Any:
    """A column of so many rows with each of its values."""
    if column is None:
        return [None] * height
    return list(column) * height if isinstance(column, tuple) and len(column) == 1 else column


def joined(spans: Sequence[Columns]) -> Columns:
    """The columns of several spans one after the other."""
    columns: Columns = {}
    heights = [span["line_class"].count("row") for span in spans]
    for name in dict.fromkeys(chain.from_iterable(spans)):
        parts: list[Any] = [span.get(name) for span in spans]
        if isinstance(parts[0], tuple) and len(parts[0]) == 1 and parts.count(parts[0]) == len(parts):
            columns[name] = parts[0]
            continue
        parts = [expanded(part, height) for part, height in zip(parts, heights, strict=True)]
        if any(isinstance(part, tuple) for part in parts):
            maps = [part if isinstance(part, tuple) else (part, [], []) for part in parts]
            columns[name] = tuple(list(chain.from_iterable(column)) for column in zip(*maps, strict=True))
        else:
            columns[name] = list(chain.from_iterable(parts))
    return columns


def _error_lines(row: Row, shape: Shape, of_tools: list[list[str]]) -> str | None:
    """Telling lines of a row's logs, its tools and its checks, from the fields that may hold some."""
    names = [name for name in shape.results if (kind := type(row[name])) is dict or kind is list or name in shape.logs]
    if names:
        logs = (*given_way_in_logs(row, names), *lines_of_logs(row, names))
        of_tools = [*logs, *of_tools, *failed_checks(row, names)]
    return compact_json(of_tools) if of_tools else None


def _outcome(rows: list[Row], responses: list[Row], shapes: list[Shape], present: frozenset[str]) -> Columns:
    rewards, statuses = reward_columns(rows)
    unmasked = _MASKS.isdisjoint(present)
    masks = [(False, None)] * len(rows) if unmasked else list(map(mask_of, rows))
    columns = {
        "reward": rewards,
        "reward_status": statuses,
        "masked": [masked for masked, _ in masks],
        "mask_source": [source for _, source in masks],
    }
    for name in ("failure_kind", "failure_reason"):
        values = [row.get(name) for row in rows] if name in present else [None] * len(rows)
        columns[name] = [None if value is None else scalar_text(value, 200) for value in values]
    columns["error_text"] = list(map(error_text, rows, responses, shapes))
    return columns


def _response_facts(responses: list[Row]) -> Columns:
    details = _objects([response.get("incomplete_details") for response in responses])
    return {
        "response_status": texts([response.get("status") for response in responses]),
        "incomplete_reason": texts([detail.get("reason") for detail in details]),
        "model": texts([response.get("model") for response in responses]),
        "created_at": seconds_of([response.get("created_at") for response in responses]),
        "response": list(map(_response_json, responses)),
    }


def _response_json(response: Row) -> str | None:
    values = tuple(map(response.get, _RESPONSE_FIELDS))
    try:
        return _status_json(*values)
    except TypeError:  # an object or a list among them, which no cache can hold
        return _status_json.__wrapped__(*values)


@lru_cache(maxsize=16, typed=True)
def _status_json(*values: Any) -> str | None:
    """Status fields of a response as a bounded JSON object; null when it has none."""
    fields = {name: value for name, value in zip(_RESPONSE_FIELDS, values, strict=True) if value is not None}
    return bounded_json(fields, _RESPONSE_LIMIT) if fields else None


def _verifier(rows: list[Row], shapes: list[Shape]) -> tuple[Maps, list[str | None]]:
    """Numeric top-level fields, and all the fields a benchmark's expression may use, as bounded JSON."""
    kept: list[Row] = []
    for row, shape in zip(rows, shapes, strict=True):
        fields = {name: row[name] for name in shape.verifier}
        for name in shape.transcripts:
            if type(value := row[name]) in _SCALARS:
                fields[name] = value
        kept.append(fields)
    return maps_of(kept), [bounded_json(fields) if fields else None for fields in kept]


def _objects(values: list[Any]) -> list[Row]:
    return [value if type(value) is dict else _NOTHING for value in values]


def _named(kind: Any, rows: Any) -> Columns:
    """Columns of an iterable of named tuples."""
    return dict(zip(kind._fields, map(list, zip(*rows, strict=True)), strict=True))
