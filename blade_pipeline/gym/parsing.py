"""What rollout lines say, as plain columns: without Arrow, so that a process which only parses starts quickly."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blade_pipeline.gym.columns import Columns, rollout_columns
from blade_pipeline.gym.content import Contents, fingerprint
from blade_pipeline.gym.lines import Line, Span, read_lines


def parse_span(span: Span, contents: Contents) -> Columns:
    """The columns of ``parse`` over the lines of one span, numbered from 1.

    Raises:
        BladeError: the file cannot be read or has changed since it was cut.
    """
    return parse(read_lines(Path(span.path), span=span), contents)


def parse(lines: Iterator[Line], contents: Contents) -> Columns:
    """``line``, ``offset``, ``length`` and ``line_class`` of all lines, and ``RAW_ROLLOUTS``' others of the readable.

    ``file`` is left out, and everything but places and classes where no line is readable. All rows are held at once.
    """
    with _collector_paused():
        return _parsed(list(lines), contents)


def _parsed(lines: list[Line], contents: Contents) -> Columns:
    if not lines:
        return {}
    columns: Columns = {
        "line": [line.number for line in lines],
        "offset": [line.offset for line in lines],
        "length": [line.length for line in lines],
        "line_class": [line.line_class for line in lines],
    }
    readable = [(line.row, line.raw) for line in lines if line.row is not None and line.raw is not None]
    if readable:
        columns |= rollout_columns([row for row, _ in readable], contents)
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
