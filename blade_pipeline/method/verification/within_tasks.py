"""Passing against failing rollouts of the same tasks: means of features, recounted from the rows."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from statistics import fmean
from typing import Any

import pyarrow as pa

from blade_pipeline.method.stratified import FALSE_SHARE
from blade_pipeline.method.verification.claims import Claim, Option, claim, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.lengths import disturbed
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence

Row = dict[str, Any]
Means = dict[str, float]

_KEY = ("agent", "stage", "task")
_COLUMNS = {
    "steps": "output_items",
    "tool calls": "tool_calls",
    "tool errors": "tool_errors",
    "output tokens": "output_tokens",
    "reasoning tokens": "reasoning_tokens",
    "answer characters": "answer_length",
}
_CALLS = "calls of "
_UNNAMED = "an unnamed tool"
_ON_AVERAGE = re.compile(
    rf"passing rollouts have on average (?P<passing>{N}) for ⟦(?P<feature>\d+)⟧ and failing ones (?P<failing>{N}), "
    rf"over (?P<tasks>{N}) tasks? with both"
)
_NOTHING = re.compile(
    rf"none of (?P<features>{N}) features differs beyond chance over up to (?P<tasks>{N}) sometimes-pass tasks? "
    rf"\(Benjamini-Hochberg over all of them; smallest p (?P<p>{N})"
)
_BEYOND = re.compile(rf"\bwhere q is at most \S+: here that of (?P<clear>{N}|none) of (?P<tested>{N}) tested features?")


class WithinTasks:
    """Means over the sometimes-pass tasks, without failing rollouts that an outage or a limit ended.

    Lengths and calls of tools are recounted; other features, p and q are the document's own.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._document: list[Row] = (evidence.documents.get("trajectory_contrasts") or {}).get("stratified") or []

    def value(self, feature: str, name: str) -> float | None:
        """``passing``, ``failing``, ``difference``, ``tasks``, ``p`` or ``q`` of a feature; null where unknown."""
        entry: Row = next((entry for entry in self._document if entry.get("feature") == feature), {})
        return {**entry, **self._means(feature)}.get(name) if entry else None

    def of_sentence(self, sentence: Sentence) -> Iterator[Claim]:
        """A feature on average, and how many features differ beyond chance."""
        for found in _ON_AVERAGE.finditer(sentence.text):
            feature = sentence.said.spans[int(found["feature"])]
            yield from named(found, sentence.figures, {"tasks": self.value(feature, "tasks")}, f"{feature}, both")
            for side in ("passing", "failing"):
                figure, value = sentence.figures.get(found.start(side)), self.value(feature, side)
                if figure is not None and value is not None:
                    yield from claim(figure, _three_digits(value, f"{feature} of {side} rollouts, within tasks"))
        tested = [entry for entry in self._document if entry.get("q") is not None]
        clear = sum(entry["q"] <= FALSE_SHARE for entry in tested)
        for found in _BEYOND.finditer(sentence.text):
            yield from named(found, sentence.figures, {"clear": clear, "tested": len(tested)}, "features within tasks")
        for found in _NOTHING.finditer(sentence.text) if tested else ():
            right = {"features": len(tested), "tasks": max(entry["tasks"] for entry in tested)}
            right["p"] = float(f"{min(entry['p'] for entry in tested):.3g}")
            yield from named(found, sentence.figures, right, "features within tasks")

    def _means(self, feature: str) -> Means:
        """Means over tasks of their means over passing and over failing rollouts; nothing for other features."""
        if feature not in _COLUMNS and not feature.startswith(_CALLS):
            return {}
        values: dict[Any, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
        calls = self._calls(feature.removeprefix(_CALLS)) if feature.startswith(_CALLS) else None
        for place, row in enumerate(self._rows):
            value = row[_COLUMNS[feature]] if calls is None else calls[place]
            if value is not None:
                values[row["agent"], row["stage"], row["task"]][not row["passed"]].append(value)
        both = [tuple(fmean(side) for side in sides) for sides in values.values() if all(sides)]
        if not both:
            return {}
        passing, failing = (fmean([sides[place] for sides in both]) for place in (0, 1))
        return {"passing": passing, "failing": failing, "difference": passing - failing, "tasks": len(both)}

    def _calls(self, tool: str) -> list[int | None]:
        """Calls of a tool by each of the rollouts; null where no steps are on record."""
        found: list[int | None] = []
        for steps in self._mixed["steps"].to_pylist():
            listed = None if steps is None else [step for step in json.loads(steps) if step[0] == "tool_call"]
            found.append(None if listed is None else sum((step[1] or _UNNAMED) == tool for step in listed))
        return found

    @cached_property
    def _rows(self) -> list[Row]:
        rows: list[Row] = self._mixed.select([*_KEY, "passed", *_COLUMNS.values()]).to_pylist()
        return rows

    @cached_property
    def _mixed(self) -> pa.Table:
        """Measured rollouts of the sometimes-pass tasks."""
        buckets = self._evidence.buckets.select([*_KEY, "bucket"]).to_pylist()
        mixed = {tuple(row[name] for name in _KEY) for row in buckets if row["bucket"] == "sometimes_pass"}
        aligned, ended = self._evidence.aligned, disturbed(self._evidence)
        keys = zip(*(aligned[name].to_pylist() for name in (*_KEY, "repeat", "outcome")), strict=True)
        places = [
            place
            for place, (*key, outcome) in enumerate(keys)
            if outcome == "measured" and tuple(key[:3]) in mixed and tuple(key) not in ended
        ]
        wanted = [*_KEY, "passed", *_COLUMNS.values(), "steps"]
        return aligned.select(wanted).take(pa.array(places, pa.int64()))


def _three_digits(value: float, what: str) -> list[Option]:
    """The value to three significant digits; either way where it lies half-way between two such numbers."""
    return [Option(float(f"{value * (1 + slip):.3g}"), what) for slip in (-1e-9, 1e-9)]
