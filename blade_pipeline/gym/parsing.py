"""What rollout lines say, as plain columns: without Arrow, so that a process which only parses starts quickly."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from blade_pipeline.gym.blocks import Lines, by_column, read_span
from blade_pipeline.gym.columns import Columns, condensed, rollout_columns
from blade_pipeline.gym.content import Contents, fingerprint
from blade_pipeline.gym.lines import Line, Span


def parse_span(span: Span, contents: Contents) -> Columns:
    """The columns of ``parse`` over the lines of one span, numbered from 1.

    Raises:
        BladeError: the file cannot be read or has changed since it was cut.
    """
    with _collector_paused():
        lines = read_span(span)
        return _parsed(range(1, len(lines.rows) + 1), lines, contents)


def parse(lines: Iterator[Line], contents: Contents) -> Columns:
    """``line``, ``offset``, ``length`` and ``line_class`` of all lines, and ``RAW_ROLLOUTS``' others of the readable.

    ``file`` is left out, and every column in which no row has a value. All rows are held at once.
    """
    with _collector_paused():
        held = list(lines)
        return _parsed([line.number for line in held], by_column(held), contents)


def _parsed(numbers: Sequence[int], lines: Lines, contents: Contents) -> Columns:
    if not numbers:
        return {}
    columns: Columns = {
        "line": list(numbers),
        "offset": lines.offsets,
        "length": lines.lengths,
        "line_class": lines.classes,
    }
    readable = [
        (row, raw) for row, raw in zip(lines.rows, lines.raws, strict=True) if row is not None and raw is not None
    ]
    if readable:
        columns |= condensed(rollout_columns([row for row, _ in readable], contents))
        columns["payload_digest"] = [fingerprint(raw) for _, raw in readable]
    return columns


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection while parsed rows are alive: they hold no cycles and are many objects."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
