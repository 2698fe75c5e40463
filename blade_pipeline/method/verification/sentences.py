"""Statements with their figures, and whose claims they are."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from blade_pipeline.method.verification.figures import Figure, figures_of
from blade_pipeline.method.verification.markdown import Said

_OUTSIDE = re.compile(r"\b(?:comparison|cross-model|compared|published|reference|against|versus|previous)\b", re.I)


class Sentence(NamedTuple):
    """A statement with its figures by place, and whether it speaks of this run."""

    said: Said
    figures: Mapping[int, Figure]
    firm: bool

    @property
    def text(self) -> str:
        """The words, with ``⟦n⟧`` for code spans."""
        return self.said.text


def sentence_of(said: Said, path: tuple[str, ...]) -> Sentence:
    """A statement; it is firm where its figures can only be this run's own."""
    firm = not (is_of_others(said, path) or is_native(path))
    return Sentence(said, {figure.start: figure for figure in figures_of(said.text)}, firm)


def is_of_others(said: Said, path: tuple[str, ...]) -> bool:
    """Whether a statement is about other runs or published scores: figures and words in it may be theirs."""
    return any(_OUTSIDE.search(title) for title in path) or said.text.lower().startswith("comparison")


def is_native(path: tuple[str, ...]) -> bool:
    """Whether headings lead to the numbers of NeMo Gym's own, which are one agent's and count tasks by index."""
    return any(title.startswith(("Agent ", "Where NeMo Gym's own numbers")) for title in path)
