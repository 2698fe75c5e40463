"""What the repeats of tasks say, recounted from the rows: spread, drift, best of k, scores of each repeat."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import fmean, median
from typing import Any

from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.verification.evidence import Evidence

_COLUMNS = ("agent", "stage", "task", "rank", "outcome", "passed", "score", "response_digest", "output_items")
_RULES = ("observed", "failures_as_zero", "all_unscored_as_zero", "all_as_one")


class Repeats:
    """The measured rollouts of every task; of a run that goes by its mean score their scores, else passing as 0/1."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._scores: dict[str, Any] = evidence.documents.get("pass_at_k") or {}
        self.graded = self._scores.get("headline_metric") == MEAN_REWARD

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._evidence.aligned.select(list(_COLUMNS)).to_pylist()
        return [row for row in rows if row["outcome"] != "unexpected"]

    @cached_property
    def _measured(self) -> list[dict[str, Any]]:
        return [row for row in self._rows if row["outcome"] == "measured"]

    @cached_property
    def tasks(self) -> Mapping[tuple[Any, ...], list[float]]:
        """The value of every measured rollout by its task."""
        found: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        for row in self._measured:
            found[_task(row)].append(row["score"] if self.graded else float(row["passed"]))
        return found

    @cached_property
    def split(self) -> dict[str, float | None]:
        """The parts of the variance, by their names in ``metrics.json``.

        A task with one repeat counts with the mean variance within the others (Miller 2024). The intraclass
        correlation is ICC(1) of Shrout and Fleiss (1979), the design effect Kish's (1965).
        """
        several = {task: _variance(own) for task, own in self.tasks.items() if len(own) > 1}
        if not several or len(self.tasks) < 2:
            return {"sigma2_within": fmean(several.values())} if several else {}
        within, spread = fmean(several.values()), _variance([fmean(own) for own in self.tasks.values()])
        noise = fmean([several.get(task, within) / len(own) for task, own in self.tasks.items()])
        icc = self._icc()
        rollouts = len(self._measured)
        squares = sum(len(own) ** 2 for own in self.tasks.values())
        effect = None if icc is None else max(1.0, 1 + (squares / rollouts - 1) * icc)
        return {
            "sigma2_within": within,
            "var_task_means": spread,
            "between": max(0.0, spread - noise),
            "share_sampling_noise": noise / spread if spread else None,
            "icc": icc,
            "design_effect": effect,
            "n_eff": None if effect is None else rollouts / effect,
        }

    def _icc(self) -> float | None:
        own, n = list(self.tasks.values()), len(self.tasks)
        sizes, rollouts = [len(scores) for scores in own], sum(map(len, own))
        if rollouts == n:
            return None
        grand = math.fsum(score for scores in own for score in scores) / rollouts
        between = math.fsum(len(scores) * (fmean(scores) - grand) ** 2 for scores in own) / (n - 1)
        within = math.fsum(map(_squares, own)) / (rollouts - n)
        typical = (rollouts - sum(size**2 for size in sizes) / rollouts) / (n - 1)
        whole = between + (typical - 1) * within
        return (between - within) / whole if whole > 0 else None

    @cached_property
    def drift(self) -> tuple[float, int, int] | None:
        """Friedman's chi-square with ties (1937), which of 0/1 is Cochran's Q; its degrees of freedom, and tasks.

        None where fewer than two of the tasks that have all usual repeats hold any that differ.
        """
        matrix = self._complete
        if sum(len({*row}) > 1 for row in matrix) < 2:
            return None
        k = len(matrix[0])
        ranked = [[place - (k + 1) / 2 for place in _ranks(row)] for row in matrix]
        columns = math.fsum(math.fsum(column) ** 2 for column in zip(*ranked, strict=True))
        return (k - 1) * columns / math.fsum(rank**2 for row in ranked for rank in row), k - 1, len(matrix)

    @cached_property
    def _complete(self) -> list[list[float]]:
        """Values of the tasks that have all usual repeats measured, those that at least half of the tasks have.

        None where no repeat is usual, as when less than half of the rollouts have a score.
        """
        by_rank: dict[Any, dict[tuple[Any, ...], float]] = defaultdict(dict)
        for row in self._measured:
            by_rank[row["rank"]][_task(row)] = row["score"] if self.graded else float(row["passed"])
        usual = [own for own in by_rank.values() if 2 * len(own) >= len(self.tasks)]
        return [[own[task] for own in usual] for task in self.tasks if usual and all(task in own for own in usual)]

    @property
    def complete_tasks(self) -> int:
        """Tasks that have all usual repeats measured."""
        return len(self._complete)

    def best_of(self, k: int) -> float | None:
        """Mean over tasks with k scores of the mean of the largest score over all sets of k of them.

        The i-th smallest of n is the largest of C(i,k) - C(i-1,k) sets. Where lower is better it is the smallest.
        """
        scale = self._scores.get("mean_reward_scale") or {}
        sign = -1.0 if scale and scale["best"] < scale["worst"] else 1.0
        scores: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        for row in self._measured:
            scores[_task(row)].append(sign * row["score"])
        best = [_expected_largest(sorted(own), k) for own in scores.values() if len(own) >= k]
        return sign * fmean(best) if best else None

    @cached_property
    def rules(self) -> dict[str, float]:
        """The mean score under each counting rule, on the scale that the document states; nothing without one."""
        scale = self._scores.get("mean_reward_scale")
        names = ("agent", "stage", "task", "planned")
        columns = (self._evidence.buckets[name].to_pylist() for name in names)
        planned = {tuple(key): count for *key, count in zip(*columns, strict=True)}
        failed: dict[tuple[Any, ...], int] = defaultdict(int)
        for row in self._rows:
            failed[_task(row)] += row["outcome"] == "failed"
        if not scale or not self.graded:
            return {}
        known = {task: (math.fsum(self.tasks.get(task, ())), len(self.tasks.get(task, ()))) for task in planned}
        padded = {
            "observed": [(total, n) for total, n in known.values()],
            "failures_as_zero": [
                (total + scale["worst"] * failed[task], n + failed[task]) for task, (total, n) in known.items()
            ],
        }
        for rule, end in (("all_unscored_as_zero", "worst"), ("all_as_one", "best")):
            padded[rule] = [
                (total + scale[end] * (planned[task] - n), planned[task]) for task, (total, n) in known.items()
            ]
        return {rule: fmean([total / n for total, n in rows if n]) for rule, rows in padded.items() if rows}

    def of_repeat(self, name: str) -> tuple[float, float | None] | None:
        """Mean and standard deviation of the scores in a repeat; none of one that several agents have."""
        rank, _, agent = name.partition(" of ")
        own = [row for row in self._measured if str(row["rank"]) == rank and (not agent or row["agent"] == agent)]
        scores = [row["score"] for row in own]
        if not scores or len({row["agent"] for row in own}) > 1:
            return None
        return fmean(scores), math.sqrt(_variance(scores)) if len(scores) > 1 else None

    def numbers(self, ks: Sequence[int]) -> dict[str, float | None]:
        """The numbers of ``metrics.json`` that this recounts, by their path."""
        split = "mean_reward_variance" if self.graded else "variance"
        found: dict[str, float | None] = {f"{split}/{part}": value for part, value in self.split.items()}
        if self._scores.get("best_of"):
            found |= {f"best_of/{k}/value": self.best_of(k) for k in ks}
        if self.graded:
            found |= {f"mean_reward_accountings/{rule}": value for rule, value in self.rules.items()}
            means = [fmean(own) for own in self.tasks.values()]
            ends = {"low": min(means), "median": median(means), "high": max(means)}
            found |= {f"mean_reward_spread/{name}": value for name, value in ends.items()}
            q, df, tasks = self.drift or (None, None, None)
            found |= (
                {"mean_reward_drift/q": q, "mean_reward_drift/df": df, "mean_reward_drift/tasks": tasks} if q else {}
            )
        return found

    @cached_property
    def sizes(self) -> dict[str, list[float]]:
        """Least, median and most repeats of a task, measured and planned."""
        planned = self._evidence.buckets["planned"].to_pylist()
        columns = (self._evidence.buckets[name].to_pylist() for name in ("agent", "stage", "task"))
        measured = [len(self.tasks.get(key, ())) for key in zip(*columns, strict=True)]
        return {
            name: [min(counts), median(counts), max(counts)]
            for name, counts in (("measured", measured), ("planned", planned))
            if counts
        }

    @property
    def several(self) -> int:
        """Tasks with two measured repeats or more."""
        return sum(len(own) > 1 for own in self.tasks.values())

    @property
    def agreement(self) -> float | None:
        """The mean over these tasks of the chance that two of a task's repeats have the same value."""
        pairs = [
            sum(math.comb(own.count(value), 2) for value in {*own}) / math.comb(len(own), 2)
            for own in self.tasks.values()
            if len(own) > 1
        ]
        return fmean(pairs) if pairs else None

    @cached_property
    def copies(self) -> tuple[int, int]:
        """Tasks whose measured repeats gave one output, of those with two outputs or more."""
        outputs: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
        for row in self._measured:
            if row["response_digest"] is not None and row["output_items"]:
                outputs[_task(row)].append(row["response_digest"])
        several = [own for own in outputs.values() if len(own) > 1]
        return sum(len({*own}) == 1 for own in several), len(several)


def _task(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["agent"], row["stage"], row["task"]


def _variance(values: Sequence[float]) -> float:
    """The sample variance of two values or more."""
    return _squares(values) / (len(values) - 1)


def _squares(values: Sequence[float]) -> float:
    """The sum of the squared distances from the mean."""
    mean = fmean(values)
    return math.fsum([(value - mean) ** 2 for value in values])


def _ranks(row: Sequence[float]) -> list[float]:
    """The place of each score among those of its task, from 1 on; equal ones share the mean of their places."""
    places = {score: sum(other < score for other in row) + (row.count(score) + 1) / 2 for score in {*row}}
    return [places[score] for score in row]


def _expected_largest(ordered: Sequence[float], k: int) -> float:
    sets = math.comb(len(ordered), k)
    return math.fsum(
        score * (math.comb(place, k) - math.comb(place - 1, k)) / sets for place, score in enumerate(ordered, 1)
    )
