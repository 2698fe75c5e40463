"""Passages of prose in a report, and the figures that they state."""

import re
from collections.abc import Iterator

from blade_pipeline.method.package.lines import outside_code

_FIGURE = re.compile(r"(?<![\w.`])-?\d[\d,]*(?:\.\d+)?%?(?![\w`])")
_BREAK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s")
_END = re.compile(r"(?<=[.!?])\s+")
_TOGETHER, _LONGEST, _SENTENCE = 3, 120, 10
_GLUE = frozenset(
    "a an and are as at be by do does for from has have how if in is it its more no none not of on one only or "
    "over per so than that the their them then there they this those to up was were what when where which who "
    "why with without all any but can each every every least most of other same some such".split()
)
_GLUED_AT_LEAST = 0.15


def passages(report: str) -> Iterator[str]:
    """Runs of at most three sentences of one paragraph or list item that read as prose.

    A sentence of more than 120 words, or one whose words are hardly ever joined by small words (fewer than 15 %, from
    12 words on), is no prose: a dump of vocabulary. Of a table only cells of ten words or more are passages.
    """
    for block in _blocks(report):
        if block.startswith("|"):
            yield from (cell.strip() for cell in block.split("|") if len(cell.split()) >= _SENTENCE)
            continue
        sentences = [sentence for sentence in _END.split(block) if is_prose(sentence)]
        for first in range(len(sentences)):
            yield " ".join(sentences[first : first + _TOGETHER])


def figures(text: str) -> frozenset[str]:
    """The numbers that a text states, without grouping commas and trailing zeros."""
    return frozenset(_same(found) for found in _FIGURE.findall(text))


def is_prose(sentence: str) -> bool:
    """Whether a sentence reads as one, and not as a list of words."""
    found = re.findall(r"[A-Za-z][A-Za-z'-]*", sentence.lower())
    if len(found) < 12:
        return True
    glued = sum(word in _GLUE for word in found)
    return len(found) <= _LONGEST and glued >= _GLUED_AT_LEAST * len(found)


def _blocks(report: str) -> Iterator[str]:
    block: list[str] = []
    for line in [*outside_code(report), ""]:
        text = line.strip()
        if not text or text.startswith(("|", "#")) or _BREAK.match(line):
            if block:
                yield " ".join(block)
            block = []
        if text.startswith("|"):
            yield text
        elif text and not text.startswith("#"):
            block.append(text)


def _same(figure: str) -> str:
    number = figure.rstrip("%").replace(",", "")
    plain = number.rstrip("0").rstrip(".") if "." in number else number
    return plain + "%" * figure.endswith("%")
