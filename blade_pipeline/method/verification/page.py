"""Holds every figure of a benchmark's page against the comparisons that it shows."""

import functools
import re
from collections.abc import Iterator
from typing import Any

from blade_pipeline.method.comparison import Pairs
from blade_pipeline.method.verification.cell import Cell, cell_of, is_sentence
from blade_pipeline.method.verification.claims import Claim, Option, claim, named
from blade_pipeline.method.verification.comparison import sentence_claims, table_claims, unknown_flips
from blade_pipeline.method.verification.figures import figures_of
from blade_pipeline.method.verification.ids import ALTERED
from blade_pipeline.method.verification.judging import judged, summed
from blade_pipeline.method.verification.markdown import Row, Table, Unit, parse
from blade_pipeline.method.verification.pair_details import detail_cell, detail_sentence
from blade_pipeline.method.verification.ratios import N, arithmetic, ratios
from blade_pipeline.method.verification.stated import Values, numbers_of

Json = dict[str, Any]

_SIZE = re.compile(rf"^(?P<runs>{N}) runs?, (?P<pairs>{N}) pairs?$")
_LEADERBOARD = ["Run", "Model"]
_MEAN = "Mean score"
_TREND = ["Run", "No.", "Started (UTC)"]
_OF_RUN = {
    "no.": "place",
    "pass@1": "pass_at_1",
    "mean score": "mean_reward",
    "tasks measured": "num_tasks",
    "coverage": "coverage",
    "mask rate": "mask_rate",
}
_UNTIMED = re.compile(rf"(?P<left>{N}) of (?P<runs>{N}) runs? carr")
_FUNNELS = ["Rollouts of run", "Model"]
_PAIRS = ["First run", "Second run", "Verdict"]

_IN_WHOLE = 400
"""Pairs up to which all numbers of all of them are searched for a figure."""


class PageVerifier:
    """Verifies the page of one benchmark.

    Args:
        runs: the names of the runs that have a report; those of the ranking are added.
        ranking: the document ``model_comparison``.
        pairs: those of the table ``comparability``.
    """

    def __init__(self, runs: list[str], ranking: Json, pairs: Pairs) -> None:
        self._ranking = ranking
        self._rows = {row["run"]: row for row in ranking["leaderboard"]}
        self._runs = {*runs, *self._rows}
        self._timed = _places_in_time(ranking["leaderboard"])
        self._pairs = pairs
        self._titles = {f"{b} against {a}": position for (a, b), position in pairs.positions.items()}
        self._whole = functools.cache(pairs.whole)
        self._stated = Values("the comparison", ())

    def report(self, text: str) -> Json:
        """What a ``comparison.md`` says that the comparisons bear out, contradict, or leave open; keys as of a run."""
        figures: list[Json] = []
        ids: list[Json] = []
        parts = list(parse(text))
        self._stated = Values("the comparison", numbers_of([self._ranking, self._told({part.path for part in parts})]))
        for part in parts:
            if isinstance(part, Table):
                figures.extend(self._table(part))
                ids.extend(self._unknown_names(part))
            else:
                figures.extend(self._unit(part))
        return summed(figures, [], ids)

    def _told(self, paths: set[tuple[str, ...]]) -> list[Json]:
        """The pairs whose numbers count as stated: all of few; of many the columns, and in whole what headings name."""
        if len(self._pairs) <= _IN_WHOLE:
            return list(self._pairs)
        return [*self._pairs.briefs, *(pair for path in paths if (pair := self._pair(path)) is not None)]

    def _pair(self, path: tuple[str, ...]) -> Json | None:
        """The pair that the last heading names, as ``B against A: verdict``."""
        position = self._titles.get(path[-1].partition(": ")[0]) if path else None
        return None if position is None else self._whole(position)

    def _unit(self, unit: Unit) -> Iterator[Json]:
        text = unit.said.text
        figures = {figure.start: figure for figure in figures_of(text)}
        pair = self._pair(unit.path)
        claims = list(sentence_claims(text, figures, pair)) if pair else []
        claims += detail_sentence(text, tuple(unit.said.spans), figures, pair) if pair else ()
        for name, right in (("runs", self._runs), ("pairs", self._pairs)):
            found = _SIZE.match(text)
            figure = figures.get(found.start(name)) if found else None
            claims += claim(figure, [Option(len(right), name)]) if figure else []
        if untimed := _UNTIMED.search(text):
            total = len(self._runs)
            claims += named(untimed, figures, {"left": total - len(self._timed), "runs": total}, "of the trend")
        for figure in figures.values():
            yield judged(figure, claims, unit.line, unit.said.plain(), self._stated.place)

    def _table(self, table: Table) -> Iterator[Json]:
        pair = self._pair(table.path)
        for row in table.rows:
            for column in range(len(row.cells)):
                cell = cell_of(table, row, column)
                claims = list(self._claims(table, row, cell))
                claims += (*table_claims(table, cell, pair), *detail_cell(table, cell, pair)) if pair else ()
                for figure in cell.figures.values():
                    context = f"{cell.name} | {cell.heading} | {cell.said.plain()}"
                    yield judged(figure, claims, row.line, context, self._stated.place)

    def _claims(self, table: Table, row: Row, cell: Cell) -> Iterator[Claim]:
        if not is_sentence(cell.said):
            yield from (made for ratio in ratios(cell.said.text, cell.figures) for made in arithmetic(ratio))
        if table.header[:2] == _LEADERBOARD and cell.name in self._rows:
            yield from _in_order(cell, _of_run(cell.heading, self._rows[cell.name], _MEAN in table.header))
        if table.header[:3] == _TREND and cell.name in self._timed:
            placed = self._rows[cell.name] | {"place": self._timed[cell.name]}
            yield from _in_order(cell, _of_run(cell.heading, placed, _MEAN in table.header))
        if table.header[:2] == _FUNNELS and (self._rows.get(cell.name) or {}).get("funnel"):
            yield from _through(cell, self._rows[cell.name]["funnel"])
        if table.header[:3] == _PAIRS:
            yield from self._difference(row, cell)

    def _difference(self, row: Row, cell: Cell) -> Iterator[Claim]:
        first, second = (said.plain() for said in row.cells[:2])
        position = self._pairs.positions.get((first, second))
        difference = self._pairs.briefs[position]["difference"] if position is not None else {}
        interval = difference.get("new_tasks") or {}
        if cell.heading == "difference":
            yield from _in_order(cell, [difference.get("value")])
        elif cell.heading.startswith("interval"):
            yield from _in_order(cell, [interval.get("low"), interval.get("high")])

    def _unknown_names(self, table: Table) -> Iterator[Json]:
        of_runs = table.header[:3] == _TREND or table.header[:2] in (_LEADERBOARD, _FUNNELS)
        columns = 1 if of_runs else 2 if table.header[:3] == _PAIRS else 0
        for row in table.rows:
            for name in (said.plain() for said in row.cells[:columns]):
                if name.removesuffix(" (directory gone)") not in self._runs and not any(
                    map(name.__contains__, ALTERED)
                ):
                    yield {"line": row.line, "kind": "run", "id": name, "problem": "does not exist"}
        yield from unknown_flips(table, self._pair(table.path))


def _places_in_time(rows: list[Json]) -> dict[str, int]:
    """The place of each run that carries a time, 1 for the oldest; equal times go by name."""
    timed = sorted((row["started"], row["run"]) for row in rows if row.get("started"))
    return {run: place for place, (_, run) in enumerate(timed, 1)}


def _of_run(heading: str, row: Json, graded: bool) -> list[float | None]:
    """What a column says of a run; intervals are those of the mean score where the table tells it."""
    if heading.startswith("interval"):
        ends = ("mean_reward_low", "mean_reward_high") if graded else ("low", "high")
        return [row.get(name) for name in ends]
    if heading.startswith("rank"):
        return [row.get("rank_low"), row.get("rank_high")]
    return [row.get(_OF_RUN.get(heading, ""))]


def _through(cell: Cell, funnel: Json) -> Iterator[Claim]:
    """Rollouts of a run through the phase that the heading names, or lost at its largest drop-off."""
    phase = next((row for row in funnel["phases"] if row["phase"].lower() == cell.heading), None)
    if phase is not None:
        yield from _in_order(cell, [phase["reached"], funnel["total_rollouts"]])
    elif cell.heading == "largest drop-off" and funnel["largest_drop"]:
        yield from _in_order(cell, [funnel["largest_drop"]["lost"], funnel["largest_drop"]["entered"]])


def _in_order(cell: Cell, values: list[float | None]) -> Iterator[Claim]:
    """The figures of a cell, each held against the value at its place; fractions stand in percent or points."""
    for figure, value in zip(cell.figures.values(), values, strict=False):
        scale = 100 if figure.unit in ("%", "points") else 1
        yield from claim(figure, [] if value is None else [Option(scale * value, f"{cell.heading} of {cell.name}")])
