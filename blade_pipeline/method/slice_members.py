"""Which rows belong to which slice, so that rows are counted per slice without visiting them one by one."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.arrays import Counts

MOST_SLICES = 300
"""Slices that are counted; fields with fewer values come first, and a field is counted whole or left out."""

Slice = tuple[str, str]


@dataclass(frozen=True)
class SliceMembers:
    """The slices of some rows.

    Attributes:
        slices: field and value of each slice, in alphabetical order, values that begin with a number by it.
        left_out: fields beyond ``MOST_SLICES`` with the number of their values.
        kinds: per row, the number of its combination of slices; shape (rows,).
        of_kind: per combination, the numbers of its slices.
    """

    slices: list[Slice]
    left_out: dict[str, int]
    kinds: Counts
    of_kind: list[tuple[int, ...]]

    def count(self, marked: NDArray[np.bool_]) -> Counts:
        """Marked rows per slice; shape (slices,)."""
        return self.sum_kinds(np.bincount(self.kinds[marked], minlength=len(self.of_kind)))

    def sum_kinds(self, per_kind: NDArray[np.int64]) -> Counts:
        """Counts per combination, added up per slice."""
        kinds, slices = self._pairs()
        weights = per_kind[kinds].astype(np.float64)
        return np.bincount(slices, weights=weights, minlength=len(self.slices)).astype(np.int64)

    def masks(self) -> Iterator[tuple[Slice, NDArray[np.bool_]]]:
        """Each slice with the rows that belong to it."""
        for number, name in enumerate(self.slices):
            inside = np.array([number in members for members in self.of_kind], dtype=np.bool_)
            yield name, inside[self.kinds]

    def _pairs(self) -> tuple[Counts, Counts]:
        sizes = [len(members) for members in self.of_kind]
        kinds = np.repeat(np.arange(len(self.of_kind)), sizes)
        slices = np.array([number for members in self.of_kind for number in members], dtype=np.int64)
        return kinds, slices


def slice_members(slices: pa.ChunkedArray) -> SliceMembers:
    """The slices of the rows of a column ``slices``; a row whose value is null belongs to none.

    Each different text of the column is read once.
    """
    encoded = slices.combine_chunks().dictionary_encode(null_encoding="encode")
    texts: list[dict[str, str]] = [json.loads(text) if text else {} for text in encoded.dictionary.to_pylist()]
    values: dict[str, set[str]] = {}
    for text in texts:
        for field, value in text.items():
            values.setdefault(field, set()).add(value)
    chosen = _chosen(values)
    names = sorted(((field, value) for field in chosen for value in values[field]), key=_in_order)
    numbers = {name: number for number, name in enumerate(names)}
    kinds: dict[tuple[int, ...], int] = {}
    kind_of_text = [
        kinds.setdefault(tuple(numbers[item] for item in sorted(text.items()) if item in numbers), len(kinds))
        for text in texts
    ]
    rows = np.asarray(encoded.indices, dtype=np.int64)
    left_out = {field: len(values[field]) for field in sorted(values) if field not in chosen}
    return SliceMembers(names, left_out, np.array(kind_of_text, dtype=np.int64)[rows], list(kinds))


def _in_order(name: Slice) -> tuple[str, float, str]:
    number = re.match(r"-?\d+(\.\d+)?(e[+-]?\d+)?", name[1])
    return name[0], float(number[0]) if number else -math.inf, name[1]


def _chosen(values: dict[str, set[str]]) -> set[str]:
    chosen, total = set(), 0
    for field in sorted(values, key=lambda field: (len(values[field]), field)):
        total += len(values[field])
        if total > MOST_SLICES:
            break
        chosen.add(field)
    return chosen
