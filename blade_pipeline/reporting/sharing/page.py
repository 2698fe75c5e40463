"""The shareable page of a benchmark: its runs in order of score, and every pair."""

from collections.abc import Iterable, Iterator, Sequence

from blade_pipeline.reporting.blocks import Block, Document, Fold, Section, absent, cells, link, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, percent, plural
from blade_pipeline.reporting.sharing.comparison import pair_blocks
from blade_pipeline.reporting.sharing.names import Names
from blade_pipeline.reporting.sharing.notes import taken_blocks
from blade_pipeline.reporting.sharing.shapes import LEADERBOARD, PAIR
from blade_pipeline.reporting.view.run_scores import MEAN, PASS, run_score
from blade_pipeline.reporting.view.summary import model_of

DEEP_PAIRS = 12


def shared_page(benchmark: str, rows: list[Json], pairs: Iterable[Json], names: Names) -> Json:
    """``comparison.json`` in the shape of the ordinary one."""
    with names.section("Runs"):
        shared = {"schema_version": 1, "benchmark": names.known("benchmark", benchmark)}
        shared["runs"] = [LEADERBOARD(row, names) for row in rows]
    with names.section("Pairs of Runs"):
        shared["pairs"] = [PAIR(pair, names) for pair in pairs]
    return shared


def page_document(shared: Json, taken: Sequence[tuple[str, str, int]]) -> Document:
    """Three sections: the runs, their pairs, and what was taken out."""
    sections = (
        Section("Runs", tuple(_runs(shared["runs"]))),
        Section("Pairs of Runs", tuple(_pairs(shared["pairs"]))),
        Section("What Was Taken Out", tuple(taken_blocks(taken))),
    )
    subtitle = say(
        f"{plural(len(shared['runs']), 'run')}, {plural(len(shared['pairs']), 'pair')}. A shareable edition."
    )
    return Document(f"{shared['benchmark']} BLADE Comparison", subtitle, sections)


def _runs(rows: list[Json]) -> Iterator[Block]:
    score = run_score(rows)
    shown = [
        cells(
            say(link(row["run"], f"{row['run']}/report.html")), model_of(row), score.of(row), score.span(row),
            *([PASS.of(row)] if score is MEAN else []), count(row.get("num_tasks")), percent(row.get("coverage")),
        )
        for row in rows
    ]  # fmt: skip
    columns = (
        f"Run | Model | {score.title} | Interval{' | pass@1' if score is MEAN else ''} | Tasks measured | Coverage"
    )
    yield table(f"Runs in order of {score.name}", columns, shown)


def _pairs(pairs: list[Json]) -> Iterator[Block]:
    if not pairs:
        yield absent("a comparison. There is no second run.")
        return
    rows = [
        cells(
            pair["run_a"], pair["run_b"], str(pair["verdict"]).replace("_", " "), count(pair["difference"].get("tasks"))
        )
        for pair in pairs
    ]
    yield table("Every pair", "First run | Second run | Verdict | Tasks in common", rows)
    for pair in pairs[:DEEP_PAIRS]:
        yield Fold(f"{pair['run_a']} and {pair['run_b']}", tuple(pair_blocks(pair)))
