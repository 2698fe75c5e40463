"""Strata of rollouts whose tasks are alike: in the fields that describe them, and in how many of their repeats pass."""

import json
import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Counts
from blade_pipeline.method.expressions import Mask

COMPARABLE = 0.5
"""Share of the rollouts that must keep one of the other verdict in their stratum for a field to be crossed in."""
_DIFFICULTY = re.compile(r"(^|_)(difficulty|hardness|complexity|level)(_|$)", re.IGNORECASE)


class Crossed(NamedTuple):
    """A stratum number per rollout, the fields that make the strata, and those that would leave too little."""

    strata: Counts
    fields: list[str]
    left_out: list[str]


def crossed(samples: pa.Table) -> Crossed:
    """Strata of equal agent, stage and slice fields.

    A field of difficulty comes first, then those of the fewest values. A field is left out where more than half of
    the rollouts would have none of the other verdict in their stratum; the sizes compared later play no part in it.

    Args:
        samples: measured rows of ``ALIGNED_SAMPLES``.
    """
    passed = np.asarray(samples["passed"], dtype=np.bool_)
    strata = _codes(samples["agent"]) * (1 + _largest(samples["stage"])) + np.asarray(samples["stage"])
    strata = _compact(strata)
    fields: list[str] = []
    left_out: list[str] = []
    for name, values in _fields(samples):
        finer = _compact(strata * (1 + values.max()) + values)
        if has_both(finer, passed).mean() >= COMPARABLE:
            strata, fields = finer, [*fields, name]
        else:
            left_out.append(name)
    return Crossed(strata, fields, left_out)


def is_difficulty(field: str) -> bool:
    """Whether a field's name says that it grades how hard tasks are."""
    return _DIFFICULTY.search(field) is not None


def same_pass_rate(strata: Counts, tasks: Counts, passed: Mask) -> Counts:
    """The strata, split by how many repeats of the task were measured and how many of them passed."""
    measured, passes = np.bincount(tasks), np.bincount(tasks, weights=passed).astype(np.int64)
    rates = _compact(measured * (1 + passes.max(initial=0)) + passes)
    return _compact(strata * (1 + rates.max(initial=0)) + rates[tasks])


def has_both(strata: Counts, passed: Mask) -> Mask:
    """Whether a rollout's stratum holds passing and failing ones."""
    sizes, passes = np.bincount(strata), np.bincount(strata, weights=passed)
    found: Mask = ((passes > 0) & (passes < sizes))[strata]
    return found


def _fields(samples: pa.Table) -> list[tuple[str, Counts]]:
    """Slice fields of two values or more with a code per row, those of difficulty first, then the coarsest."""
    texts = samples["slices"].combine_chunks().dictionary_encode()
    slices = [json.loads(text) for text in texts.dictionary.to_pylist()] + [{}]
    place = np.asarray(texts.indices.fill_null(len(slices) - 1), dtype=np.int64)
    found = []
    for name in sorted({name for entry in slices for name in entry}):
        values = _compact(np.unique([str(entry.get(name)) for entry in slices], return_inverse=True)[1][place])
        if values.max(initial=0) > 0:
            found.append((name, values))
    return sorted(found, key=lambda field: (not is_difficulty(field[0]), int(field[1].max()), field[0]))


def _codes(column: pa.ChunkedArray) -> Counts:
    return np.asarray(column.combine_chunks().dictionary_encode().indices, dtype=np.int64)


def _largest(column: pa.ChunkedArray) -> int:
    return int(np.asarray(column, dtype=np.int64).max(initial=0))


def _compact(numbers: Counts) -> Counts:
    return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)
