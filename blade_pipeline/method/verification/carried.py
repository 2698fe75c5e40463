"""The lost rollouts that carry a cause outside the model, in tasks of any label, recounted from the rows."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow.compute as pc

from blade_pipeline.method.responsibility import cause_of
from blade_pipeline.method.verification.ablation import Ablation, Key
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence

_KEY = ("agent", "stage", "task")
_CARRY = re.compile(
    rf"\b(?P<label>TI|IR|DA): [^:]*\bIn tasks of any label (?P<rollouts>{N}) lost rollouts?, on (?P<tasks>{N}) tasks?, "
    rf"carry it: (?P<most>{N}) of (?P<whole>{N}) task scores? \((?P<percent>{N})%\)"
)
_LEAD = re.compile(
    rf"\((?P<label>TI|IR|DA)\), which (?:a rule|an analyst)[a-z ]+ for (?P<rollouts>{N}) lost rollouts? on "
    rf"(?P<tasks>{N}) of (?P<whole>{N}) tasks?, at most (?P<most>{N}) points"
)


class Carries(NamedTuple):
    """Rollouts that carry a cause, their tasks, and their share of the planned repeats, summed over tasks."""

    rollouts: int
    tasks: int
    share: float


class Carried:
    """Counts by label; ``labels`` are the entries of the document ``root_causes``."""

    def __init__(self, evidence: Evidence, labels: list[dict[str, Any]], ablation: Ablation) -> None:
        self._tasks = ablation
        self._labels = {(row["agent"], row["stage"], row["task"]): row for row in labels}
        self._lost: Counter[Key] = Counter()
        self._causes: dict[str | None, Counter[Key]] = defaultdict(Counter)
        columns = (evidence.modes[name].to_pylist() for name in (*_KEY, "root_cause"))
        for agent, stage, task, cause in zip(*columns, strict=True):
            self._count((agent, stage, task), cause)
        names = [*_KEY, "outcome", "reason", "failure_class", "failure_stage", "failure_kind"]
        outcomes = evidence.aligned["outcome"]
        unscored = pc.and_(pc.not_equal(outcomes, "measured"), pc.not_equal(outcomes, "unexpected"))
        for row in evidence.aligned.select(names).filter(unscored).to_pylist():
            self._count((row["agent"], row["stage"], row["task"]), _cause(row))

    def of(self, label: str) -> Carries:
        """The rollouts of a label: under an analyst's label all of a task or none."""
        carrying: dict[Key, int] = dict(self._causes[label])
        for task, row in self._labels.items():
            if row["label"] != label and row.get("by") == "analyst":
                carrying.pop(task, None)
            elif row["label"] == label:
                carrying[task] = carrying.get(task) or self._lost[task]
        found = {task: count for task, count in carrying.items() if count}
        return Carries(sum(found.values()), len(found), self._tasks.share(found) * self._tasks.tasks)

    def claims(self, sentence: Sentence) -> Iterator[Claim]:
        """What a recommendation and the summary say of such rollouts."""
        for said in (*_CARRY.finditer(sentence.text), *_LEAD.finditer(sentence.text)):
            right = self.of(said["label"])
            what = f"lost rollouts that carry {said['label']}"
            counts: Mapping[str, float] = {"rollouts": right.rollouts, "tasks": right.tasks, "whole": self._tasks.tasks}
            yield from named(said, sentence.figures, counts, what)
            points = "percent" not in said.groupdict()
            percent = 100 * right.share / self._tasks.tasks
            yield from _claim(said, "most", sentence, percent if points else right.share, what)
            if not points:
                yield from _claim(said, "percent", sentence, percent, what)

    def _count(self, task: Key, cause: str | None) -> None:
        self._lost[task] += 1
        self._causes[cause][task] += 1


def _claim(said: re.Match[str], name: str, sentence: Sentence, right: float, what: str) -> list[Claim]:
    figure = sentence.figures.get(said.start(name))
    return claim(figure, exactly(right, what)) if figure is not None else []


def _cause(row: dict[str, Any]) -> str | None:
    """What the outcome of a rollout without a score says of its cause."""
    if row["outcome"] == "failed":
        return cause_of(row["failure_class"], row["failure_stage"])
    if row["outcome"] == "masked":
        return cause_of(row["failure_kind"])
    if row["outcome"] == "missing":
        return "IR"
    return None if row["reason"] in ("invalid_absent", "invalid_null") else "DA"
