"""Texts that a report takes over from a document: each of their figures is held against the one at its place there."""

from collections.abc import Iterable, Iterator, Mapping

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
    shape, candidates = _shape(text), [said(other).text for other in {*texts} if other]
    same = [list(figures_of(other)) for other in candidates if _shape(other) == shape]
    for place, figure in enumerate(figures_of(text)):
        own = figures.get(figure.start)
        if own is not None:
            yield from claim(own, [Option(values[place].value, what) for values in same])


def _shape(text: str) -> str:
    """The words of a text, with a sign for each figure."""
    parts, end = [], 0
    for figure in figures_of(text):
        parts.append(text[end : figure.start])
        end = figure.end
    return " ".join("#".join([*parts, text[end:]]).split())
