"""Rollout rows as the columns of ``RAW_ROLLOUTS``.

Most values come column by column over many rows: a column whose values all have the right type is taken as it is,
and only a column with a stranger among them is cleaned value by value.
"""

from collections.abc import Callable, Iterable, Sequence
from types import NoneType
from typing import Any

from blade_pipeline.gym.batches import Maps
from blade_pipeline.gym.bounded import bounded_json
from blade_pipeline.gym.content import Content, row_content
from blade_pipeline.gym.errors import error_text
from blade_pipeline.gym.identity import identity_columns
from blade_pipeline.gym.measurement import (
    Reward,
    Sampling,
    judge_of,
    mask_of,
    reward_of,
    sampling_of,
    seconds_of,
    tokens_of,
)
from blade_pipeline.gym.shape import Shape, shape_of
from blade_pipeline.gym.trajectory import Trajectory, trajectory
from blade_pipeline.gym.values import scalar_text, text_or_none

Row = dict[str, Any]
Column = Sequence[Any]

_NOTHING: Row = {}
_TOKENS = ("input_tokens", "output_tokens", "total_tokens", "reasoning_tokens")
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


def rollout_columns(rows: list[Row]) -> dict[str, Any]:
    """Columns by name, from ``agent`` to ``steps``, without ``payload_digest``, which needs the bytes.

    Values are plain lists of equal length, or ``Maps`` for the map columns.
    """
    shapes = [shape_of(tuple(row)) for row in rows]
    params = _objects([row.get("responses_create_params") for row in rows])
    responses = _objects([row.get("response") for row in rows])
    usages = _objects([response.get("usage") for response in responses])
    columns: dict[str, Any] = identity_columns(rows)
    columns |= _named(Content, map(row_content, rows, params, responses, shapes))
    columns |= _outcome(rows, responses, shapes)
    columns |= _response_facts(responses)
    columns |= _named(Sampling, map(sampling_of, params, responses))
    columns["judge"] = [judge_of(row, shape) if shape.judges else None for row, shape in zip(rows, shapes, strict=True)]
    columns |= dict(zip(_TOKENS, zip(*map(tokens_of, usages), strict=True), strict=True))
    path = _named(Trajectory, map(trajectory, rows, responses))
    columns["output_items"] = path.pop("items")
    columns |= path
    columns["usage"] = _maps(usage if usage is not _NOTHING else None for usage in usages)
    columns["perf"] = _maps(perf if isinstance(perf := row.get("ng_perf"), dict) else None for row in rows)
    columns["numbers"], columns["verifier"] = _verifier(rows, shapes)
    return columns


def _outcome(rows: list[Row], responses: list[Row], shapes: list[Shape]) -> dict[str, Column]:
    columns = dict(zip(("reward", "reward_status"), _named(Reward, map(reward_of, rows)).values(), strict=True))
    masks = [mask_of(row) for row in rows]
    columns["masked"] = [masked for masked, _ in masks]
    columns["mask_source"] = [source for _, source in masks]
    for name in ("failure_kind", "failure_reason"):
        columns[name] = _texts([row.get(name) for row in rows], lambda value: scalar_text(value, 200))
    columns["error_text"] = list(map(error_text, rows, responses, shapes))
    return columns


def _response_facts(responses: list[Row]) -> dict[str, Column]:
    details = _objects([response.get("incomplete_details") for response in responses])
    return {
        "response_status": _texts([response.get("status") for response in responses]),
        "incomplete_reason": _texts([detail.get("reason") for detail in details]),
        "model": _texts([response.get("model") for response in responses]),
        "created_at": [seconds_of(response.get("created_at")) for response in responses],
        "response": list(map(_response_json, responses)),
    }


def _response_json(response: Row) -> str | None:
    """Status fields of a response as a bounded JSON object; null when it has none."""
    fields = {name: value for name in _RESPONSE_FIELDS if (value := response.get(name)) is not None}
    return bounded_json(fields, _RESPONSE_LIMIT) if fields else None


def _verifier(rows: list[Row], shapes: list[Shape]) -> tuple[Maps, list[str | None]]:
    """Numeric top-level fields, and all the fields a benchmark's expression may use, as bounded JSON."""
    numbers = Maps()
    texts: list[str | None] = []
    for row, shape in zip(rows, shapes, strict=True):
        fields = {name: row[name] for name in shape.verifier}
        for name in shape.transcripts:
            if isinstance(value := row[name], (bool, int, float, NoneType)):
                fields[name] = value
        numbers.append(fields)
        texts.append(bounded_json(fields) if fields else None)
    return numbers, texts


def _maps(objects: Iterable[Row | None]) -> Maps:
    maps = Maps()
    for fields in objects:
        maps.append(fields)
    return maps


def _objects(values: list[Any]) -> list[Row]:
    return [value if type(value) is dict else _NOTHING for value in values]


def _texts(values: list[Any], clean: Callable[[Any], str | None] = text_or_none) -> list[str | None]:
    return [clean(value) if value is not None else None for value in values]


def _named(kind: Any, rows: Any) -> dict[str, Column]:
    """Columns of an iterable of named tuples."""
    return dict(zip(kind._fields, zip(*rows, strict=True), strict=True))
