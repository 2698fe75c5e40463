"""The page of a benchmark."""

import json
from typing import Any

import pytest

from blade_pipeline.method.comparison import Pairs
from blade_pipeline.reporting import build_benchmark_page
from blade_pipeline_tests.reporting.pages import Page
from blade_pipeline_tests.reporting.samples import mixed_run


def row(run: str, score: float | None) -> dict[str, Any]:
    ends = {"low": None, "high": None} if score is None else {"low": score - 0.1, "high": score + 0.1}
    return {"run": run, "model": "m", "pass_at_1": score, **ends, "num_tasks": 10, "coverage": 1.0,
            "rank_low": 1, "rank_high": 2}  # fmt: skip


def pair(a: str, b: str, verdict: str, value: float) -> dict[str, Any]:
    found: dict[str, Any] = mixed_run().comparison["pairs"][0]
    difference = {**found["difference"], "value": value}
    return {**found, "run_a": a, "run_b": b, "verdict": verdict, "difference": difference}


@pytest.fixture(scope="module")
def built() -> dict[str, bytes]:
    pairs = [
        pair("a", "b", "model_change", 0.2),
        pair("a", "c", "not_comparable", -0.1),
        pair("b", "c", "no_detectable_change", -0.3),
    ]
    board = {"leaderboard": [row("b", 0.7), row("a", 0.5), row("c", 0.4)], "sentence": "One pair can be ordered."}
    runs = [{"run": "a", "gone": True}, {"run": "b", "gone": False}, {"run": "old", "gone": True}]
    return build_benchmark_page("sums", Pairs.of(pairs), board, runs)


def test_files_and_json(built: dict[str, bytes]) -> None:
    assert set(built) == {"index.html", "comparison.md", "comparison.json"}
    published = json.loads(built["comparison.json"])
    assert set(published) == {"schema_version", "benchmark", "runs", "pairs"}
    lines = built["comparison.json"].decode().splitlines()
    rows = [line.rstrip(",") for line in lines if line.startswith('{"checks": ')]
    assert rows == [json.dumps(one, sort_keys=True) for one in published["pairs"]]
    rest = [line for line in lines if not line.startswith('{"checks": ')]
    assert "\n".join(rest) == json.dumps({**published, "pairs": [{}]}, sort_keys=True, indent=2).replace("    {}\n", "")
    assert [run["run"] for run in published["runs"]] == ["b", "a", "c", "old"]
    assert len(published["pairs"]) == 3


def test_runs_link_to_their_reports(built: dict[str, bytes]) -> None:
    page = Page(built["index.html"].decode())
    assert [target for target in page.attributes("href") if target.endswith("report.html")] == [
        f"{run}/report.html" for run in ("b", "a", "c", "old")
    ]
    assert "[b](b/report.md)" in built["comparison.md"].decode()
    assert page.visible.count("(directory gone)") == 2


def test_changes_come_first_and_tell_their_direction(built: dict[str, bytes]) -> None:
    text = built["comparison.md"].decode()
    rows = [line for line in text.split("3 pairs:")[1].splitlines() if line.startswith("| `")][:3]
    assert [line.split("|")[3].strip() for line in rows] == [
        "Higher than the baseline",
        "No detectable change",
        "Not comparable",
    ]


def test_the_square_reads_row_minus_column(built: dict[str, bytes]) -> None:
    text = built["comparison.md"].decode().replace("\N{NO-BREAK SPACE}", " ")
    lines = text.split("lies above a column's:")[1].splitlines()
    assert lines[4:7] == [
        "| `a` |   | -20.0 ▼ | +10.0 × |",
        "| `b` | +20.0 ▲ |   | +30.0 ≈ |",
        "| `c` | -10.0 × | -30.0 ≈ |   |",
    ]


def test_same_inputs_same_bytes_and_one_run_is_no_comparison() -> None:
    board = {"leaderboard": [row("a", None)], "sentence": "There is no second scored run to rank against."}
    first = build_benchmark_page("sums", Pairs.of([]), board, [])
    assert first == build_benchmark_page("sums", Pairs.of([]), board, [])
    assert "Cannot be supported: a comparison of two runs." in first["comparison.md"].decode()
