"""What the rows of a run say, recomputed from its tables by formulas of this module's own."""

import json
import math
from collections import Counter, defaultdict
from functools import cached_property
from itertools import chain, repeat, starmap
from statistics import fmean, median
from typing import Any

from blade_pipeline.method.contrasts import FEATURES
from blade_pipeline.method.verification.ablation import Ablation
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.graded_ablation import GradedAblation
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.records import Group, Pair, RolloutTruth, TaskTruth

OUTCOMES = ("measured", "masked", "unscored", "failed", "missing")
BUCKETS = ("always_pass", "sometimes_pass", "always_fail", "indeterminate", "missing", "masked")
EVERY_K = 64
_TASK = ("agent", "stage", "task")


class Truths:
    """Counts, scores and ids of a run."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.all = Group()
        self.slices: dict[tuple[str, str], Group] = defaultdict(Group)
        self.repeats: dict[str, Group] = defaultdict(Group)
        self.agents: dict[str, Group] = defaultdict(Group)
        self.rollouts: dict[str, list[RolloutTruth]] = defaultdict(list)
        self.tasks: dict[str, list[TaskTruth]] = defaultdict(list)
        self.duplicates = 0
        self._scores: dict[tuple[str, int, str], list[tuple[bool, float]]] = defaultdict(list)
        self._read_rollouts()
        self._read_tasks()

    def _read_rollouts(self) -> None:
        modes = {_key(row): row["mode"] for row in _records(self.evidence.modes, "agent stage task repeat mode")}
        names = "agent stage task repeat rank outcome passed score slices rollout_id file line duplicates dataset_id"
        rows = _records(self.evidence.aligned, f"{names} {' '.join({*FEATURES.values()} - {'score'})}")
        self._group(rows)
        for row in rows:
            self.duplicates += row["duplicates"] or 0
            if row["outcome"] == "measured":
                self._scores[_task_key(row)].append((bool(row["passed"]), row["score"]))
            self._read_rollout(row, modes.get(_key(row)))

    def _group(self, rows: list[dict[str, Any]]) -> None:
        alike = Counter((row["rank"], row["agent"], row["slices"], row["outcome"], row["passed"]) for row in rows)
        for (rank, agent, slices, outcome, passed), rollouts in alike.items():
            for group in (self.all, self.repeats[str(rank)], self.agents[agent]):
                group.add(outcome, passed, rollouts)
            for field_of, value in json.loads(slices or "{}").items():
                self.slices[field_of, str(value)].add(outcome, passed, rollouts)

    def _read_rollout(self, row: dict[str, Any], mode: str | None) -> None:
        truth = RolloutTruth(row["task"], row["outcome"], row["passed"], mode, row["file"], row["line"], row)
        names = {row["rollout_id"], f"{row['task']}-{row['repeat']}"} - {None}
        for form in names | {bare(name) for name in names}:
            self.rollouts[form].append(truth)

    def _read_tasks(self) -> None:
        keys = zip(*(self.evidence.aligned[name].to_pylist() for name in (*_TASK, "outcome")), strict=True)
        outcomes: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
        for *key, outcome in keys:
            outcomes[tuple(key)][outcome] += 1
        names = "agent stage task measured passed planned bucket"
        for row in _records(self.evidence.buckets, names):
            own = self._scores.get(_task_key(row), [])
            mean = self._means.get(_task_key(row))
            passed = sum(passed for passed, _ in own)
            counted = outcomes[_task_key(row)]
            truth = TaskTruth(len(own), passed, row["planned"], row["bucket"], mean, counted)
            for form in {row["task"], bare(row["task"])}:
                self.tasks[form].append(truth)

    @cached_property
    def task_ids(self) -> frozenset[str]:
        """Every name under which a report may cite a task."""
        ids = set(self.tasks)
        for name in self.evidence.aligned["dataset_id"].unique().to_pylist():
            ids |= {name, bare(name)} if name is not None else set()
        return frozenset(ids)

    @cached_property
    def counts(self) -> dict[str, float]:
        """Numbers of rollouts, tasks and lines by name."""
        found: dict[str, float] = {name: self.all.outcomes[name] for name in (*OUTCOMES, "unexpected")}
        found |= self._lines()
        found |= {f"{name}_tasks": count for name, count in self.bucket_counts.items()}
        return found | {
            "rollouts": self.all.rollouts,
            "passed": self.all.passed,
            "not_passed": self.all.measured - self.all.passed,
            "completed": sum(self.all.outcomes[name] for name in ("measured", "masked", "unscored")),
            "without_score": self.all.rollouts - self.all.measured,
            "tasks": self.evidence.buckets.num_rows,
            "measured_tasks": len(self._scores),
            "duplicates": self.duplicates,
        }

    def _lines(self) -> dict[str, float]:
        if self.evidence.rows is None:
            counted = (self.evidence.documents.get("coverage") or {}).get("accounting") or {}
            names = {"lines": "lines", "blank": "blank_lines", "malformed": "malformed_lines"}
            found = {name: float(counted.get(key) or 0) for name, key in names.items()}
        else:
            places = (self.evidence.rows[name].to_pylist() for name in ("file", "line", "line_class"))
            lines = Counter(line_class for _, _, line_class in set(zip(*places, strict=True)))
            found = {"lines": float(sum(lines.values())), "blank": float(lines["blank"])}
            found["malformed"] = found["lines"] - found["blank"] - lines["row"]
        return found | {"rows": found["lines"] - found["blank"] - found["malformed"]}

    @cached_property
    def bucket_counts(self) -> dict[str, int]:
        """Tasks per bucket."""
        found = Counter(self.evidence.buckets["bucket"].to_pylist())
        return {name: found[name] for name in BUCKETS}

    @cached_property
    def observed_counts(self) -> dict[str, int]:
        """Tasks per bucket by their measured rows alone."""
        own = [[passed for passed, _ in rows] for rows in self._scores.values()]
        always, never = sum(map(all, own)), sum(not any(rows) for rows in own)
        return {"always_pass": always, "always_fail": never, "sometimes_pass": len(own) - always - never}

    @cached_property
    def open_tasks(self) -> int:
        """Tasks whose bucket is open and of whose measured rollouts none passed."""
        every = {id(task): task for tasks in self.tasks.values() for task in tasks}
        return sum(task.bucket == "indeterminate" and not task.passed and task.measured > 0 for task in every.values())

    @cached_property
    def tasks_with(self) -> dict[str, Pair]:
        """Of all tasks those with a score for some, and for every expected rollout, by the words of a report."""
        planned = {
            _task_key(row): row["planned"] for row in _records(self.evidence.buckets, "agent stage task planned")
        }
        complete = sum(len(self._scores.get(key, ())) == rollouts for key, rollouts in planned.items())
        found = {"a score for one rollout or more": len(self._scores), "a score for every expected rollout": complete}
        return {words: Pair(tasks, len(planned)) for words, tasks in found.items()}

    @property
    def expected_known(self) -> bool:
        """Whether materialized inputs say what was expected."""
        expected = self.evidence.aligned["expected"]
        return len(expected) > 0 and expected.null_count == 0

    @cached_property
    def modes(self) -> dict[str, tuple[int, int]]:
        """Rollouts and tasks per primary failure mode."""
        rows = _records(self.evidence.modes, "agent stage task mode")
        counts = Counter(row["mode"] for row in rows)
        tasks = Counter(mode for mode, _ in {(row["mode"], _task_key(row)) for row in rows})
        return {mode: (count, tasks[mode]) for mode, count in counts.items()}

    def pass_at(self, k: int) -> float | None:
        """Mean over tasks with at least k measured repeats of 1 - C(n-c, k) / C(n, k) (Chen et al., 2021)."""
        return self._mean(k, lambda n, c: 1 - math.comb(n - c, k) / math.comb(n, k))

    def pass_hat(self, k: int) -> float | None:
        """Mean over the same tasks of C(c, k) / C(n, k) (Yao et al., 2024)."""
        return self._mean(k, lambda n, c: math.comb(c, k) / math.comb(n, k))

    def eligible(self, k: int) -> int:
        """Tasks with at least k measured repeats."""
        return sum(len(own) >= k for own in self._scores.values())

    @cached_property
    def most_repeats(self) -> int:
        """The most measured repeats of a task."""
        return max(map(len, self._scores.values()), default=0)

    @property
    def ks(self) -> list[int]:
        """Every k up to 64 repeats; of more the powers of two and the last, since their binomials are huge."""
        most = self.most_repeats
        chosen = range(1, most + 1) if most <= EVERY_K else (2**power for power in range(most.bit_length()))
        return sorted({*chosen, *[most] * (most > 0)})

    @cached_property
    def headline_k(self) -> int:
        """The largest k at which every measured task is eligible."""
        return min(map(len, self._scores.values()), default=0)

    @cached_property
    def micro(self) -> float | None:
        """Passed rollouts over measured ones."""
        return self.all.passed / self.all.measured if self.all.measured else None

    @cached_property
    def mean_reward(self) -> dict[str, float]:
        """Mean score over tasks, and over rollouts."""
        every = [score for own in self._scores.values() for _, score in own]
        return {"macro": fmean(self._means.values()), "micro": fmean(every)} if every else {}

    @cached_property
    def spread(self) -> list[float]:
        """The lowest, the median and the highest mean score of the measured tasks; none without one."""
        means = self._means.values()
        return [min(means), median(means), max(means)] if means else []

    @cached_property
    def _means(self) -> dict[Any, float]:
        """The mean score of each measured task."""
        return {task: fmean(score for _, score in own) for task, own in self._scores.items()}

    @cached_property
    def ablation(self) -> Ablation | None:
        """The within-task counterfactuals; none where nothing was measured."""
        passed = {task: sum(passed for passed, _ in own) for task, own in self._scores.items()}
        measured = {task: len(own) for task, own in self._scores.items()}
        return Ablation(self.evidence, passed, measured) if measured else None

    @cached_property
    def graded_ablation(self) -> GradedAblation:
        """The same of a run that goes by its mean score."""
        return GradedAblation(self.evidence)

    def _mean(self, k: int, of: Any) -> float | None:
        alike = [(of(n, passed), tasks) for (n, passed), tasks in self._counted_tasks.items() if n >= k > 0]
        tasks = sum(tasks for _, tasks in alike)
        return math.fsum(chain.from_iterable(starmap(repeat, alike))) / tasks if tasks else None

    @property
    def repeats_of_tasks(self) -> list[tuple[int, int]]:
        """Measured and passed repeats of every measured task."""
        return [(len(own), sum(passed for passed, _ in own)) for own in self._scores.values()]

    @cached_property
    def _counted_tasks(self) -> Counter[tuple[int, int]]:
        """How many tasks have so many measured and so many passed repeats."""
        return Counter(self.repeats_of_tasks)


def _records(table: Any, names: str) -> list[dict[str, Any]]:
    wanted = [name for name in names.split() if name in table.column_names]
    found: list[dict[str, Any]] = table.select(wanted).to_pylist()
    return found


def _task_key(row: dict[str, Any]) -> tuple[str, int, str]:
    return row["agent"], row["stage"], row["task"]


def _key(row: dict[str, Any]) -> tuple[str, int, str, str]:
    return (*_task_key(row), row["repeat"])
