"""The lost rollouts in which a cause was seen, in tasks of any label, recounted from the rows."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow.compute as pc

from blade_pipeline.method.left_out import left_out
from blade_pipeline.method.responsibility import cause_of
from blade_pipeline.method.root_causes import BY_ELIMINATION
from blade_pipeline.method.verification.ablation import Ablation, Key
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.models import LABELS

_KEY = ("agent", "stage", "task")
_NAMES = "|".join(LABELS)
_CARRY = re.compile(
    rf"\b(?P<label>{_NAMES}): [^:]*\bIn tasks of any label (?P<rollouts>{N}) lost rollouts?, on (?P<tasks>{N}) tasks?, "
    rf"carry it: (?P<most>{N}) of (?P<whole>{N}) task scores? \((?P<percent>{N})%\)"
)
_LEAD = re.compile(
    rf"\((?P<label>{_NAMES})\), which (?:a rule|an analyst)[a-z ]+ for (?P<rollouts>{N}) lost rollouts? on "
    rf"(?P<tasks>{N}) of (?P<whole>{N}) tasks?, at most (?P<most>{N}) points"
)
_FACT = re.compile(
    rf"most score could be recovered from (?P<label>{_NAMES}): (?P<rollouts>{N}) lost rollouts? on "
    rf"(?P<tasks>{N}) of (?P<whole>{N}) tasks? carry it, (?P<most>{N}) in the sum of task scores"
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
        leavers = _leavers(evidence)
        columns = (evidence.modes[name].to_pylist() for name in (*_KEY, "repeat", "root_cause"))
        for agent, stage, task, repeat, cause in zip(*columns, strict=True):
            left = (agent, stage, task, repeat) in leavers
            self._count((agent, stage, task), cause or ("BI" if left else None))
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
            elif row["label"] == label and evident(row):
                carrying[task] = carrying.get(task) or self._lost[task]
        found = {task: count for task, count in carrying.items() if count}
        return Carries(sum(found.values()), len(found), self._tasks.share(found) * self._tasks.tasks)

    def claims(self, sentence: Sentence) -> Iterator[Claim]:
        """What a recommendation, the summary and the key finding say of such rollouts."""
        for said in (found for form in (_CARRY, _LEAD, _FACT) for found in form.finditer(sentence.text)):
            right = self.of(said["label"])
            what = f"lost rollouts that carry {said['label']}"
            counts: Mapping[str, float] = {"rollouts": right.rollouts, "tasks": right.tasks, "whole": self._tasks.tasks}
            yield from named(said, sentence.figures, counts, what)
            percent = 100 * right.share / self._tasks.tasks
            yield from _claim(said, "most", sentence, percent if said.re is _LEAD else right.share, what)
            if said.re is _CARRY:
                yield from _claim(said, "percent", sentence, percent, what)

    def _count(self, task: Key, cause: str | None) -> None:
        self._lost[task] += 1
        self._causes[cause][task] += 1


def evident(row: dict[str, Any]) -> bool:
    """Whether a task's label follows from what was seen, and not from a want of other causes."""
    if row["label"] == "unlabelled":
        return False
    return row.get("by") == "analyst" or row.get("rule") not in BY_ELIMINATION


def _leavers(evidence: Evidence) -> set[tuple[Any, ...]]:
    """Failed rollouts that leave out a tool which passing ones of the run call, as (agent, stage, task, repeat)."""
    patterns = (evidence.documents.get("trajectory_contrasts") or {}).get("patterns") or []
    found = left_out(evidence.aligned, patterns)
    if not found:
        return set()
    rows = evidence.aligned.select([*_KEY, "repeat", "rollout_id"]).to_pylist()
    own = ((tuple(row[name] for name in _KEY), row) for row in rows)
    return {(*task, row["repeat"]) for task, row in own if row["rollout_id"] in found.get(task, {})}


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
