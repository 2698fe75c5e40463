"""A Markdown report as units that each say something: headings, paragraphs, list items and tables."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = "```"
_HEADING = re.compile(r"^(#{1,6})\s+(.*)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_TAG = re.compile(r"</?(?:details|summary|br|p|div|span|b|i|em|strong)\b[^>]*>", re.IGNORECASE)
_CODE = re.compile(r"\\.|(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_QUOTATION = re.compile(r"“[^”]*”")
_REFERENCE = re.compile(r"\[(F\d+)\]")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_STRONG = re.compile(r"\*\*|__(?=\S)|(?<=\S)__")
_ESCAPE = re.compile(r"\\([\\`*\[\]<>~&$_#+.)(!{}-])")
_RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*$")


@dataclass(frozen=True)
class Said:
    """Words with their code spans taken out: ``text`` holds ``⟦n⟧`` where span n stood; ``facts`` are those cited."""

    text: str
    spans: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def torn(self) -> bool:
        """Whether a backtick is left over, so that nobody can tell where the names end."""
        return "`" in self.text

    def plain(self) -> str:
        """The words with the spans put back."""
        return re.sub(r"⟦(\d+)⟧", lambda found: self.spans[int(found[1])], self.text).strip()


@dataclass(frozen=True)
class Unit:
    """One statement: its line, the headings above it, what kind it is and what it says."""

    line: int
    path: tuple[str, ...]
    kind: str
    said: Said


@dataclass
class Row:
    """A row of a table."""

    line: int
    cells: list[Said]


@dataclass
class Table:
    """A table with the headings above it and the sentence that introduces it."""

    line: int
    path: tuple[str, ...]
    caption: str
    header: list[str]
    rows: list[Row] = field(default_factory=list)


def said(text: str) -> Said:
    """Words of a piece of Markdown, without its markup and without what it quotes: that is said by somebody else."""
    spans: list[str] = []

    def keep(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        body = found[2]
        spans.append(body.strip() if body[0] == body[-1] == " " else body)
        return f"⟦{len(spans) - 1}⟧"

    masked = _TAG.sub(" ", _QUOTATION.sub("“…”", _CODE.sub(keep, text)))
    words = _STRONG.sub("", _LINK.sub(r"\1", _REFERENCE.sub("", masked)))
    plain = html.unescape(_ESCAPE.sub(lambda sign: "&amp;" if sign[1] == "&" else sign[1], words))
    return Said(plain.strip(), tuple(spans), tuple(_REFERENCE.findall(masked)))


def parse(report: str) -> Iterator[Unit | Table]:
    """Every statement of a report in order; fenced code is none."""
    path: list[tuple[int, str]] = []
    table: Table | None = None
    caption, fenced = "", False
    for number, line in enumerate(report.splitlines(), 1):
        text = line.strip()
        if text.startswith(_FENCE):
            fenced = not fenced
            continue
        if table is not None and not text.startswith("|"):
            yield table
            table = None
        if fenced or not text:
            continue
        heading = _HEADING.match(text)
        if heading:
            level, title = len(heading[1]), said(heading[2])
            path = [entry for entry in path if entry[0] < level]
            yield Unit(number, _titles(path), "heading", title)
            path.append((level, title.plain()))
            caption = ""
        elif text.startswith("|"):
            if table is None:
                table = Table(number, _titles(path), caption, [cell.plain() for cell in _cells(text)])
            elif not _RULE.match(text):
                table.rows.append(Row(number, _cells(text)))
        else:
            words = said(_ITEM.sub("", line).strip().removeprefix(">"))
            caption = words.plain()
            yield Unit(number, _titles(path), "item" if _ITEM.match(line) else "paragraph", words)
    if table is not None:
        yield table


def _titles(path: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in path)


def _cells(line: str) -> list[Said]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [said(cell) for cell in re.split(r"(?<!\\)\|", inner)]
