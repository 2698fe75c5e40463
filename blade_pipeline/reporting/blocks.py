"""What a report is made of, before it is Markdown or HTML: both are written from the same blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from blade_pipeline.reporting.pieces import Piece, Text, code, ended, foreign, joined, link, listed, quoted, say, strong

__all__ = [
    "Block",
    "Box",
    "Bullets",
    "Cell",
    "Document",
    "Figure",
    "Filter",
    "Fold",
    "Heading",
    "Paragraph",
    "Piece",
    "Reading",
    "Row",
    "Section",
    "Strip",
    "StripTask",
    "Table",
    "Text",
    "Tone",
    "absent",
    "cells",
    "code",
    "ended",
    "foreign",
    "joined",
    "link",
    "listed",
    "quoted",
    "say",
    "strong",
    "table",
]

Tone = Literal["", "absent", "warn", "good", "quiet"]


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
    """A table row; ``keys`` holds, for each of the table's filters, the names that the row is found under."""

    cells: tuple[Cell, ...]
    keys: tuple[tuple[str, ...], ...] = ()
    anchor: str = ""
    opens: int | None = None


@dataclass(frozen=True)
class Filter:
    """A choice above a table: what it chooses by, and its options as names with their words."""

    by: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reading:
    """What rows of a table open (HTML only): ``tasks`` is plain data, and a row's ``opens`` a place in it."""

    note: str
    tasks: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Table:
    """A table; with ``filters`` it can be sorted, filtered and paged in the HTML report.

    Markdown holds the first ``most`` rows.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    numeric: frozenset[int] = frozenset()
    filters: tuple[Filter, ...] = ()
    reading: Reading | None = None
    most: int | None = None


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
    filters: tuple[Filter, ...] = (),
    reading: Reading | None = None,
    most: int | None = None,
) -> Table:
    """A table whose ``columns`` are a sequence or separated by ``|``; ``numeric`` names those set to the right."""
    titles = tuple(title.strip() for title in (columns.split("|") if isinstance(columns, str) else columns))
    right = {title.strip() for title in numeric.split("|")}
    ready = tuple(row if isinstance(row, Row) else Row(row) for row in rows)
    places = frozenset(i for i, title in enumerate(titles) if title in right)
    return Table(caption, titles, ready, places, filters, reading, most)


def absent(sentence: str | Text) -> Paragraph:
    """The sentence that stands where evidence is absent."""
    return Paragraph(say("Cannot be supported: ", sentence), "absent")
