"""Physical lines of a JSONL file, each with its place and exactly one class.

Lines end at the byte 0x0A and nowhere else. A class is ``row``, ``blank`` or one of ``MALFORMED``.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from blade_pipeline.errors import BladeError

LINE_CAP = 64 * 2**20
"""Longest line in bytes that is parsed."""

MALFORMED = ("torn", "glued", "invalid_json", "invalid_utf8", "not_object", "placeholder", "too_long")

_BUFFER = 2**20
_TASK_INDEX = "_ng_task_index"
_BOM = b"\xef\xbb\xbf"
_OBJECT_START = re.compile(rb'\{\s*"')
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_GLUED_LINE_CAP = 8 * 2**20
_GLUED_TRIES = 4000
_ROW_KEYS = frozenset({"_ng_task_index", "_ng_rollout_index", "reward", "responses_create_params", "agent_ref"})

Row = dict[str, Any]


class Line(NamedTuple):
    """One physical line: 1-based ``number``, ``offset`` and ``length`` in bytes without the newline.

    ``row`` is the parsed object when ``line_class`` is ``row``; ``raw`` is ``None`` for a line that is too long.
    """

    number: int
    offset: int
    length: int
    line_class: str
    row: Row | None
    raw: bytes | None


class Span(NamedTuple):
    """Whole lines of a file: its bytes from ``start`` to ``stop``, and inode, size and mtime_ns when it was cut."""

    path: str
    start: int
    stop: int
    stamp: tuple[int, int, int]


def cut(path: Path, size: int) -> Iterator[Span]:
    """Spans of at least ``size`` bytes, one after the other up to the end of the file.

    Raises:
        BladeError: the file cannot be opened or read.
    """
    try:
        with path.open("rb") as stream:
            stamp = _stamp(os.fstat(stream.fileno()))
            start, end = 0, stamp[1]
            while start < end:
                stop = min(start + size, end)
                stream.seek(stop - 1)
                stop += _skip_line(stream, 0)[1] - 1
                yield Span(str(path), start, stop, stamp)
                start = stop
    except OSError as error:
        raise unreadable(path, error) from error


def read_lines(path: Path, cap: int = LINE_CAP, span: Span | None = None) -> Iterator[Line]:
    """Every physical line of the file or of one span of it, in order, holding one line in memory at a time.

    Lines of a span are numbered from 1.

    Raises:
        BladeError: the file cannot be opened or read, or has changed when its end is reached or since it was cut.
    """
    try:
        with path.open("rb", buffering=_BUFFER) as stream:
            before = span.stamp if span else _stamp(os.fstat(stream.fileno()))
            offset, stop = (span.start, span.stop) if span else (0, before[1])
            stream.seek(offset)
            number = 0
            readline = stream.readline
            while offset < stop and (raw := readline(cap + 1)):
                number += 1
                used = len(raw)
                if raw[-1] == 10:
                    raw = raw[:-1]
                elif used > cap:
                    length, used = _skip_line(stream, used)
                    yield Line(number, offset, length, "too_long", None, None)
                    offset += used
                    continue
                length = len(raw)
                line_class, row = classed(raw, terminated=used > length, first=offset == 0)
                yield Line(number, offset, length, line_class, row, raw)
                offset += used
            refuse_changed(path, before)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> BladeError:
    """The sentence for a file that cannot be read (gone, no permission, bad disk)."""
    reason = error.strerror or type(error).__name__
    return BladeError(f"{path} cannot be read ({reason}); restore the file or its permissions and run again.")


def refuse_changed(path: Path, stamp: tuple[int, int, int]) -> None:
    """Refuses a file that no longer is what it was at its ``stamp``.

    Raises:
        BladeError: it has changed.
        OSError: it is gone.
    """
    if _stamp(path.stat()) != stamp:
        raise BladeError(f"{path} changed while it was read; run again when nothing writes to it.")


def classed(raw: bytes | memoryview, *, terminated: bool, first: bool) -> tuple[str, Row | None]:
    """As ``classify``, with the index of the task exact."""
    try:
        row = orjson.loads(raw)
    except ValueError:
        return _classify_hard(bytes(raw), terminated=terminated, first=first)
    if type(row) is not dict:
        return "not_object", None
    return "row", _with_exact_integers(bytes(raw), row) if type(row.get(_TASK_INDEX)) is float else row


def classify(raw: bytes, *, terminated: bool = True, first: bool = False) -> tuple[str, Row | None]:
    """Class of one line's bytes (without the newline) and its object when it is a row.

    ``terminated`` says whether a newline follows; ``first`` allows a UTF-8 byte order mark.
    """
    try:
        row = orjson.loads(raw)
    except ValueError:
        return _classify_hard(raw, terminated=terminated, first=first)
    return ("row", row) if isinstance(row, dict) else ("not_object", None)


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _skip_line(stream: Any, seen: int) -> tuple[int, int]:
    """Reads to the end of a line already ``seen`` in part; its length without and with the newline."""
    total = seen
    while block := stream.readline(_BUFFER):
        total += len(block)
        if block[-1] == 10:
            return total - 1, total
    return total, total


def _classify_hard(raw: bytes, *, terminated: bool, first: bool) -> tuple[str, Row | None]:
    """What orjson refuses: NaN, lone surrogates and over-large numbers are rows, the rest is named."""
    if first and raw.startswith(_BOM):
        raw = raw[len(_BOM) :]
    if not raw.strip():
        return "blank", None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None:
        try:
            value = json.loads(text, parse_int=_parse_int)
        except (ValueError, RecursionError):
            pass
        else:
            return ("row", value) if isinstance(value, dict) else ("not_object", None)
    return _name_malformed(raw, text, terminated), None


def _name_malformed(raw: bytes, text: str | None, terminated: bool) -> str:
    if _has_full_tail(raw):
        return "glued"
    if text is not None and _is_prose(text):
        return "placeholder"
    if not terminated:
        return "torn"
    return "invalid_utf8" if text is None else "invalid_json"


def _is_prose(text: str) -> bool:
    return not any(mark in text for mark in "{}\"'") and not _CONTROL.search(text)


def _has_full_tail(raw: bytes) -> bool:
    """Whether a whole row follows the broken beginning: a crash cut a line and a resume wrote behind it."""
    stripped = raw.strip()
    if not stripped.startswith(b"{") or len(stripped) > _GLUED_LINE_CAP:
        return False
    for tries, start in enumerate(_OBJECT_START.finditer(stripped, 1)):
        if tries == _GLUED_TRIES:
            return False
        try:
            tail = orjson.loads(memoryview(stripped)[start.start() :])
        except ValueError:
            continue
        if isinstance(tail, dict) and not _ROW_KEYS.isdisjoint(tail):
            return True
    return False


def _with_exact_integers(raw: bytes, row: Row) -> Row:
    """The row with its integers exact where its task index is beyond 64 bits, which orjson reads as a float.

    It stays as it is where it is nested too deeply for the exact reader.
    """
    if abs(row[_TASK_INDEX]) < 2**63:
        return row
    try:
        exact: Row = json.loads(raw, parse_int=_parse_int)
    except RecursionError:
        return row
    return exact


def _parse_int(digits: str) -> int | float:
    return int(digits) if len(digits) < 4000 else float(digits)
