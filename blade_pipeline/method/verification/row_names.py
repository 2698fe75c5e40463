"""Figures that name a row, or say why a task lacks scores: a repeat, a k, the outcomes of a task's other rollouts."""

import re
from collections.abc import Iterator

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.restated import restated
from blade_pipeline.method.verification.subjects import Subjects

_OF_K = ("pass@", "consistency")
_REPEATS = re.compile(rf"\b(?:at least one|all) of (?P<k>{N}) repeats\b")
_OUTCOME = re.compile(rf"(?P<x>{N}) (?P<outcome>masked|unscored|failed|missing)\b")


def repeat_name(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The repeat that a row is about: the one at its place among those of the run."""
    if cell.heading == "repeat" and cell.lone is not None:
        ranks = sorted({int(rank) for rank in subjects.truths.repeats if rank.isdigit()})
        place = next((n for n, row in enumerate(cell.table.rows) if row is cell.row), len(ranks))
        one_agent = len(subjects.truths.agents) == 1
        if one_agent and place < len(ranks) and len(cell.table.rows) == len(ranks):
            yield from claim(cell.lone, exactly(ranks[place], f"row {place + 1} of the repeats"))


def k_name(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The k that a row of a curve is about."""
    ks = subjects.truths.ks
    place = next((n for n, row in enumerate(cell.table.rows) if row is cell.row), len(ks))
    if cell.heading == "k" and cell.lone is not None and len(cell.table.rows) == len(ks):
        yield from claim(cell.lone, exactly(ks[place], f"row {place + 1} of the curve"))


def repeats_of_metric(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """How many repeats pass@k and consistency speak of, where the table of scores says what they are."""
    found = _REPEATS.search(cell.said.text) if cell.heading == "is" and cell.name.startswith(_OF_K) else None
    figure = cell.figures.get(found.start("k")) if found else None
    if figure is not None:
        yield from claim(figure, exactly(subjects.truths.headline_k, f"repeats of {cell.name}"))


def lacking_scores(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """How many of a task's rollouts have no score, by outcome."""
    if cell.heading != "reason":
        return
    known = subjects.truths.tasks.get(cell.name, [])
    if len(known) == 1:
        own = known[0].outcomes
        for found in _OUTCOME.finditer(cell.said.text):
            figure = cell.figures.get(found.start("x"))
            if figure is not None:
                what = f"{found['outcome']} rollouts of task {cell.name}"
                yield from claim(figure, exactly(own.get(found["outcome"], 0), what))


def level_of_intervals(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The level of the intervals that a row names, and what was noted of them."""
    known = subjects.scores.get("intervals") or {}
    own = [known[name] for name in cell.row.cells[0].spans if name in known]
    if cell.heading == "level" and cell.lone is not None:
        levels = {interval["level"] for interval in own}
        yield from claim(cell.lone, [option for level in levels for option in exactly(100 * level, "the level")])
    elif cell.heading == "note":
        notes = [interval.get(kind) for interval in own for kind in ("note", "reason")]
        yield from restated(cell.said.text, cell.figures, notes, "the note on an interval")


def end_of_bounds(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The worst and the best case of a metric."""
    ends = (subjects.scores.get("bounds") or {}).get(cell.name) or {}
    value = ends.get({"worst": "low", "best": "high"}.get(cell.heading, ""))
    if cell.lone is not None and value is not None:
        scale = 100 if cell.lone.unit == "%" else 1
        yield from claim(cell.lone, exactly(scale * value, f"{cell.heading} {cell.name}"))
