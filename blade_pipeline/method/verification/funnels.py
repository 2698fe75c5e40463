"""The workflow funnel recounted: which phases hold for each rollout, counted by slice, by model and over the run."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import pyarrow.compute as pc

from blade_pipeline.method.arrays import rows_where
from blade_pipeline.method.phases import phases_of
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N, ratios
from blade_pipeline.method.verification.records import Pair
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.sliced import slice_of, slices_of
from blade_pipeline.models import Phase, Profile

_ELSEWHERE = re.compile(rf"^In (?P<k>{N}) of (?P<n>{N}) (?P<kind>slice|model)s? most rollouts end at another phase")
_PART = re.compile(rf"(?:⟦(?P<field>\d+)⟧ = )?⟦(?P<name>\d+)⟧ at ⟦(?P<phase>\d+)⟧ \((?P<k>{N}) of (?P<n>{N}) ")
_AHEAD = re.compile(rf"^(?P<k>{N}) of (?P<n>{N}) completed rollouts? satisf")
_PAIR = re.compile(rf"⟦(?P<later>\d+)⟧ without ⟦(?P<earlier>\d+)⟧ \((?P<k>{N})\)")
_NO_MODEL = "no row, or no model named"

Held = tuple[bool, ...]
"""Whether each phase's rule holds for a rollout, in the order of the phases."""


class Funnels:
    """Recounts a funnel rollout by rollout; the rules are those that the funnel names."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._document: dict[str, Any] = evidence.documents.get("workflow_funnel") or {}

    @cached_property
    def whole(self) -> dict[str, Pair]:
        """Rollouts that reached each phase, of those that entered it; empty without a funnel."""
        return self._through(self._counted)

    @property
    def rollouts(self) -> int:
        """Rollouts that the funnel speaks of."""
        return self._counted.total()

    def claims(self, cell: Cell) -> Iterator[Claim]:
        """A cell in the row of a slice or a model: rollouts through a phase, or lost at the row's own largest drop."""
        part = self._part(cell)
        if part is None:
            return
        through, total = self._through(part), part.total()
        named = {_plain(name): name for name in through}
        if cell.heading == "own largest drop-off":
            phase = cell.said.spans[0] if cell.said.spans else ""
            right = _lost(through.get(phase))
        else:
            phase = named.get(_plain(cell.heading), "")
            right = Pair(through[phase].part, total) if phase else None
        for ratio in ratios(cell.said.text, cell.figures) if right else ():
            yield from claim(ratio.part, exactly(right and right.part, f"{cell.heading} of {cell.name}"))
            yield from claim(ratio.whole, exactly(right and right.whole, f"{cell.heading} of {cell.name}, of all"))

    def sentence_claims(self, sentence: Sentence) -> Iterator[Claim]:
        """The parts of a run that lose most rollouts elsewhere than the run, and rollouts that are out of order."""
        if found := _ELSEWHERE.match(sentence.text):
            parts = self._by_slice if found["kind"] == "slice" else self._by_model
            apart = sum(map(self._differs, parts.values()))
            yield from self._held(found, sentence, Pair(apart, len(parts)), f"{found['kind']}s that differ")
            yield from self._named_parts(sentence)
        elif found := _AHEAD.match(sentence.text):
            completed = Counter({held: k for held, k in self._counted.items() if all(held[: self._front])})
            ahead = sum(k for held, k in completed.items() if any(held[_survived(held) :]))
            yield from self._held(found, sentence, Pair(ahead, completed.total()), "rollouts out of order")
            for pair in _PAIR.finditer(sentence.text):
                yield from self._ahead(pair, sentence, completed)

    def _named_parts(self, sentence: Sentence) -> Iterator[Claim]:
        spans = sentence.said.spans
        for found in _PART.finditer(sentence.text):
            name, phase = spans[int(found["name"])], spans[int(found["phase"])]
            field = spans[int(found["field"])] if found["field"] else None
            part = self._by_model.get(name) if field is None else self._by_slice.get((field, name))
            lost = _lost(self._through(part).get(phase)) if part else None
            if lost is not None:
                yield from self._held(found, sentence, lost, f"lost at {phase} in {name}")

    def _ahead(self, pair: re.Match[str], sentence: Sentence, completed: Counter[Held]) -> Iterator[Claim]:
        names = [sentence.said.spans[int(pair[group])] for group in ("later", "earlier")]
        figure = sentence.figures.get(pair.start("k"))
        if figure is not None and {*names} <= {*self._names}:
            later, earlier = map(self._names.index, names)
            right = sum(k for held, k in completed.items() if held[later] and _survived(held) == earlier)
            yield from claim(figure, exactly(right, f"{names[0]} without {names[1]}"))

    @staticmethod
    def _held(found: re.Match[str], sentence: Sentence, right: Pair, what: str) -> Iterator[Claim]:
        for group, value in (("k", right.part), ("n", right.whole)):
            figure = sentence.figures.get(found.start(group))
            if figure is not None:
                yield from claim(figure, exactly(value, what))

    def _part(self, cell: Cell) -> Counter[Held] | None:
        if cell.table.header[0].lower() == "rollouts of slice":
            return self._by_slice.get(slice_of(cell))
        return self._by_model.get(None if cell.name == _NO_MODEL else cell.name)

    @cached_property
    def _names(self) -> list[str]:
        return [phase["phase"] for phase in self._document.get("phases", [])]

    @cached_property
    def _rows(self) -> Counter[tuple[str | None, str | None, Held]]:
        """Rollouts by their slices, their model and the phases whose rules hold for them."""
        aligned = self._evidence.aligned
        samples = rows_where(aligned, pc.not_equal(aligned["outcome"], "unexpected"))
        own = [phase for phase in self._document.get("phases", []) if phase.get("source") == "profile"]
        declared = tuple(Phase(phase=phase["phase"], when=phase["rule"]) for phase in own)
        phases, _ = phases_of(samples, Profile(funnel=declared))
        held = zip(*(phase.through.tolist() for phase in phases), strict=True)
        return Counter(zip(samples["slices"].to_pylist(), samples["model"].to_pylist(), held, strict=True))

    @property
    def _front(self) -> int:
        """Phases that say which rollouts ran."""
        return sum(phase.get("source") == "accounting" for phase in self._document.get("phases", []))

    @cached_property
    def _counted(self) -> Counter[Held]:
        found: Counter[Held] = Counter()
        for (_, _, held), rollouts in self._rows.items():
            found[held] += rollouts
        return found

    @cached_property
    def _by_slice(self) -> Mapping[tuple[str, str], Counter[Held]]:
        found: dict[tuple[str, str], Counter[Held]] = {}
        left_out = {row["field"] for row in self._document.get("by_slice_left_out", [])}
        for (slices, _, held), rollouts in self._rows.items():
            for name in slices_of(slices):
                if name[0] not in left_out:
                    found.setdefault(name, Counter())[held] += rollouts
        return found

    @cached_property
    def _by_model(self) -> Mapping[str | None, Counter[Held]]:
        found: dict[str | None, Counter[Held]] = {}
        for (_, model, held), rollouts in self._rows.items():
            found.setdefault(model, Counter())[held] += rollouts
        return found

    def _through(self, part: Counter[Held]) -> dict[str, Pair]:
        """Rollouts of a part that reached each phase, of those that entered it."""
        survived: Counter[int] = Counter()
        for held, rollouts in part.items():
            survived[_survived(held)] += rollouts
        left = [sum(k for place, k in survived.items() if place >= n) for n in range(len(self._names) + 1)]
        return {name: Pair(left[n + 1], left[n]) for n, name in enumerate(self._names)}

    def _differs(self, part: Counter[Held]) -> bool:
        """Whether another phase than the run's worst loses more rollouts of a part."""
        losses = {name: pair.whole - pair.part for name, pair in self.whole.items()}
        worst = max(losses, key=lambda name: losses[name])
        own = {name: pair.whole - pair.part for name, pair in self._through(part).items()}
        return max(own.values()) > own[worst]


def _survived(held: Held) -> int:
    """Phases that a rollout got through before the first whose rule does not hold."""
    return next((place for place, holds in enumerate(held) if not holds), len(held))


def _lost(pair: Pair | None) -> Pair | None:
    return Pair(pair.whole - pair.part, pair.whole) if pair else None


def _plain(name: str) -> str:
    """A phase as the heading of a column, which may be cut."""
    return " ".join(name.lower().split())[:40].rstrip("…")
