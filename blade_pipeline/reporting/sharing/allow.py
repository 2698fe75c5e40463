"""Shapes of what may be shared: a document passes field by field, and a field that no shape names stays behind."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from blade_pipeline.reporting.sharing.names import Names

Shape = Callable[[Any, Names], Any]

LARGEST = 1e9
"""A number from here on is no count and no score: it may be an id or a telephone number."""


def number(value: Any, _: Names) -> float | int | bool | None:
    """The value where it is such a number."""
    return plain(value)


def plain(value: Any) -> float | int | bool | None:
    """A finite number below a thousand millions in size, a yes or no, or null."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float) or not math.isfinite(value) or abs(value) >= LARGEST:
        return None
    return value


def word(*words: str) -> Shape:
    """One of these words of our own; anything else becomes null."""
    return lambda value, _: value if value in words else None


def pattern(expression: str) -> Shape:
    """A word of our own that matches as a whole; anything else becomes null."""
    rule = re.compile(expression)
    return lambda value, _: value if isinstance(value, str) and rule.fullmatch(value) else None


def fields(shapes: Mapping[str, Shape]) -> Shape:
    """An object of which these fields pass; null for anything else."""

    def shaped(value: Any, names: Names) -> dict[str, Any] | None:
        if not isinstance(value, Mapping):
            return None
        return {key: shape(value[key], names) for key, shape in shapes.items() if key in value}

    return shaped


def numbers(keys: str) -> Shape:
    """An object of which these fields, separated by blanks, pass as numbers."""
    return fields(dict.fromkeys(keys.split(), number))


def each(shape: Shape) -> Shape:
    """A list whose every member passes in one shape."""
    return lambda value, names: [shape(item, names) for item in value] if isinstance(value, list | tuple) else None


def keyed(key: Shape, shape: Shape) -> Shape:
    """An object whose keys pass in one shape and its values in another; what has a null key stays behind."""

    def shaped(value: Any, names: Names) -> dict[str, Any] | None:
        if not isinstance(value, Mapping):
            return None
        passed = [(key(name, names), shape(item, names)) for name, item in value.items()]
        names.take("number under a name of its own", sum(name is None for name, _ in passed))
        return {name: item for name, item in passed if name is not None}

    return shaped


def known(kind: str) -> Shape:
    """The name of a benchmark, run or model."""
    return lambda value, names: None if value is None else names.known(kind, value)


def numbered(kind: str) -> Shape:
    """A number in the place of a name."""
    return lambda value, names: None if value is None else names.numbered(kind, value)


def task(value: Any, names: Names) -> str:
    """The pseudonym of a task."""
    return names.task(value)
