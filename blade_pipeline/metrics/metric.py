"""One row of the reference of metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Metric:
    """A number, or several that are defined together; every text is Markdown.

    ``name`` holds paths in ``metrics.json``, with placeholders in angle brackets, or the usual name of what stands in
    none. ``denominator`` says what it divides by, ``question`` what a reader learns from it; ``functions`` are those
    that compute it.
    """

    name: str
    formula: str
    denominator: str
    source: str
    question: str
    functions: tuple[Callable[..., Any], ...] = ()
