"""Which slices score otherwise than the rest of the tasks, beyond what chance would do."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.method.arrays import Floats, known_mean
from blade_pipeline.method.slice_members import Slice
from blade_pipeline.method.strata import is_difficulty
from blade_pipeline.statistics import benjamini_hochberg, sampled_mean_p

FEWEST_UNITS = 5
"""Measured tasks (or families) below which a slice gets neither interval nor test: all would be possible."""
FALSE_SHARE = 0.01
"""q under which a slice's score stands out, as for failure modes."""

Mask = NDArray[np.bool_]
_Tested = tuple[dict[str, Any], float | None]


def against_rest(
    slices: Sequence[tuple[Slice, Mask]], scores: Floats, families: Sequence[str] | None
) -> list[dict[str, Any] | None]:
    """Hold the score of each slice against that of the other tasks which have its field.

    Args:
        slices: field and value of each slice with its tasks.
        scores: the score of each task, NaN where none was measured.
        families: the family of each task where some share one; the tasks of a family on one side are then one unit.

    Returns:
        Per slice ``{score, rest, rest_tasks, p, q}``: the mean over its tasks and over the others, p of a permutation
        of the units (``sampled_mean_p``), q over all slices of the run (Benjamini and Hochberg 1995). None where a side
        has fewer than ``FEWEST_UNITS``, all units are equal, or the mean over families differs the other way.
    """
    known = {field: np.zeros(scores.size, dtype=np.bool_) for (field, _), _ in slices}
    for (field, _), inside in slices:
        known[field] |= inside
    names = None if families is None else np.unique(list(families), return_inverse=True)[1].reshape(-1)
    measured = ~np.isnan(scores)
    tested = [_tested(scores, inside & measured, known[field] & measured, names) for (field, _), inside in slices]
    chosen = [place for place, found in enumerate(tested) if found is not None]
    corrected = benjamini_hochberg([tested[place]["p"] for place in chosen]) if chosen else ()
    for place, q in zip(chosen, corrected, strict=True):
        tested[place]["q"] = float(q)
    return tested


def scores_apart(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of ``slice_scores`` whose score stands out, one per field: its clearest, lower scores before higher ones.

    Fields of difficulty come last, since that hard tasks score lower says little. Of fields that part the tasks alike,
    as a picture's width and its orientation do, one is told: one of words before one of numbers.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in sorted(filter(stands_apart, rows), key=_clearest):
        found.setdefault(row["field"], row)
    parts: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in sorted(found.values(), key=lambda row: (row["value"][:1].isdigit(), row["field"])):
        parts.setdefault(_part(row), row)
    return sorted(parts.values(), key=lambda row: (is_difficulty(row["field"]), row["against_rest"]["p"], row["field"]))


def stands_apart(row: dict[str, Any]) -> bool:
    """Whether the score of a slice differs from that of the other tasks beyond what chance would do."""
    test = row.get("against_rest")
    return test is not None and test["q"] <= FALSE_SHARE


def _part(row: dict[str, Any]) -> tuple[Any, ...]:
    """What is equal of two slices of the same tasks, and hardly of any others."""
    test = row["against_rest"]
    return (
        row["num_tasks"],
        row["num_rollouts"],
        row["passed_rollouts"],
        test["score"],
        test["rest"],
        test["rest_tasks"],
    )


def _clearest(row: dict[str, Any]) -> tuple[bool, float, str]:
    test = row["against_rest"]
    return test["score"] > test["rest"], test["p"], row["value"]


def _tested(scores: Floats, inside: Mask, known: Mask, families: NDArray[Any] | None) -> Any:
    rest = known & ~inside
    values, marked = scores[known], inside[known]
    if families is not None:
        values, marked = _by_family(values, marked, families[known])
    if min(int(marked.sum()), int((~marked).sum())) < FEWEST_UNITS:
        return None
    p = sampled_mean_p(values, marked)
    by_task, by_unit = scores[inside].mean() - scores[rest].mean(), values[marked].mean() - values[~marked].mean()
    if p is None or by_task * by_unit < 0:
        return None
    sides = {"score": known_mean(scores[inside]), "rest": known_mean(scores[rest])}
    return sides | {"rest_tasks": int(rest.sum()), "p": p}


def _by_family(values: Floats, marked: Mask, families: NDArray[Any]) -> tuple[Floats, Mask]:
    """The mean of each family on either side."""
    keys, unit = np.unique(2 * families + marked, return_inverse=True)
    order = np.lexsort((values, unit.reshape(-1)))
    sums = np.bincount(unit.reshape(-1)[order], weights=values[order])
    return sums / np.bincount(unit.reshape(-1)), keys % 2 == 1
