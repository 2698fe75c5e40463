"""Reads the failures sidecar: one row per failed attempt."""

from collections.abc import Mapping
from typing import Any

import orjson
import pyarrow as pa

from blade_pipeline.gym.batches import to_table
from blade_pipeline.gym.content import digest
from blade_pipeline.gym.files import RunDirectory
from blade_pipeline.gym.identity import identity
from blade_pipeline.gym.lines import Line, read_lines
from blade_pipeline.gym.measurement import mask_of, reward_of
from blade_pipeline.gym.public import redacted
from blade_pipeline.gym.values import integer, scalar_text, text_or_none
from blade_pipeline.tables import FAILED_ATTEMPTS

_CLASS_KEYS = ("_ng_failure_class", "failure_kind", "error_class")
_MESSAGE_KEYS = ("_ng_failure_message", "error_message", "error", "failure_reason")
_BODY = "_ng_failure_response_body"
_TOLD_IN = ("message", "detail", "error", "msg")
_LONGEST = 300


def read_failures(run: RunDirectory) -> pa.Table:
    """Every physical line of the failures sidecars of all shards as one row of ``FAILED_ATTEMPTS``.

    Rows that the collector marks as omitted (neither failure nor attempt) have the line class ``omitted``.

    Raises:
        BladeError: a file cannot be read.
    """
    rows = [_values(run.relative(file.path), line) for file in run.having("failures") for line in read_lines(file.path)]
    return to_table(rows, FAILED_ATTEMPTS)


def _values(name: str, line: Line) -> tuple[Any, ...]:
    row = line.row
    if row is None:
        return (name, line.number, line.line_class, *[None] * (len(FAILED_ATTEMPTS) - 3))
    who = identity(row)
    message = next((text for key in _MESSAGE_KEYS if (text := scalar_text(row.get(key), 2000))), None)
    return (
        name,
        line.number,
        "omitted" if row.get("_ng_omitted_rollout") or row.get("_ng_omitted") else line.line_class,
        who.agent,
        who.stage,
        who.task,
        who.repeat,
        who.attempt,
        next((text for key in _CLASS_KEYS if (text := text_or_none(row.get(key), 200))), "unknown"),
        row.get("_ng_failure_terminal") in (True, 1),
        text_or_none(row.get("_ng_failure_type"), 200),
        integer(row.get("_ng_failure_http_status")),
        text_or_none(row.get("_ng_failure_stage"), 50),
        None if message is None else digest(message.encode("utf-8", "surrogatepass"))[:16],
        _shown(scalar_text(row.get(_BODY), 2000), message),
        reward_of(row).value,
        mask_of(row)[0],
    )


def _shown(body: str | None, message: str | None) -> str | None:
    """What the server answered, else what the caller made of it: on one line, bounded and without what is private."""
    text = (body and _told(body)) or message
    return None if not text else redacted(" ".join(text.split()))[:_LONGEST]


def _told(body: str) -> str:
    """The sentence of an error document, the body itself where it is none."""
    try:
        found: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body
    while isinstance(found, Mapping) and (names := [name for name in _TOLD_IN if found.get(name)]):
        found = found[names[0]]
    return found if isinstance(found, str) else body
