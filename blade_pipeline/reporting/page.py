"""The files that a benchmark publishes: one page over all its runs."""

import io
import json
import re

from blade_pipeline.gym.public import redacted
from blade_pipeline.method.comparison import Pairs
from blade_pipeline.reporting.build import to_json
from blade_pipeline.reporting.html import to_html
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.markdown import to_markdown
from blade_pipeline.reporting.text import published
from blade_pipeline.reporting.view.benchmark import benchmark_document

_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')


def build_benchmark_page(benchmark: str, pairs: Pairs, model_comparison: Json, runs: list[Json]) -> dict[str, bytes]:
    """``index.html``, ``comparison.md`` and ``comparison.json`` of a benchmark.

    Args:
        benchmark: its name.
        pairs: of the runs.
        model_comparison: document with ``leaderboard`` and ``sentence``.
        runs: one object per run, with at least ``run``; a run without a place on the leaderboard is added after it.
    """
    rows = _rows(model_comparison["leaderboard"], runs)
    document = benchmark_document(benchmark, rows, pairs, model_comparison.get("sentence") or "")
    return {
        "index.html": to_html(document).encode(),
        "comparison.md": to_markdown(document).encode(),
        "comparison.json": _published({"schema_version": 1, "benchmark": benchmark, "runs": rows}, pairs),
    }


def _published(document: Json, pairs: Pairs) -> bytes:
    """``to_json`` of the document, with one pair a line: 19,900 of them with indents take 600 MB.

    A check is looked through once, however many pairs have it.
    """
    before, after = to_json({**document, "pairs": []}).encode().split(b'"pairs": []', 1)
    harmless = set[str]()
    checks = [_line(text.as_py(), harmless) for text in pairs.check_texts]
    out = io.BytesIO()
    out.write(before + b'"pairs": [')
    for position in range(len(pairs)):
        listed = b",".join(checks[number] for number in pairs.checks_of(position))
        details = _line(pairs.details(position), harmless)
        out.write(b",\n" if position else b"\n")
        out.write(b'{"checks":[' + listed + b"]," + details[1:])
    out.write(b"\n  ]" if len(pairs) else b"]")
    out.write(after)
    return out.getvalue()


def _line(text: str, harmless: set[str]) -> bytes:
    """A value of ``comparability`` as it is published: as it stands where no text or key of it has to change.

    Args:
        text: the value as JSON.
        harmless: texts in quotation marks that were found to stay as they are; new ones are added.
    """
    new = set(_QUOTED.findall(text)) - harmless
    if text.isascii() and all(redacted(word) == word for word in map(json.loads, new)):
        harmless |= new
        return text.encode()
    return json.dumps(published(json.loads(text)), sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _rows(leaderboard: list[Json], runs: list[Json]) -> list[Json]:
    known = {row["run"]: row for row in runs}
    placed = {row["run"] for row in leaderboard}
    ranked = [{**known.get(row["run"], {}), **row} for row in leaderboard]
    return ranked + [row for name, row in sorted(known.items()) if name not in placed]
