"""The files that a benchmark publishes: one page over all its runs."""

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
    texts = {
        "index.html": to_html(document),
        "comparison.md": to_markdown(document),
        "comparison.json": _published({"schema_version": 1, "benchmark": benchmark, "runs": rows}, pairs),
    }
    return {name: text.encode() for name, text in texts.items()}


def _published(document: Json, pairs: list[Json]) -> str:
    """``to_json`` of the document with its pairs, one after the other: all at once, 19,900 take over 5 GB."""
    empty = '\n  "pairs": [],\n'
    written = (to_json(pair).rstrip().replace("\n", "\n    ") for pair in pairs)
    listed = "[\n    " + ",\n    ".join(written) + "\n  ]" if pairs else "[]"
    return to_json({**document, "pairs": []}).replace(empty, f'\n  "pairs": {listed},\n', 1)


def _rows(leaderboard: list[Json], runs: list[Json]) -> list[Json]:
    known = {row["run"]: row for row in runs}
    placed = {row["run"] for row in leaderboard}
    ranked = [{**known.get(row["run"], {}), **row} for row in leaderboard]
    return ranked + [row for name, row in sorted(known.items()) if name not in placed]
