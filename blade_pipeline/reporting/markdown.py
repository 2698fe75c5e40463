"""A document of blocks as Markdown."""

from collections.abc import Iterable, Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Box,
    Bullets,
    Cell,
    Document,
    Figure,
    Fold,
    Heading,
    Paragraph,
    Piece,
    Strip,
    Table,
    Text,
)  # fmt: skip
from blade_pipeline.reporting.text import at_line_start, clean_words, code_span, markdown


def to_markdown(document: Document) -> str:
    """GitHub-flavoured Markdown; drawings are left out, their numbers stand in the tables."""
    parts = [f"# {_words(document.title)}", inline(document.subtitle)]
    for section in document.sections:
        parts += [f"## {section.title}", *_blocks(section.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def inline(text: Text) -> str:
    """One line of Markdown."""
    return "".join(_piece(piece) for piece in text).strip()


def _piece(piece: Piece) -> str:
    if piece.kind == "code":
        return code_span(piece.text)
    words = _words(piece.text)
    if piece.kind == "strong":
        return f"**{words}**"
    if piece.kind == "fact":
        return f"[{words}]"
    if piece.kind == "link":
        return f"[{words}]({_target(piece.target)})"
    return words


def _target(target: str) -> str:
    """The Markdown file beside the HTML one."""
    return target.replace("index.html", "comparison.md").replace("report.html", "report.md")


def _words(text: str) -> str:
    return markdown(clean_words(text))


def _blocks(blocks: Iterable[Block], said: str = "") -> Iterator[str]:
    """The blocks; a table whose caption was just ``said`` does not say it again."""
    for block in blocks:
        if isinstance(block, Paragraph):
            mark = "> " if block.tone in ("absent", "warn") else ""
            yield f"{mark}{at_line_start(inline(block.text))}"
        elif isinstance(block, Heading):
            yield f"### {inline(block.text)}"
        elif isinstance(block, Bullets):
            yield "\n".join(_item(item, f"{n}." if block.ordered else "-") for n, item in enumerate(block.items, 1))
        elif isinstance(block, Table):
            yield _table(block, said)
        elif isinstance(block, Box):
            yield f"**{_words(block.verdict)}.** {inline(block.headline)}"
            yield "\n".join(f"- **{_words(label)}:** {inline(text)}" for label, text in block.entries)
        elif isinstance(block, Fold):
            yield f"<details><summary>{_words(block.summary)}</summary>"
            yield from _blocks(block.blocks, block.summary)
            yield "</details>"
        elif isinstance(block, Figure | Strip):
            continue


def _item(text: Text, mark: str) -> str:
    return f"{mark} {at_line_start(inline(text))}"


def _table(block: Table, said: str) -> str:
    marks = ("---:" if position in block.numeric else "---" for position in range(len(block.columns)))
    lines = [_line(_words(title) for title in block.columns), _line(marks)]
    shown = block.rows[: block.most]
    lines += [_line(_cell(cell) for cell in row.cells) for row in shown]
    rest = "" if len(shown) == len(block.rows) else f", the first {len(shown)}"
    caption = "" if block.caption == said and not rest else f"{_words(block.caption)}{rest}:\n\n"
    return caption + "\n".join(lines)


def _cell(cell: Cell) -> str:
    return inline(cell.text) or " "


def _line(values: Iterable[str]) -> str:
    return f"| {' | '.join(values)} |"
