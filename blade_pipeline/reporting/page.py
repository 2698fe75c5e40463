"""The files that a benchmark publishes: one page over all its runs."""

from typing import Any

from blade_pipeline.reporting.build import to_json
from blade_pipeline.reporting.html import to_html
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.markdown import to_markdown
from blade_pipeline.reporting.view.benchmark import benchmark_document


def build_benchmark_page(
    benchmark: str, comparability: Json, model_comparison: Json, runs: list[Json]
) -> dict[str, bytes]:
    """``index.html``, ``comparison.md`` and ``comparison.json`` of a benchmark.

    Args:
        benchmark: its name.
        comparability: document with ``pairs``.
        model_comparison: document with ``leaderboard`` and ``sentence``.
        runs: one object per run, with at least ``run``; a run without a place on the leaderboard is added after it.
    """
    rows = _rows(model_comparison["leaderboard"], runs)
    pairs = comparability["pairs"]
    document = benchmark_document(benchmark, rows, pairs, model_comparison.get("sentence") or "")
    published: Any = {"schema_version": 1, "benchmark": benchmark, "runs": rows, "pairs": pairs}
    texts = {
        "index.html": to_html(document),
        "comparison.md": to_markdown(document),
        "comparison.json": to_json(published),
    }
    return {name: text.encode() for name, text in texts.items()}


def _rows(leaderboard: list[Json], runs: list[Json]) -> list[Json]:
    known = {row["run"]: row for row in runs}
    placed = {row["run"] for row in leaderboard}
    ranked = [{**known.get(row["run"], {}), **row} for row in leaderboard]
    return ranked + [row for name, row in sorted(known.items()) if name not in placed]
