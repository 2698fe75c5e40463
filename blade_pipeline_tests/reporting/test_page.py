"""The page of a benchmark."""

import json
from typing import Any

import pytest

from blade_pipeline.method.comparison import Pairs
from blade_pipeline.method.verification import PageVerifier
from blade_pipeline.reporting import build_benchmark_page
from blade_pipeline.reporting.blocks import Paragraph, Table
from blade_pipeline.reporting.view.trend import trend_blocks
from blade_pipeline_tests.reporting.pages import Page
from blade_pipeline_tests.reporting.samples import mixed_run

STARTED = {"a": "2026-10-19T21:00:05+00:00", "b": "2026-10-20T21:00:05+00:00", "c": "2026-10-18T21:00:05+00:00"}


def row(run: str, score: float | None) -> dict[str, Any]:
    ends = {"low": None, "high": None} if score is None else {"low": score - 0.1, "high": score + 0.1}
    return {"run": run, "model": "m", "pass_at_1": score, **ends, "num_tasks": 10, "coverage": 0.9,
            "mask_rate": 0.25, "started": STARTED.get(run, STARTED["a"]),
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
    rows = [line.rstrip(",") for line in lines if line.startswith('{"checks":')]
    assert rows == [json.dumps(one, sort_keys=True, separators=(",", ":")) for one in published["pairs"]]
    rest = [line for line in lines if not line.startswith('{"checks":')]
    assert "\n".join(rest) == json.dumps({**published, "pairs": [{}]}, sort_keys=True, indent=2).replace("    {}\n", "")
    assert [run["run"] for run in published["runs"]] == ["b", "a", "c", "old"]
    assert len(published["pairs"]) == 3


def test_secrets_in_texts_and_keys_of_a_pair_are_taken_out_of_its_line() -> None:
    """They stand behind an escaped quotation mark, in a key and in a check; what has none stays as it is."""
    key = "sk-proj-" + "Ab3dE5gH" * 5
    one = pair("a", "b", "model_change", 0.2)
    odd = {**one, "flips": {**one["flips"], f"login {key}": 1}, "sentence": f'said "{key}"', "run_b": "ü"}
    odd["checks"] = [{**one["checks"][0], "a": f"token={key}"}]
    board = {"leaderboard": [row("a", 0.7)], "sentence": ""}
    files = build_benchmark_page("sums", Pairs.of([one, odd, one]), board, [])
    assert key not in files["comparison.json"].decode()
    found = json.loads(files["comparison.json"])["pairs"]
    assert found[0] == found[2] == json.loads(json.dumps(one))
    assert (found[1]["run_b"], found[1]["difference"]) == ("ü", found[0]["difference"])


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


TREND = """
The order is that of the earliest time in each run's own rows, oldest first. 1 of 4 runs carries none and is left out.
"""


def test_the_trend_goes_by_time_and_says_so(built: dict[str, bytes]) -> None:
    text = built["comparison.md"].decode()
    trend = text.split("## Trend\n")[1].split("\n## ")[0]
    assert TREND.strip() in trend
    rows = [line for line in trend.splitlines() if line.startswith("| `")]
    assert rows == [
        "| `c` | 1 | `2026-10-18 21:00` | `m` | 40.0% | 30.0% to 50.0% | 90.0% | 25.0% |",
        "| `a` | 2 | `2026-10-19 21:00` | `m` | 50.0% | 40.0% to 60.0% | 90.0% | 25.0% |",
        "| `b` | 3 | `2026-10-20 21:00` | `m` | 70.0% | 60.0% to 80.0% | 90.0% | 25.0% |",
    ]
    assert "Runs in order of time, 3 of 3 runs" in trend


def test_a_trend_without_times_or_of_many_runs_is_bounded() -> None:
    rows = [{**row("a", 0.5), "run": f"r{number}", "started": f"2026-01-01T00:{number:02}:00"} for number in range(60)]
    rows.append({**row("a", 0.5), "run": "last", "started": "2026-01-02T00:00:00"})
    blocks = list(trend_blocks(rows))
    (table,) = [block for block in blocks if isinstance(block, Table)]
    assert table.caption == "Runs in order of time, 60 of 61 runs"
    assert len(table.rows) == 60
    (said,) = trend_blocks([{**row("a", 0.5), "started": None}, row("b", 0.5)])
    assert isinstance(said, Paragraph) and said.tone == "absent"


@pytest.mark.parametrize(
    ("right", "planted", "expected"),
    [
        ("1 of 4 runs carries", "2 of 4 runs carries", ("2", "1")),
        ("1 of 4 runs carries", "1 of 3 runs carries", ("3", "4")),
        ("| 1 | `2026-10-18", "| 2 | `2026-10-18", ("2", "1")),
        ("`2026-10-19 21:00` | `m` | 50.0%", "`2026-10-19 21:00` | `m` | 70.0%", ("70.0%", "50.0%")),
        ("| 60.0% to 80.0% | 90.0% | 25.0% |", "| 60.0% to 80.0% | 90.0% | 26.0% |", ("26.0%", "25.0%")),
        ("| 60.0% to 80.0% | 90.0% | 25.0% |", "| 61.0% to 80.0% | 90.0% | 25.0% |", ("61.0%", "60.0%")),
        ("| 60.0% to 80.0% | 90.0% | 25.0% |", "| 60.0% to 80.0% | 99.0% | 25.0% |", ("99.0%", "90.0%")),
    ],
)
def test_figures_of_the_trend_are_recounted(
    built: dict[str, bytes], right: str, planted: str, expected: tuple[str, str]
) -> None:
    text = built["comparison.md"].decode()
    trend = "## Trend\n" + text.split("## Trend\n")[1].split("\n## ")[0]
    board = {"leaderboard": [row("b", 0.7), row("a", 0.5), row("c", 0.4)]}
    verifier = PageVerifier(["a", "b", "old"], board, Pairs.of([]))
    assert verifier.report(trend)["counts"] == {
        "confirmed": 22,
        "contradicted": 0,
        "unplaced": 0,
        "wrong_totals": 0,
        "wrong_ids": 0,
    }
    assert trend.count(right) == 1
    wrong = [found for found in verifier.report(trend.replace(right, planted))["figures"] if found["right"]]
    assert [(found["text"], found["right"]) for found in wrong] == [expected]


def with_funnel(run: str, *reached: tuple[str, int]) -> dict[str, Any]:
    """A run of 10 rollouts that goes through these phases."""
    before = [10, *(count for _, count in reached)]
    phases = [{"phase": name, "entered": n, "reached": k} for n, (name, k) in zip(before, reached, strict=False)]
    worst = max(phases, key=lambda phase: phase["entered"] - phase["reached"])
    drop = {"phase": worst["phase"], "lost": worst["entered"] - worst["reached"], "entered": worst["entered"]}
    return row(run, 0.5) | {"funnel": {"phases": phases, "total_rollouts": 10, "largest_drop": drop}}


def test_the_funnels_of_runs_stand_side_by_side_and_are_recounted() -> None:
    rows = [
        with_funnel("b", ("started", 9), ("judged", 9), ("passed", 5)),
        with_funnel("a", ("started", 4), ("answered", 4), ("passed", 3)),
        {**row("old", 0.5), "funnel": None},
    ]
    board = {"leaderboard": rows, "sentence": ""}
    text = build_benchmark_page("sums", Pairs.of([]), board, [])["comparison.md"].decode()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    start = lines.index("| Rollouts of run | Model | started | answered | judged | passed | Largest drop-off |")
    assert lines[start + 2 : start + 4] == [
        "| `b` | `m` | 9 of 10 | not observable | 9 of 10 | 5 of 10 | `passed` (4 of 9 that entered) |",
        "| `a` | `m` | 4 of 10 | 4 of 10 | not observable | 3 of 10 | `started` (6 of 10 that entered) |",
    ]
    verifier = PageVerifier(["a", "b", "old"], board, Pairs.of([]))
    assert verifier.report(text)["ok"]
    errors = {"| 9 of 10 | not": "| 8 of 10 | not", "(6 of 10": "(7 of 10", "| `a` | `m` | 4": "| `x` | `m` | 4"}
    for right, planted in errors.items():
        assert text.count(right) == 1
        assert not verifier.report(text.replace(right, planted))["ok"]


def test_same_inputs_same_bytes_and_one_run_is_no_comparison() -> None:
    board = {"leaderboard": [row("a", None)], "sentence": "There is no second scored run to rank against."}
    first = build_benchmark_page("sums", Pairs.of([]), board, [])
    assert first == build_benchmark_page("sums", Pairs.of([]), board, [])
    assert "Cannot be supported: a comparison of two runs." in first["comparison.md"].decode()


def test_graded_runs_are_told_by_their_mean_score_and_recounted() -> None:
    """No rollout reaches the pass mark: pass@1 stands beside the mean score, which orders and is plotted."""

    def graded(run: str, mean: float) -> dict[str, Any]:
        found = row(run, 0.0) | {"low": 0.0, "high": 0.25, "headline_metric": "mean_reward", "mean_reward": mean}
        return found | {"mean_reward_low": mean - 0.05, "mean_reward_high": mean + 0.05}

    board = {"leaderboard": [graded("b", 0.7), graded("a", 0.5)], "sentence": ""}
    files = build_benchmark_page("sums", Pairs.of([]), board, [])
    text = files["comparison.md"].decode()
    assert "Runs in order of mean score:" in text
    assert "| [b](b/report.md) | `m` | 0.7 | 0.65 to 0.75 | 0.0% | 1 to 2 | 10 | 90.0% |" in text
    assert "| `a` | 1 | `2026-10-19 21:00` | `m` | 0.5 | 0.45 to 0.55 | 0.0% | 90.0% | 25.0% |" in text
    assert "Mean score of each run, with its interval for new tasks" in files["index.html"].decode()
    verifier = PageVerifier(["a", "b"], board, Pairs.of([]))
    assert verifier.report(text)["ok"]
    for right, planted in {"0.7 | 0.65": "0.6 | 0.65", "0.45 to 0.55": "0.45 to 0.65"}.items():
        assert not verifier.report(text.replace(right, planted))["ok"]
