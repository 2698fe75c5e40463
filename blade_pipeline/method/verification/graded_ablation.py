"""The counterfactuals of a run that goes by its mean score, recounted from its rows rollout by rollout."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from statistics import fmean
from typing import Any, NamedTuple

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence

_KEY = ("agent", "stage", "task")
_SAME = 1e-9
_LOST = "no_score"
_BETWEEN = re.compile(
    rf"Between the baseline and each task's best rollout lie (?P<oracle>{N}) of the mean score\. The modes (?:and the "
    rf"rollouts without a score )?account for (?P<all_modes>{N}) of it; (?P<rest>{N}) \(oracle"
)
_ROOM = re.compile(rf"(?P<oracle>{N}) of the mean score lie between it and each task's best rollout")
_BASELINE = re.compile(rf"\bthe baseline is (?P<baseline>{N});")
_GOES_WITH = re.compile(
    rf"Lower scores go with ⟦(?P<mode>\d+)⟧: on (?P<tasks>{N}) tasks? the rollouts that show it average "
    rf"(?P<with_mean>{N}), the others of the same tasks (?P<without_mean>{N})"
)
_SIDE = re.compile(rf"^(?P<mean>{N}) \((?P<rollouts>{N}) rollouts? on (?P<tasks>{N}) tasks?\)$")
_BESIDE = re.compile(r"^mean (?P<side>with|without) it, same tasks$")


class Rollout(NamedTuple):
    """Its score, the worst one where it has none, and what affects it: a mode, ``no_score`` or nothing."""

    score: float
    by: str


class Row(NamedTuple):
    """Mean score over tasks, how much better than the baseline, tasks moved and stuck, and the bound."""

    mean: float
    gain: float
    moved: int
    stuck: int
    if_best: float | None


class GradedAblation:
    """Every planned rollout of a run by task; ``scale`` is what the ablation says of the worst and the best score."""

    def __init__(self, evidence: Evidence) -> None:
        documents = evidence.documents
        self._evidence = evidence
        self._scale = ((documents.get("root_causes") or {}).get("ablation") or {}).get("scale")
        entries = (documents.get("failure_modes") or {}).get("modes") or []
        named = sorted((mode for mode in entries if mode.get("symptom")), key=lambda mode: mode["severity"])
        self._severity = {mode["code"]: place for place, mode in enumerate(named, 1)}

    @property
    def known(self) -> bool:
        """Whether the run has such a table."""
        return self._scale is not None

    @cached_property
    def rows(self) -> dict[str, Row]:
        """Every row by its path in ``metrics.json``."""
        order = {**self._severity, _LOST: len(self._severity) + 1}
        levels: dict[str, Mapping[str, int]] = {f"modes/{code}": {code: 1} for code in self._severity}
        levels |= {_LOST: {_LOST: 1}, "all_modes": order}
        found = {name: self._row(level) for name, level in levels.items()}
        found["baseline"] = self._row({})._replace(if_best=None)
        pick = max if self._best > self._worst else min
        best = {task: pick(rollout.score for rollout in own) for task, own in self._tasks.items()}
        return found | {"oracle": self._told(best, 0, None)}

    def within(self, code: str) -> dict[str, float]:
        """Measured rollouts with a primary mode and others of the tasks that hold both."""
        split = [
            ([r.score for r in own if r.by == code], [r.score for r in own if r.by not in (code, _LOST)])
            for own in self._tasks.values()
        ]
        both = [sides for sides in split if all(sides)]
        found: dict[str, float] = {"tasks": len(both)}
        for place, name in enumerate(("with", "without")):
            found[name] = sum(len(sides[place]) for sides in both)
            if both:
                found[f"{name}_mean"] = fmean([fmean(sides[place]) for sides in both])
        return found

    def numbers(self) -> dict[str, float | None]:
        """The numbers of the block ``ablation`` of ``metrics.json`` that speak of the mean score, by their path."""
        if not self.known:
            return {}
        found: dict[str, float | None] = {"ablation/mean_reward_unexplained": self._rest}
        for name, row in self.rows.items():
            found |= {
                f"ablation/{name}/mean_reward": row.mean,
                f"ablation/{name}/mean_reward_gain": row.gain,
                f"ablation/{name}/mean_reward_moved_tasks": row.moved,
                f"ablation/{name}/mean_reward_if_best": row.if_best,
            }
        for code in self._severity:
            place = f"ablation/modes/{code}/mean_reward_within_tasks"
            found |= {f"{place}/{name}": value for name, value in self.within(code).items()}
        return found

    def of_cell(self, cell: Cell, row: str) -> Iterator[Claim]:
        """A cell of the table, but for pass@1."""
        found, what = self.rows.get(row), f"ablation, {cell.name}, {cell.heading}"
        beside, side = _BESIDE.match(cell.heading), _SIDE.match(cell.said.text)
        if beside and side and row.startswith("modes/"):
            within = self.within(row.removeprefix("modes/"))
            right = {"rollouts": within[beside["side"]], "tasks": within["tasks"]}
            right["mean"] = within.get(f"{beside['side']}_mean", math.nan)
            yield from named(side, cell.figures, right, what)
        elif found is not None and cell.lone is not None:
            values = {
                "mean score": found.mean,
                "gain": found.gain,
                "tasks moved": found.moved,
                "tasks with nothing else": found.stuck,
                "gain at the best score": found.if_best,
            }
            yield from claim(cell.lone, exactly(values.get(cell.heading), what))

    def of_sentence(self, sentence: Sentence) -> Iterator[Claim]:
        """What lies between the baseline and the best rollouts, where the baseline is, and which mode costs most."""
        if not self.known:
            return
        right = {name: self.rows[name].gain for name in ("oracle", "all_modes")}
        right |= {"rest": self._rest, "baseline": self.rows["baseline"].mean}
        for pattern in (_BETWEEN, _ROOM, _BASELINE):
            for said in pattern.finditer(sentence.text):
                own = {name: right[name] for name in said.groupdict()}
                yield from named(said, sentence.figures, own, "ablation of the mean score")
        for said in _GOES_WITH.finditer(sentence.text):
            mode = sentence.said.spans[int(said["mode"])]
            if mode in self._severity:
                yield from named(said, sentence.figures, self.within(mode), f"mean scores with and without {mode}")

    @property
    def _rest(self) -> float:
        return self.rows["oracle"].gain - self.rows["all_modes"].gain

    @property
    def _worst(self) -> float:
        return float((self._scale or {})["worst"])

    @property
    def _best(self) -> float:
        return float((self._scale or {})["best"])

    def _row(self, levels: Mapping[str, int]) -> Row:
        """The row under a severity of what affects a rollout; what is not named affects nothing."""
        means, stuck, rises = {}, 0, []
        for task, own in self._tasks.items():
            least = min(levels.get(rollout.by, 0) for rollout in own)
            means[task] = fmean([rollout.score for rollout in own if levels.get(rollout.by, 0) == least])
            stuck += least > 0
            lacking = [abs(self._best - rollout.score) for rollout in own if rollout.by in levels]
            rises.append(math.fsum(lacking) / len(own))
        return self._told(means, stuck, fmean(rises))

    def _told(self, means: Mapping[Any, float], stuck: int, if_best: float | None) -> Row:
        base = {task: fmean([rollout.score for rollout in own]) for task, own in self._tasks.items()}
        mean = fmean(list(means.values()))
        gain = (mean - fmean(list(base.values()))) * (1 if self._best > self._worst else -1)
        moved = sum(abs(means[task] - base[task]) > _SAME for task in base)
        return Row(mean, gain, moved, stuck, if_best)

    @cached_property
    def _tasks(self) -> dict[tuple[Any, ...], list[Rollout]]:
        modes = zip(*(self._evidence.modes[name].to_pylist() for name in (*_KEY, "repeat", "mode")), strict=True)
        primary = {tuple(key): mode for *key, mode in modes}
        columns = self._evidence.aligned.select([*_KEY, "repeat", "outcome", "score"]).columns
        found: dict[tuple[Any, ...], list[Rollout]] = defaultdict(list)
        for *key, outcome, score in zip(*(column.to_pylist() for column in columns), strict=True):
            if outcome == "measured":
                mode = primary.get(tuple(key), "")
                found[tuple(key[:3])].append(Rollout(score, mode if mode in self._severity else ""))
        planned = zip(*(self._evidence.buckets[name].to_pylist() for name in (*_KEY, "planned")), strict=True)
        for *key, repeats in planned:
            own = found[tuple(key)]
            own += [Rollout(self._worst, _LOST)] * (repeats - len(own))
        return dict(found)
