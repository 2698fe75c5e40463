"""The page of a benchmark: its runs in order of score, and every pair of them."""

import re
from collections.abc import Iterator

from blade_pipeline.method.comparison import Pairs
from blade_pipeline.reporting.blocks import (
    Block,
    Cell,
    Document,
    Figure,
    Filter,
    Fold,
    Paragraph,
    Piece,
    Row,
    Section,
    absent,
    cells,
    code,
    link,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.figures import interval_plot
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, plural, points
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.comparison import is_share, pair_blocks
from blade_pipeline.reporting.view.funnel_parts import funnels_of_runs
from blade_pipeline.reporting.view.run_scores import MEAN, PASS, RunScore, run_score
from blade_pipeline.reporting.view.summary import VERDICTS, model_of, verdict_words
from blade_pipeline.reporting.view.trend import trend_blocks

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
SHOWN_PAIRS = 400
DEEP_PAIRS = 12
PLOTTED_RUNS = 30
_INTERVAL = "Interval at 95%, new tasks"
MATRIX_RUNS = 12
MARKS = {
    "no_detectable_change": "≈",
    "equivalent": "=",
    "not_comparable": "×",
    "failure_accounting": "!",
    "insufficient_evidence": "?",
}


def benchmark_document(benchmark: str, rows: list[Json], pairs: Pairs, sentence: str) -> Document:
    """Three sections: the runs by score, the runs by time, and the pairs of runs."""
    title = f"{clean(benchmark)} BLADE Comparison"
    subtitle = say(f"{plural(len(rows), 'run')}, {plural(len(pairs), 'pair')}")
    sections = (
        Section("Runs", tuple(_runs(rows, sentence))),
        Section("Trend", tuple(trend_blocks(rows))),
        Section("Pairs of Runs", tuple(_pairs(pairs))),
    )
    return Document(title, subtitle, sections)


def _runs(rows: list[Json], sentence: str) -> Iterator[Block]:
    if not rows:
        yield absent("a comparison. The benchmark has no run.")
        return
    if sentence:
        yield Paragraph(quoted(sentence))
    score = run_score(rows)
    plotted = [row for row in rows if row.get(score.low) is not None and row.get(score.high) is not None]
    plotted = plotted[:PLOTTED_RUNS]
    if len(plotted) > 1:
        spans = [(r["run"], r[score.key], r[score.low], r[score.high], "new tasks") for r in plotted]
        alternative = "; ".join(f"{row['run']}: {score.of(row)}" for row in plotted)
        drawing = interval_plot(spans, shares=score is PASS)
        yield Figure(drawing, f"{score.title} of each run, with its interval for new tasks", alternative)
    beside = " | pass@1" if score is MEAN else ""
    columns = f"Run | Model | {score.title} | {_INTERVAL}{beside} | Rank could be | Tasks measured | Coverage"
    numeric = f"{score.title} | {_INTERVAL}{beside} | Tasks measured | Coverage"
    yield table(f"Runs in order of {score.name}", columns, [_run(row, score) for row in rows], numeric)
    yield from funnels_of_runs(rows)


def _run(row: Json, score: RunScore) -> tuple[Cell, ...]:
    model = say(model_of(row))
    gone = say(" (directory gone)") if row.get("gone") else ()
    beside = [PASS.of(row)] if score is MEAN else []
    return cells(
        say(_report_link(row["run"]), gone), model, score.of(row), score.span(row), *beside, _ranks(row),
        count(row.get("num_tasks")), percent(row.get("coverage")),
    )  # fmt: skip


def _report_link(run: str) -> Piece:
    return link(run, f"{run}/report.html") if _SAFE.fullmatch(run) else code(run)


def _ranks(row: Json) -> str:
    low, high = row.get("rank_low"), row.get("rank_high")
    if low is None or high is None:
        return "not ranked"
    return str(low) if low == high else f"{low} to {high}"


def _pairs(pairs: Pairs) -> Iterator[Block]:
    briefs = pairs.briefs
    if not briefs:
        yield absent("a comparison of two runs. There are fewer than two.")
        return
    order = {name: position for position, name in enumerate(VERDICTS, 1)}
    ranked = sorted(
        range(len(briefs)),
        key=lambda at: (order.get(briefs[at]["verdict"], 0), briefs[at]["run_a"], briefs[at]["run_b"]),
    )
    shown = [briefs[position] for position in ranked[:SHOWN_PAIRS]]
    present = {pair["verdict"] for pair in shown}
    verdicts = Filter("Verdict", tuple((name, verdict_words(name)[0]) for name in sorted(present)))
    caption = (
        plural(len(pairs), "pair") if len(shown) == len(pairs) else f"{len(shown)} of {plural(len(pairs), 'pair')}"
    )
    columns = f"First run | Second run | Verdict | Difference | {_INTERVAL} | In a sentence"
    yield table(caption, columns, [_pair(pair) for pair in shown], filters=(verdicts,))
    yield from _matrix(briefs)
    for pair in map(pairs.whole, ranked[:DEEP_PAIRS]):
        summary = f"{clean(pair['run_b'])} against {clean(pair['run_a'])}: {verdict_words(pair['verdict'], pair)[0]}"
        yield Fold(summary, tuple(block for block in pair_blocks(pair) if not isinstance(block, Figure)))
    if len(pairs) > DEEP_PAIRS:
        words = f"{DEEP_PAIRS} of {plural(len(pairs), 'pair')} stand here in full; "
        yield Paragraph(
            say(words, code("comparison.json"), " holds all, ", code("blade compare"), " shows any."), "quiet"
        )


def _matrix(pairs: list[Json]) -> Iterator[Block]:
    """Every pair in one square: the row's run minus the column's, with a mark for the verdict."""
    runs = sorted({str(pair[side]) for pair in pairs for side in ("run_a", "run_b")})
    if not 3 <= len(runs) <= MATRIX_RUNS:
        return
    found = {(str(pair["run_b"]), str(pair["run_a"])): (pair, 1) for pair in pairs}
    found |= {(a, b): (pair, -1) for (b, a), (pair, _) in found.items()}
    rows = [cells(code(run), *(_square(found.get((run, other))) for other in runs)) for run in runs]
    legend = "; ".join(f"{mark} {verdict_words(name)[0].lower()}" for name, mark in MARKS.items())
    unit = "Points" if all(is_share(pair.get("difference") or {}) for pair in pairs) else "Points or units of the score"
    yield table(f"{unit} by which a row's run lies above a column's", ("Run", *(clean(run, 30) for run in runs)), rows)
    yield Paragraph(say(f"{legend}; ▲ and ▼ a change of the factor under study."), "quiet")


def _square(entry: tuple[Json, int] | None) -> str:
    if entry is None:
        return ""
    pair, sign = entry
    value = (pair.get("difference") or {}).get("value")
    if value is None:
        return MARKS.get(pair["verdict"], "?")
    mark = MARKS.get(pair["verdict"], "▲" if value * sign > 0 else "▼")
    return f"{_signed(pair, value * sign).removesuffix(' points')}\N{NO-BREAK SPACE}{mark}"


def _signed(pair: Json, value: float | None) -> str:
    """A difference in points, or as a plain number where the pair compares mean scores."""
    return points(value) if is_share(pair.get("difference") or {}) else decimal(value)


def _pair(pair: Json) -> Row:
    difference = pair.get("difference") or {}
    interval = difference.get("new_tasks") or {}
    value, low = difference.get("value"), interval.get("low")
    span = "none" if low is None else f"{_signed(pair, low)} to {_signed(pair, interval['high'])}"
    return Row(
        cells(
            code(pair["run_a"]), code(pair["run_b"]), verdict_words(pair["verdict"], pair)[0],
            Cell(say(_signed(pair, value)), value=f"{0 if value is None else value:.6f}"), span,
            quoted(pair["sentence"]),
        ),
        keys=((pair["verdict"],),),
    )  # fmt: skip
