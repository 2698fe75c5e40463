"""What the findings of a run count: copied repeats, lost and outlying ones, tasks and rollouts without a score."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import pyarrow.compute as pc

from blade_pipeline.method.outages import lost_rollouts
from blade_pipeline.method.verification.claims import Claim, named
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.sliced import Slice, slices_of
from blade_pipeline.method.verification.truths import Truths

_COPIES = re.compile(
    rf"(?P<same>{N}) of (?P<tasks>{N}) tasks gave the same output in every repeat\b"
    rf"(?:.*\bIn (?P<unequal>{N}) of them the scores differ)?"
)
_LOW = re.compile(
    rf"\bOnly (?P<measured>{N}) of (?P<rollouts>{N}) expected rollouts and (?P<measured_tasks>{N}) of (?P<tasks>{N}) "
    "tasks have a score"
)
_APART = re.compile(
    rf"\bRepeat (?P<repeat>{N}) stands furthest apart, with (?P<passed>{N}) of (?P<measured>{N}) against "
    rf"(?P<others_passed>{N}) of (?P<others_measured>{N}) in the others"
)
_SETTING = re.compile(rf"\bin repeats? (?P<those>{N}(?:(?:, | and ){N})*) came to (?P<passed>{N}) of (?P<measured>{N})")
_FAILED = re.compile(
    rf"Where ⟦(?P<field>\d+)⟧ = ⟦(?P<value>\d+)⟧, (?P<failed>{N}) of (?P<rollouts>{N}) rollouts failed "
    rf"before they left a row, elsewhere (?P<rest_failed>{N}) of (?P<rest>{N}) "
)
_VERDICTS = re.compile(
    rf"⟦(?P<field>\d+)⟧ says yes of (?P<yes_of_failed>{N}) of (?P<failed>{N}) rollouts that fail by the score "
    rf"and no of (?P<no_of_passed>{N}) of (?P<passed>{N}) that pass by it"
)
_OUTAGE = re.compile(
    rf"(?:\bRepeat (?P<repeat>{N})|the (?P<quarter>first|second|third|last) quarter) of \S+ lost (?P<lost>{N}) of "
    rf"(?P<rollouts>{N}) rollouts to infrastructure.*?, the other (?:repeats|quarters) (?P<rest_lost>{N}) of "
    rf"(?P<rest>{N})"
    rf"(?:.*\bfrom the first to the last (?P<first>{N}), (?P<second>{N}), (?P<third>{N}) and (?P<last>{N}))?"
)
_QUARTERS = ("first", "second", "third", "last")
_TASK = ["agent", "stage", "task"]
_ROWS = "as the rows count them"


class Disturbed:
    """Recounts what the findings say of a run's repeats and of how much was measured."""

    def __init__(self, truths: Truths) -> None:
        self._truths = truths

    def claims(self, sentence: Sentence) -> Iterator[Claim]:
        """The figures of the findings about copies, about low coverage and about the repeat that differs."""
        for pattern in (_COPIES, _LOW):
            if found := pattern.search(sentence.text):
                right = self._copies if pattern is _COPIES else self._truths.counts
                yield from named(found, sentence.figures, right, _ROWS)
        if (found := _APART.search(sentence.text)) and len(self._truths.agents) == 1:
            yield from named(found, sentence.figures, self._apart(found["repeat"]), _ROWS)
        if len(self._truths.agents) == 1:
            for each in _SETTING.finditer(sentence.text):
                yield from named(each, sentence.figures, self._together(each["those"]), _ROWS)
        if (found := _OUTAGE.search(sentence.text)) and len(self._truths.agents) == 1:
            yield from named(found, sentence.figures, self._outage(found["repeat"], found["quarter"]), _ROWS)

        if found := _FAILED.search(sentence.text):
            field, value = (sentence.said.spans[int(found[group])] for group in ("field", "value"))
            yield from named(found, sentence.figures, self._failed((field, value)), _ROWS)

        if found := _VERDICTS.search(sentence.text):
            field = sentence.said.spans[int(found["field"])]
            yield from named(found, sentence.figures, self._verdicts(field.split(".")), _ROWS)

    def _verdicts(self, path: list[str]) -> Mapping[str, float]:
        """Measured rollouts that hold a flag, by whether they passed, and those of which it says the opposite."""
        seen: Counter[tuple[bool, bool]] = Counter()
        table = self._truths.evidence.aligned.select(["outcome", "passed", "verifier"])
        for outcome, passed, verifier in zip(*(column.to_pylist() for column in table.columns), strict=True):
            value = json.loads(verifier or "{}") if outcome == "measured" else {}
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            if value in (0, 1):
                seen[bool(passed), bool(value)] += 1
        return {
            "yes_of_failed": seen[False, True],
            "failed": seen[False, True] + seen[False, False],
            "no_of_passed": seen[True, False],
            "passed": seen[True, True] + seen[True, False],
        }

    def _failed(self, name: Slice) -> Mapping[str, float]:
        """Failed and planned rollouts of a slice, and of all others."""
        inside, rest = Counter[str](), Counter[str]()
        table = self._truths.evidence.aligned.select(["outcome", "slices"])
        for outcome, slices in zip(*(column.to_pylist() for column in table.columns), strict=True):
            (inside if name in slices_of(slices) else rest).update([outcome] * (outcome != "unexpected"))
        return {
            "failed": inside["failed"],
            "rollouts": inside.total(),
            "rest_failed": rest["failed"],
            "rest": rest.total(),
        }

    @cached_property
    def _copies(self) -> Mapping[str, float]:
        """Tasks with outputs of several measured repeats, those with one output, and those of them with two scores."""
        aligned = self._truths.evidence.aligned
        known = pc.and_(pc.equal(aligned["outcome"], "measured"), pc.greater(aligned["output_items"], 0))
        outputs: dict[tuple[Any, ...], list[tuple[str, float]]] = defaultdict(list)
        rows = aligned.select([*_TASK, "response_digest", "score"]).filter(known)
        for *task, digest, score in zip(*(column.to_pylist() for column in rows.columns), strict=True):
            if digest is not None:
                outputs[tuple(task)].append((digest, score))
        several = [seen for seen in outputs.values() if len(seen) > 1]
        same = [seen for seen in several if len({digest for digest, _ in seen}) == 1]
        unequal = sum(len({score for _, score in seen}) > 1 for seen in same)
        return {"tasks": len(several), "same": len(same), "unequal": unequal}

    def _apart(self, repeat: str) -> Mapping[str, float]:
        """Passed and measured rollouts of a repeat, and of the others."""
        own, every = self._truths.repeats.get(repeat), self._truths.all
        if own is None:
            return {}
        others = {"others_passed": every.passed - own.passed, "others_measured": every.measured - own.measured}
        return others | {"passed": own.passed, "measured": own.measured}

    def _together(self, listed: str) -> Mapping[str, float]:
        """Passed and measured rollouts of several repeats."""
        known = [self._truths.repeats.get(repeat) for repeat in re.findall(r"\d+", listed)]
        own = [each for each in known if each is not None]
        return {"passed": sum(each.passed for each in own), "measured": sum(each.measured for each in own)}

    def _outage(self, repeat: str | None, quarter: str | None) -> Mapping[str, float]:
        """Rollouts of a repeat, or of a quarter in order of creation, and of the others; how many of each were lost."""
        own = self._by_repeat.get(repeat) if repeat is not None else self._by_quarter.get(quarter or "")
        groups = self._by_repeat if repeat is not None else self._by_quarter
        if own is None:
            return {}
        whole, lost = (sum(counts[place] for counts in groups.values()) for place in (0, 1))
        counts = {"rollouts": own[0], "lost": own[1], "rest": whole - own[0], "rest_lost": lost - own[1]}
        return counts if repeat is not None else counts | {name: counts[1] for name, counts in groups.items()}

    @cached_property
    def _expected(self) -> list[tuple[Any, ...]]:
        """Repeat, moment, place, outcome and loss of every rollout that belongs to the run."""
        aligned = self._truths.evidence.aligned
        columns = [aligned[name].to_pylist() for name in ("rank", "created_at", "order", "outcome")]
        rows = zip(*columns, lost_rollouts(aligned).tolist(), strict=True)
        return [row for row in rows if row[3] != "unexpected"]

    @cached_property
    def _by_repeat(self) -> dict[str, tuple[int, int]]:
        ranks = sorted({rank for rank, _, _, outcome, _ in self._expected if outcome != "missing"})
        return {str(each): _counted(row for row in self._expected if row[0] == each) for each in ranks}

    @cached_property
    def _by_quarter(self) -> dict[str, tuple[int, int]]:
        timed = [row for row in self._expected if row[1] is not None]
        timed.sort(key=lambda row: (row[1], row[0], row[2]))
        bounds = [0]
        for place in range(4):
            bounds.append(bounds[-1] + len(timed) // 4 + (place < len(timed) % 4))
        return {name: _counted(timed[bounds[n] : bounds[n + 1]]) for n, name in enumerate(_QUARTERS)}


def _counted(rows: Iterable[tuple[Any, ...]]) -> tuple[int, int]:
    """Rollouts, and those of them that were lost."""
    losses = [row[-1] for row in rows]
    return len(losses), sum(losses)
