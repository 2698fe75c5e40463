"""A YAML file that a person wrote, with the line of every value in it.

Whatever cannot be meant is refused with file and line: a text that is not UTF-8, broken syntax, and a key that stands
twice in one mapping, of which YAML would silently keep the last.
"""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from blade_pipeline.models import BladeError

LARGEST = 2 * 2**20
"""Bytes of a file: some 20,000 labels; a list of so many single digits takes a minute to read."""

Place = Sequence[str | int]
"""Keys and positions that lead from the top of a file to a value."""


class _Loader(yaml.SafeLoader):
    """Marks a value that reads like a date or a number and is none, such as 2026-02-31, with its line."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except ValueError as error:
            raise yaml.MarkedYAMLError(problem=str(error), problem_mark=node.start_mark) from None


class TeamFile:
    """The content of a file and where it stands; ``content`` is null for a file without any."""

    def __init__(self, path: Path) -> None:
        """Reads the file.

        Raises:
            BladeError: it is larger than ``LARGEST``, not UTF-8, no YAML, or holds a key twice.
        """
        self.name = path.name
        with path.open("rb") as stream:
            text = self._text(stream.read(LARGEST + 1))
        try:
            self._root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
            self._refuse_repeated_keys()
            self.content: Any = yaml.load(text, Loader=_Loader)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise self._unreadable(text, error) from None

    def at(self, place: Place) -> str:
        """``bench.yaml, line 3`` of the deepest value on the way to a place; the name alone for an empty file."""
        line = self.line(place)
        return self.name if line is None else f"{self.name}, line {line}"

    def line(self, place: Place) -> int | None:
        """1-based line of the deepest value on the way to a place; null for an empty file."""
        if self._root is None:
            return None
        marks = [self._root.start_mark, *(mark for _, mark in self._way(place))]
        return int(marks[-1].line) + 1

    def found(self, place: Place) -> list[str]:
        """The part of a place that the file holds."""
        return [str(part) for part, _ in zip(place, self._way(place), strict=False)]

    def _way(self, place: Place) -> Iterator[tuple[yaml.Node, Any]]:
        node: Any = self._root
        for part in place:
            node, mark = _child(node, str(part))
            if node is None:
                return
            yield node, mark

    def _text(self, raw: bytes) -> str:
        if len(raw) > LARGEST:
            raise BladeError(f"{self.name} is larger than {LARGEST // 2**20} MiB, which is not read; shorten it.")
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise BladeError(f"{self.name}, line {line}: not UTF-8; save the file as UTF-8.") from None

    def _refuse_repeated_keys(self) -> None:
        for node in _mappings(self._root):
            first: dict[str, int] = {}
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue
                line = key.start_mark.line + 1
                if key.value in first:
                    raise BladeError(
                        f"{self.name}, line {line}: field '{key.value}' stands here for the second time, "
                        f"first in line {first[key.value]}; keep one of them."
                    )
                first[key.value] = line

    def _unreadable(self, text: str, error: Exception) -> BladeError:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        line = mark.line + 1 if mark else None
        if not isinstance(error, yaml.YAMLError | RecursionError):
            problem = str(error)
        if isinstance(error, yaml.reader.ReaderError):
            line = text.count("\n", 0, error.position) + 1
            problem = f"character U+{int(error.character):04X} may not stand in YAML"
        where = self.name if line is None else f"{self.name}, line {line}"
        because = f" ({' '.join(str(problem).split())})" if problem else ""
        return BladeError(f"{where}: not readable as YAML{because}; mend the file's syntax.")


def suggestion(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for the closest known name, or a full stop."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5 if len(name) < 3 else 0.6)
    return f"; did you mean '{close[0]}'?" if close else "."


def _mappings(root: Any) -> Iterator[yaml.MappingNode]:
    """Every mapping once, however often an alias repeats it."""
    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield node
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def _child(node: Any, part: str) -> tuple[Any, Any]:
    """The value under a key, at the key's mark, or at a position of a list."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return value, key.start_mark
    if isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
        child = node.value[int(part)]
        return child, child.start_mark
    return None, None
