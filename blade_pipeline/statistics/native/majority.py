"""pass@k, averages over repeats and majority@k as the tool computes them, times 100."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from blade_pipeline.statistics._arrays import FloatArray, IntArray, mean


class _Rows:
    """Rows grouped by task, in list order, walked one list position at a time.

    Tasks are sorted by their number of rows, largest first, so those that still have a row at a position are a
    prefix; the whole walk costs one visit per row.
    """

    def __init__(self, tasks: IntArray, kept: IntArray) -> None:
        _codes, lengths = np.unique(tasks[kept], return_counts=True)
        by_length = np.argsort(-lengths, kind="stable")
        self.lengths: IntArray = lengths[by_length]
        self._starts = (np.cumsum(lengths) - lengths)[by_length]
        self._grouped = kept[np.argsort(tasks[kept], kind="stable")]

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
    ballots = None if answers is None else _answer_codes(answers)
    result: dict[str, Any] = {}
    samples: dict[str, list[float]] = {}
    for name, values in named.items():
        result |= _pass_at(tasks, name, values)
        averages, samples[name] = _averages(tasks, name, values, depth)
        result |= averages
        if ballots is not None:
            result |= _majorities(tasks, name, values, ballots, depth)
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


class _Running:
    """Mean and squared deviations of growing samples, one sample per entry (Welford 1962)."""

    def __init__(self, size: int) -> None:
        self.count, self.centre, self.squares = np.zeros(size), np.zeros(size), np.zeros(size)

    def add(self, where: IntArray, values: FloatArray) -> None:
        self.count[where] += 1
        step = values - self.centre[where]
        self.centre[where] += step / self.count[where]
        self.squares[where] += step * (values - self.centre[where])

    def deviations(self) -> FloatArray:
        """Sample deviations (ddof 1) of the samples with two values or more."""
        several = self.count >= 2
        return np.sqrt(self.squares[several] / (self.count[several] - 1))


def _averages(tasks: IntArray, name: str, values: FloatArray, depth: int) -> tuple[dict[str, float], list[float]]:
    """The pass@1[avg-of-k] family and the mean at each list position."""
    rows = _Rows(tasks, np.arange(tasks.size))
    per_task, per_run = _Running(rows.lengths.size), _Running(1)
    result: dict[str, float] = {}
    sample: list[float] = []
    for position, found in enumerate(rows.positions(depth)):
        where = np.flatnonzero(~np.isnan(values[found]))
        column = values[found][where]
        if where.size:
            sample.append(100.0 * mean(column))
            per_run.add(np.zeros(1, dtype=np.int64), np.array(sample[-1:]))
        per_task.add(where, column)
        measured = per_task.count > 0
        if not measured.any():
            continue
        key = f"pass@1[avg-of-{position + 1}]/{name}"
        result[key] = 100.0 * mean(per_task.centre[measured])
        if position:
            result |= _run_statistics(key, per_run, per_task)
    return result, sample


def _run_statistics(key: str, per_run: _Running, per_task: _Running) -> dict[str, float]:
    across, within = per_run.deviations(), per_task.deviations()
    result = {}
    if across.size:
        result[f"{key}/std_dev_across_runs"] = float(across[0])
        result[f"{key}/std_err_across_runs"] = float(across[0]) / math.sqrt(per_run.count[0])
    if within.size:
        result[f"{key}/avg_sample_std_dev"] = mean(within)
    return result


def _majorities(tasks: IntArray, name: str, values: FloatArray, ballots: IntArray, depth: int) -> dict[str, float]:
    rows = _Rows(tasks, np.arange(tasks.size))
    votes = _vote_codes(tasks, values, ballots)
    tally = np.zeros(int(votes.max()) + 1, dtype=np.int64)
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


def _answer_codes(answers: Sequence[Hashable | None]) -> IntArray:
    """Number the distinct answers; -1 for none."""
    numbers: dict[Hashable, int] = {}
    codes = (-1 if answer is None else numbers.setdefault(answer, len(numbers)) for answer in answers)
    return np.fromiter(codes, dtype=np.int64, count=len(answers))


def _vote_codes(tasks: IntArray, values: FloatArray, ballots: IntArray) -> IntArray:
    """Number the distinct (task, answer, score) triples; -1 for a row without an answer or a score."""
    cast = np.flatnonzero((ballots >= 0) & ~np.isnan(values))
    codes = np.full(tasks.size, -1, dtype=np.int64)
    numbers = np.zeros(cast.size, dtype=np.int64)
    for part in (tasks[cast], ballots[cast], values[cast]):
        distinct, own = np.unique(part, return_inverse=True)
        numbers = np.unique(numbers * max(1, distinct.size) + own, return_inverse=True)[1]
    codes[cast] = numbers
    return codes
