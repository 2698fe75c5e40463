"""What the rows say of the score of each slice against that of the other tasks, recounted task by task."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.slice_tests import FEWEST_UNITS
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.statistics import benjamini_hochberg, sampled_mean_p, score_interval

Slice = tuple[str, str]
_APART = re.compile(
    rf"⟦(?P<field>\d+)⟧ = ⟦(?P<value>\d+)⟧ scores (?P<score>{N})(?P<unit>%?) on (?P<tasks>{N}) tasks? "
    rf"against (?P<rest>{N})%? on the other (?P<rest_tasks>{N}) \(q [=<] (?P<q>{N})\)"
)


class _Scored(NamedTuple):
    """A measured task: its score, its family and its value of each field."""

    score: float
    family: str
    values: Mapping[str, str]


class SlicesApart:
    """Recounts mean scores of slices, and holds each slice against the rest."""

    def __init__(self, evidence: Evidence, members: Callable[[], Mapping[Any, tuple[list[Slice], str]]]) -> None:
        self._evidence = evidence
        self._members = members
        self._document = evidence.documents.get("pass_at_k") or {}

    @property
    def graded(self) -> bool:
        """Whether the run goes by its mean score."""
        return self._document.get("headline_metric") == MEAN_REWARD

    def mean(self, name: Slice) -> float | None:
        """The mean score of a slice's tasks."""
        own = self._own(name)
        return math.fsum(own) / len(own) if own else None

    def ends(self, name: Slice) -> list[tuple[float, float]]:
        """The ends of its interval: as a plain number, and as one that stays within 0 and 1."""
        chosen = [task for task in self._tasks if task.values.get(name[0]) == name[1]]
        families = [task.family for task in chosen]
        clusters = families if len({*families}) < len(families) else None
        scores = [task.score for task in chosen]
        found = [score_interval(scores, clusters=clusters, proportion=unit) for unit in (False, True)]
        return [
            (each.low, each.high)
            for each in found
            if each.n >= FEWEST_UNITS and each.low is not None and each.high is not None
        ]

    def claims(self, cell: Cell, name: Slice) -> Iterator[Claim]:
        """The mean score, the ends of its interval, and what it is held against."""
        what, figures = f"{cell.heading} of {cell.name}", list(cell.figures.values())
        if cell.heading == "mean score" and cell.lone is not None:
            yield from claim(cell.lone, exactly(self.mean(name), what))
        elif cell.heading.startswith("interval"):
            for place, figure in enumerate(figures[:2]):
                yield from claim(figure, [option for pair in self.ends(name) for option in exactly(pair[place], what)])
        elif cell.heading == "stands apart" and len(figures) == 2:
            test = self.tests.get(name) or {"rest": math.nan, "q": math.nan}
            scale = 100 if figures[0].unit == "%" else 1
            yield from claim(figures[0], exactly(scale * test["rest"], what))
            yield from claim(figures[1], exactly(test["q"], what))

    def of_sentence(self, sentence: Sentence) -> Iterator[Claim]:
        """``field = value scores X on n tasks against Y on the other m (q = ...)``, as often as it is said."""
        for found in _APART.finditer(sentence.text):
            field, value = (sentence.said.spans[int(found[part])] for part in ("field", "value"))
            test = self.tests.get((field, value))
            if test is None:
                continue
            own = sum(task.values.get(field) == value for task in self._tasks)
            right = {"tasks": float(own), "rest_tasks": test["rest_tasks"], "q": test["q"]}
            scale = 100 if found["unit"] else 1
            right |= {"score": scale * test["score"], "rest": scale * test["rest"]}
            yield from named(found, sentence.figures, right, f"slice {field} = {value}")

    @cached_property
    def tests(self) -> dict[Slice, dict[str, float]]:
        """Score, score of the rest, its tasks, p and q of every slice that can be tested."""
        left_out = {entry["field"] for entry in self._document.get("slices_left_out") or ()}
        names = {pair for task in self._tasks for pair in task.values.items() if pair[0] not in left_out}
        found = {name: test for name in sorted(names) if (test := self._test(name)) is not None}
        if found:
            for test, q in zip(found.values(), benjamini_hochberg([t["p"] for t in found.values()]), strict=True):
                test["q"] = float(q)
        return found

    def _test(self, name: Slice) -> dict[str, float] | None:
        units: dict[tuple[bool, str], list[float]] = defaultdict(list)
        sides: dict[bool, list[float]] = {True: [], False: []}
        for task in self._tasks:
            if name[0] in task.values:
                inside = task.values[name[0]] == name[1]
                units[inside, task.family].append(task.score)
                sides[inside].append(task.score)
        marked = [inside for inside, _ in units]
        if min(sum(marked), len(marked) - sum(marked)) < FEWEST_UNITS:
            return None
        p = sampled_mean_p([math.fsum(own) / len(own) for own in units.values()], marked)
        if p is None:
            return None
        score, rest = (math.fsum(sides[inside]) / len(sides[inside]) for inside in (True, False))
        return {"score": score, "rest": rest, "rest_tasks": len(sides[False]), "p": p}

    def _own(self, name: Slice) -> list[float]:
        return [task.score for task in self._tasks if task.values.get(name[0]) == name[1]]

    @cached_property
    def _tasks(self) -> list[_Scored]:
        """Every measured task with its score, or its share of passes."""
        scores: dict[Any, list[float]] = defaultdict(list)
        columns = self._evidence.aligned.select(["agent", "stage", "task", "outcome", "passed", "score"]).columns
        for *task, outcome, passed, score in zip(*(column.to_pylist() for column in columns), strict=True):
            if outcome == "measured":
                scores[tuple(task)].append(score if self.graded else float(passed))
        return [
            _Scored(math.fsum(scores[key]) / len(scores[key]), family, dict(slices))
            for key, (slices, family) in self._members().items()
            if key in scores
        ]
