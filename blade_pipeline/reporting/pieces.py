"""Text as stretches of one kind each, before it is Markdown or HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from blade_pipeline.reporting.text import clean, unmarked

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


def foreign(words: object, limit: int = 1200) -> Text:
    """Words that somebody else wrote, in quotation marks: the report claims nothing that stands between them."""
    text = clean(words, limit)
    return (Piece("plain", f"“{unmarked(text)}”"),) if text else ()


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


def joined(texts: Sequence[Text], separator: str = ", ") -> Text:
    """Texts in a row."""
    pieces: list[Piece] = []
    for position, text in enumerate(texts):
        pieces += [*([Piece("plain", separator)] if position else []), *text]
    return tuple(pieces)
