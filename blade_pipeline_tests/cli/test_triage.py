"""Score triage from the command line: two runs, a published score, and every place that shows them agrees."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from blade_pipeline.example import write_example
from blade_pipeline.method.comparison import Pairs
from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.analysed import analysed
from blade_pipeline_tests.cli.conftest import Blade

pytestmark = pytest.mark.long

BENCHMARK = "ledger_math"
REFERENCES = [
    {"name": "model card", "score": 0.44, "sample_size": 500, "date_read": "2026-10-12",
     "config": {"temperature": 0.6, "judge": "arbiter-14b"}},
    {"name": "leaderboard", "score": 44, "scale": "percent"},
    {"name": "hot", "score": 0.44, "date_read": "2026-10-12", "config": {"temperature": 1.0}},
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of two benchmarks, one run without rollouts, one whose metrics have no rows, and references."""
    folder = tmp_path_factory.mktemp("triage")
    write_example(folder / "runs", tasks=8, repeats=2, models=3)
    [inputs, *_] = sorted((folder / "runs" / BENCHMARK).glob("*/rollouts_materialized_inputs.jsonl"))
    for name in ("never-started", "rowless"):
        lost = folder / "runs" / BENCHMARK / name
        lost.mkdir()
        (lost / inputs.name).write_bytes(inputs.read_bytes())
    (lost / "rollouts.jsonl").write_text("")
    (lost / "rollouts_aggregate_metrics.json").write_text("[]")
    (folder / "references").mkdir()
    (folder / "references" / f"{BENCHMARK}.yaml").write_text(yaml.safe_dump({"references": REFERENCES}))
    return analysed(folder)


@pytest.fixture
def triage(blade: Blade, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Blade:
    monkeypatch.setenv("BLADE_STORE", str(folder / "store"))
    return blade


def document(folder: Path, asset: str, run: str | None = None) -> dict[str, Any]:
    return dict(Store(str(folder / "store")).read(asset, Cell(BENCHMARK, run)).artifact.document or {})


def pairs_of(folder: Path) -> list[dict[str, Any]]:
    return list(Pairs(Store(str(folder / "store")).read("comparability", Cell(BENCHMARK)).artifact.table))


def test_every_place_shows_the_same_pair_to_the_digit(triage: Blade, folder: Path) -> None:
    published = folder / "store" / "reports" / BENCHMARK
    page = json.loads((published / "comparison.json").read_text())["pairs"]
    pairs = {(pair["run_a"], pair["run_b"]): pair for pair in pairs_of(folder)}
    assert len(pairs) == 10
    assert {(pair["run_a"], pair["run_b"]): pair for pair in page} == pairs
    compared = 0
    for (first, second), pair in pairs.items():
        assert triage("compare", BENCHMARK, first, second, "--json").json == pair
        own = document(folder, "run_comparison", second)
        if own["baseline"] == first:
            compared += 1
            assert own["pairs"] == [pair]
            assert json.loads((published / second / "comparability.json").read_text()) == [pair]
    assert compared == 4
    board = document(folder, "model_comparison")["leaderboard"]
    whole = {row["run"]: row["pass_at_1"] for row in board}
    for pair in page:
        if pair["pairing"]["only_a"] == pair["pairing"]["only_b"] == 0 and pair["mix"]["difference"] is not None:
            assert pair["mix"]["a"] == whole[pair["run_a"]]


def test_triage_is_what_the_report_shows_of_the_reference(triage: Blade, folder: Path) -> None:
    shown = document(folder, "run_comparison", "lumen-8b")["references"]
    for entry in shown:
        assert triage("triage", BENCHMARK, "lumen-8b", "--reference", entry["name"], "--json").json == entry
    said = triage("triage", BENCHMARK, "lumen-8b", "--reference", "leaderboard")
    assert said.code == 0
    assert "a rough target, not a contract: it comes without a config or a date" in said.out
    assert said.out.startswith("verdict: insufficient_evidence\nlumen-8b lies ")


def test_an_unknown_reference_is_a_usage_error_that_names_the_known(triage: Blade) -> None:
    said = triage("triage", BENCHMARK, "lumen-8b", "--reference", "model cart")
    assert (said.code, said.out) == (2, "")
    assert "did you mean 'model card'?" in said.err
    said = triage("triage", "shop_tools", runs_of(triage, "shop_tools")[0], "--reference", "model card")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "has no references; write shop_tools.yaml" in said.err


def test_a_run_is_not_held_against_itself(triage: Blade) -> None:
    said = triage("compare", BENCHMARK, "lumen-8b", "lumen-8b")
    assert (said.code, said.out) == (2, "")
    assert "lumen-8b is one run, which cannot be held against itself: name another run." in said.err


def runs_of(triage: Blade, benchmark: str) -> list[str]:
    query = f"select distinct run from pass_at_k where benchmark = '{benchmark}' order by run"
    return [row["run"] for row in triage("sql", query, "--json").json["rows"]]


def test_a_run_without_rollouts_is_a_debugging_case_and_the_others_are_compared(triage: Blade, folder: Path) -> None:
    found = document(folder, "comparability")
    assert [case["run"] for case in found["debugging"]] == ["never-started", "rowless"]
    never, rowless = found["debugging"]
    assert never["missing"][0] == "there is no rollouts file"
    assert "16 of 16 expected rollouts left no trace" in never["missing"]
    assert rowless["missing"][0] == "its rollouts file is empty"
    assert "its aggregate metrics have no rows to stand on" in rowless["missing"]
    pair = triage("compare", BENCHMARK, "lumen-8b", "never-started", "--json").json
    assert pair["verdict"] == "insufficient_evidence"
    assert "never-started is a debugging case: there is no rollouts file" in pair["sentence"]
    assert pair["settle"][0].startswith("Find out why never-started failed: ")
    others = [p for p in pairs_of(folder) if not p["debugging"]]
    assert len(others) == 3
    assert all(pair["difference"]["value"] is not None for pair in others)
    said = triage("triage", BENCHMARK, "never-started", "--reference", "model card")
    assert "never-started is a debugging case" in said.out
