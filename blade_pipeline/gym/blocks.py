"""Lines by column: those of a span, read in one piece, or any others."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from blade_pipeline.gym.lines import Line, Row, Span, classed, read_lines, refuse_changed, unreadable

_PIECE = 4 * 2**20
"""Bytes up to which a span is held as it stands in the file, beside the rows parsed from it."""


class Lines(NamedTuple):
    """Of each line what ``Line`` says, but for its number."""

    offsets: list[int]
    lengths: list[int]
    classes: list[str]
    rows: list[Row | None]
    raws: Sequence[bytes | memoryview | None]


def read_span(span: Span) -> Lines:
    """The lines of a span.

    Raises:
        BladeError: the file cannot be opened or read, or has changed since it was cut.
    """
    path = Path(span.path)
    if span.stop - span.start > _PIECE:
        return by_column(list(read_lines(path, span=span)))
    try:
        with path.open("rb") as stream:
            stream.seek(span.start)
            block = stream.read(span.stop - span.start)
        refuse_changed(path, span.stamp)
    except OSError as error:
        raise unreadable(path, error) from error
    raws = list(_split(block))
    unterminated = None if block.endswith(b"\n") else len(raws) - 1
    found = [classed(raw, terminated=at != unterminated, first=at == span.start == 0) for at, raw in enumerate(raws)]
    lengths = list(map(len, raws))
    offsets = list(accumulate((length + 1 for length in lengths[:-1]), initial=span.start))
    return Lines(offsets, lengths, [line_class for line_class, _ in found], [row for _, row in found], raws)


def by_column(lines: list[Line]) -> Lines:
    """The same lines as columns."""
    return Lines(
        [line.offset for line in lines],
        [line.length for line in lines],
        [line.line_class for line in lines],
        [line.row for line in lines],
        [line.raw for line in lines],
    )


def _split(block: bytes) -> Iterator[memoryview]:
    """The lines of a block without a copy, which would take a fifth of the time in which they are parsed."""
    view = memoryview(block)
    start = 0
    while (stop := block.find(b"\n", start)) >= 0:
        yield view[start:stop]
        start = stop + 1
    if start < len(block):
        yield view[start:]
