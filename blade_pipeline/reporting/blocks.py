"""What a report is made of, before it is Markdown or HTML: both are written from the same blocks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from blade_pipeline.reporting.text import clean

Tone = Literal["", "absent", "warn", "good", "quiet"]

_NAME = re.compile(r"(?<![\w`])`(.+?)`(?![\w`])")


@dataclass(frozen=True)
class Piece:
    """A stretch of text of one kind; ``target`` is where a link leads."""

    kind: Literal["plain", "code", "strong", "fact", "link"]
    text: str
    target: str = ""


Text = tuple[Piece, ...]


def code(value: object) -> Piece:
    """A name or id taken from the data."""
    return Piece("code", clean(value))


def strong(value: str) -> Piece:
    """Words that carry the message."""
    return Piece("strong", value)


def link(text: str, target: str) -> Piece:
    """A link to another published file or to a section of this one."""
    return Piece("link", text, target)


def say(*parts: str | Piece | Text) -> Text:
    """Text put together from plain words and marked pieces."""
    pieces: list[Piece] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(Piece("plain", part))
        elif isinstance(part, Piece):
            pieces.append(part)
        else:
            pieces.extend(part)
    return tuple(pieces)


def quoted(sentence: object, limit: int = 1200) -> Text:
    """A sentence made upstream: plain text, with what stands between backticks set as a name.

    A backtick beside a letter or digit belongs to the name, so that a name that holds one turns nothing round.
    """
    parts = _NAME.split(clean(sentence, limit))
    return tuple(code(part) if place % 2 else Piece("plain", part) for place, part in enumerate(parts) if part)


def ended(sentence: object) -> Text:
    """A sentence or clause made upstream, with exactly one full stop."""
    return quoted(f"{str(sentence).rstrip('. ')}.")


def listed(items: Sequence[Piece], separator: str = ", ") -> Text:
    """Pieces in a row."""
    pieces: list[Piece] = []
    for position, item in enumerate(items):
        if position:
            pieces.append(Piece("plain", separator))
        pieces.append(item)
    return tuple(pieces)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; an ``absent`` one says what the evidence cannot support."""

    text: Text
    tone: Tone = ""


@dataclass(frozen=True)
class Bullets:
    """A list, numbered when its order matters."""

    items: tuple[Text, ...]
    ordered: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: Text


@dataclass(frozen=True)
class Cell:
    """A table cell: what it shows, what it sorts by, how it looks."""

    text: Text
    value: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Row:
    """A table row; ``group`` is what the table can be filtered by."""

    cells: tuple[Cell, ...]
    group: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Table:
    """A table; with ``groups`` it can be sorted and filtered in the HTML report."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    numeric: frozenset[int] = frozenset()
    groups: tuple[tuple[str, str], ...] = ()
    grouped_by: str = "Bucket"


@dataclass(frozen=True)
class Figure:
    """A drawing; its numbers stand in the table after it."""

    svg: str
    title: str
    alternative: str


@dataclass(frozen=True)
class StripTask:
    """One column of the task strip: the bucket's letter and one outcome per repeat."""

    name: str
    letter: str
    bucket: str
    outcomes: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Strip:
    """Tasks by repeats, a cell per rollout (HTML only; the task table holds the same)."""

    title: str
    alternative: str
    tasks: tuple[StripTask, ...]
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Box:
    """What a reader in a hurry needs: a verdict and a few labelled sentences."""

    verdict: str
    headline: Text
    tone: Tone
    entries: tuple[tuple[str, Text], ...]


@dataclass(frozen=True)
class Fold:
    """Detail that is closed at first."""

    summary: str
    blocks: tuple["Block", ...]


Block = Paragraph | Bullets | Heading | Table | Figure | Strip | Box | Fold


@dataclass(frozen=True)
class Section:
    """One of the report's sections."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def slug(self) -> str:
        """The section's name inside a link."""
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True)
class Document:
    """A whole report or page."""

    title: str
    subtitle: Text
    sections: tuple[Section, ...]


def cells(*values: str | Piece | Text | Cell) -> tuple[Cell, ...]:
    """A row's cells from plain words, pieces or ready cells."""
    return tuple(value if isinstance(value, Cell) else Cell(say(value)) for value in values)


def table(
    caption: str,
    columns: str | Sequence[str],
    rows: Sequence[Row | tuple[Cell, ...]],
    numeric: str = "",
    groups: tuple[tuple[str, str], ...] = (),
    grouped_by: str = "Bucket",
) -> Table:
    """A table whose ``columns`` are a sequence or separated by ``|``; ``numeric`` names those set to the right."""
    titles = tuple(title.strip() for title in (columns.split("|") if isinstance(columns, str) else columns))
    right = {title.strip() for title in numeric.split("|")}
    ready = tuple(row if isinstance(row, Row) else Row(row) for row in rows)
    return Table(
        caption, titles, ready, frozenset(i for i, title in enumerate(titles) if title in right), groups, grouped_by
    )


def absent(sentence: str | Text) -> Paragraph:
    """The sentence that stands where evidence is absent."""
    return Paragraph(say("Cannot be supported: ", sentence), "absent")
