"""pass@k, averages over repeats and majority@k as the tool computes them, times 100."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, IntArray, mean, variance


class _Rows:
    """Rows grouped by task, in list order, walked one list position at a time.

    Tasks are sorted by their number of rows, largest first, so those that still have a row at a position are a
    prefix; the whole walk costs one visit per row.
    """

    def __init__(self, tasks: IntArray, kept: IntArray) -> None:
        codes, self.lengths = np.unique(tasks[kept], return_counts=True)
        by_length = np.argsort(-self.lengths, kind="stable")
        self.codes, self.lengths = codes[by_length], self.lengths[by_length]
        grouped = kept[np.argsort(tasks[kept], kind="stable")]
        starts = np.concatenate(([0], np.cumsum(np.unique(tasks[kept], return_counts=True)[1])))[:-1][by_length]
        self._grouped, self._starts = grouped, starts

    def positions(self, depth: int) -> Iterator[IntArray]:
        """Yield, for each list position below ``depth``, the row numbers of the tasks that have one (a prefix)."""
        for position in range(depth):
            active = int(np.searchsorted(-self.lengths, -position, side="left"))
            yield self._grouped[self._starts[:active] + position]


def pass_majority(
    tasks: IntArray, scores: Mapping[str, FloatArray], answers: Sequence[Hashable | None] | None = None
) -> dict[str, Any]:
    """Every key of ``compute_pass_majority_metrics(...)`` of NeMo Gym 0.7.0, with ``avg_sample_std_dev``.

    Its rules, kept as they are: a task whose values are all 0 or 1 gets the unbiased pass@k, any other task the
    largest of its first k values; tasks with fewer than k values are skipped; ``pass@1[avg-of-k]`` is a mean over tasks
    of the mean of the first k; majority votes count (answer, score) pairs, ties are averaged, and a task without an
    answered row counts 0. Everything is times 100 except ``avg_sample_std_dev``. A score that a row lacks (NaN) is left
    out, where the tool would stop.

    Args:
        tasks: integer code of each row's task, shape (rollouts,), rows in list order within a task.
        scores: score name to values, each of shape (rollouts,), NaN where the row has none.
        answers: the answer of each row, None for no answer. Given at all, majority@k and ``no_answer`` are added.

    Returns:
        Metrics by name, ``per_sample_aggregate`` among them; empty for no rows.
    """
    if not tasks.size:
        return {}
    named = dict(scores)
    if answers is not None:
        named["no_answer"] = np.array([answer is None for answer in answers], dtype=np.float64)
    depth = int(np.unique(tasks, return_counts=True)[1].max())
    result: dict[str, Any] = {}
    samples: dict[str, list[float]] = {}
    for name, values in named.items():
        result |= _pass_at(tasks, name, values)
        averages, samples[name] = _averages(tasks, name, values, depth)
        result |= averages
        if answers is not None:
            result |= _majorities(tasks, name, values, answers, depth)
    return result | {"per_sample_aggregate": samples}


def _pass_at(tasks: IntArray, name: str, values: FloatArray) -> dict[str, float]:
    rows = _Rows(tasks, np.flatnonzero(~np.isnan(values)))
    if not rows.lengths.size:
        return {}
    wrong = np.zeros(rows.lengths.size)
    binary = np.ones(rows.lengths.size, dtype=np.bool_)
    depth = int(rows.lengths[0])
    for found in rows.positions(depth):
        column = values[found]
        wrong[: found.size] += column == 0.0
        binary[: found.size] &= (column == 0.0) | (column == 1.0)
    miss = np.ones(rows.lengths.size)
    best = np.full(rows.lengths.size, -math.inf)
    result = {}
    for position, found in enumerate(rows.positions(depth)):
        active = found.size
        miss[:active] *= np.maximum(wrong[:active] - position, 0.0) / (rows.lengths[:active] - position)
        best[:active] = np.maximum(best[:active], values[found])
        value = np.where(binary[:active], 1.0 - miss[:active], best[:active])
        result[f"pass@{position + 1}/{name}"] = 100.0 * mean(value)
    return result


def _averages(tasks: IntArray, name: str, values: FloatArray, depth: int) -> tuple[dict[str, float], list[float]]:
    """The pass@1[avg-of-k] family and the mean at each list position."""
    rows = _Rows(tasks, np.arange(tasks.size))
    count, centre, squares = (np.zeros(rows.lengths.size) for _ in range(3))
    result: dict[str, float] = {}
    sample: list[float] = []
    for position, found in enumerate(rows.positions(depth)):
        column = values[found]
        held = ~np.isnan(column)
        if held.any():
            sample.append(100.0 * mean(column[held]))
        where = np.flatnonzero(held)
        count[where] += 1
        step = column[held] - centre[where]
        centre[where] += step / count[where]
        squares[where] += step * (column[held] - centre[where])
        if not (count > 0).any():
            continue
        key = f"pass@1[avg-of-{position + 1}]/{name}"
        result[key] = 100.0 * mean(centre[count > 0])
        if position:
            result |= _run_statistics(key, sample[: position + 1], count, squares)
    return result, sample


def _run_statistics(key: str, sample: list[float], count: FloatArray, squares: FloatArray) -> dict[str, float]:
    result = {}
    if len(sample) > 1:
        spread = math.sqrt(variance(np.array(sample)))
        result[f"{key}/std_dev_across_runs"] = spread
        result[f"{key}/std_err_across_runs"] = spread / math.sqrt(len(sample))
    several = count >= 2
    if several.any():
        result[f"{key}/avg_sample_std_dev"] = mean(np.sqrt(squares[several] / (count[several] - 1)))
    return result


def _majorities(
    tasks: IntArray, name: str, values: FloatArray, answers: Sequence[Hashable | None], depth: int
) -> dict[str, float]:
    rows = _Rows(tasks, np.arange(tasks.size))
    votes = _vote_codes(tasks, values, answers)
    tally = np.zeros(int(votes.max()) + 1 if votes.size else 0, dtype=np.int64)
    most, tied, summed = (np.zeros(rows.lengths.size) for _ in range(3))
    result = {}
    for position, found in enumerate(rows.positions(depth)):
        where = np.flatnonzero(votes[found] >= 0)
        cast, score = votes[found[where]], values[found[where]]
        tally[cast] += 1
        ahead, level = tally[cast] > most[where], tally[cast] == most[where]
        most[where] = np.maximum(most[where], tally[cast])
        tied[where] = np.where(ahead, 1.0, tied[where] + level)
        summed[where] = np.where(ahead, score, summed[where] + np.where(level, score, 0.0))
        result[f"majority@{position + 1}/{name}"] = 100.0 * mean(summed / np.maximum(tied, 1.0))
    return result


def _vote_codes(tasks: IntArray, values: FloatArray, answers: Sequence[Hashable | None]) -> IntArray:
    """Number the distinct (task, answer, score) triples; -1 for a row without an answer or a score."""
    numbers: dict[tuple[int, Hashable, float], int] = {}
    codes = np.full(tasks.size, -1, dtype=np.int64)
    for row, (task, answer, score) in enumerate(zip(tasks.tolist(), answers, values.tolist(), strict=True)):
        if answer is not None and score == score:
            codes[row] = numbers.setdefault((task, answer, score), len(numbers))
    return codes
