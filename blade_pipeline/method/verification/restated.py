"""Texts that a report takes over from a document: each of their figures is held against the one at its place there."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from blade_pipeline.method.verification.claims import Claim, Option, claim
from blade_pipeline.method.verification.figures import Figure, figures_of
from blade_pipeline.method.verification.markdown import said


def restated(text: str, figures: Mapping[int, Figure], texts: Iterable[str | None], what: str) -> Iterator[Claim]:
    """The figures of a text that says the same as one of the document's, but perhaps with other numbers.

    Args:
        text: what the report says, ``⟦n⟧`` for its code spans.
        figures: its figures by place.
        texts: what the document says; those of another wording are no candidates.
        what: which text of the document it is.
    """
    if not figures:
        return
    shape, same = _shape(text), []
    for other in dict.fromkeys(filter(None, texts)):
        theirs, values = _told(other)
        if theirs == shape:
            same.append(values)
    for place, figure in enumerate(figures_of(text)):
        own = figures.get(figure.start)
        if own is not None:
            yield from claim(own, [Option(values[place], what) for values in same])


@lru_cache(maxsize=4096)
def _told(text: str) -> tuple[str, tuple[float, ...]]:
    """The words of a document's text and its figures; the same few texts are asked for at every sentence."""
    words = said(text).text
    return _shape(words), tuple(figure.value for figure in figures_of(words))


def _shape(text: str) -> str:
    """The words of a text, with a sign for each figure."""
    parts, end = [], 0
    for figure in figures_of(text):
        parts.append(text[end : figure.start])
        end = figure.end
    return " ".join("#".join([*parts, text[end:]]).split())
