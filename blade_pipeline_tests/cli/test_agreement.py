"""One pair, many places: documents, pages, reports and both commands say the same words and digits of it."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from blade_pipeline.example import write_example
from blade_pipeline.method.comparison import Pairs
from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.analysed import analysed
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.method.comparison import planting
from blade_pipeline_tests.method.comparison.causes import other_judge, zeros_to_sidecar
from blade_pipeline_tests.method.comparison.planting import Planted, system

pytestmark = pytest.mark.long

EXAMPLE = ("ledger_math", "shop_tools")
PLANTED = ("sums", "graded")
REFERENCES = [
    {"name": name.replace("^", "-hat-"), "metric": name, "score": 0.4, "sample_size": 90}
    for name in ("pass@1", "pass@2", "pass^2", "mean_reward", "mean/reward", "pass@1/accuracy")
]
SPAN = r"([+-]?[\d.]+ points) to ([+-]?[\d.]+ points)"


def graded(seed: int) -> Planted:
    """A run whose scores lie between 0 and 3."""
    run = system(seed, 12, 2)
    for number, row in enumerate(run.rows):
        row["reward"] = 3.0 * row["reward"] if number % 3 else 1.25
    return run


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's runs; pairs of one repeat, of several, of a gain, of lost rows, of another judge; graded scores."""
    folder = tmp_path_factory.mktemp("agreement")
    write_example(folder / "runs", tasks=8, repeats=2, models=3)
    lost, judged = system(5), system(6)
    zeros_to_sidecar(lost)
    other_judge(judged)
    runs = [system(1), system(3, gain=0.2), lost, judged, system(7, repeats=1), system(8, repeats=1)]
    for number, run in enumerate(runs):
        run.write(folder / "runs", f"job-{number}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planting, "BENCHMARK", "graded")
        for number in (1, 2):
            graded(number).write(folder / "runs", f"graded-{number}")
    (folder / "references").mkdir()
    for benchmark in (*EXAMPLE, *PLANTED):
        (folder / "references" / f"{benchmark}.yaml").write_text(yaml.safe_dump({"references": REFERENCES}))
    return analysed(folder)


@pytest.fixture
def ask(blade: Blade, place: Path, monkeypatch: pytest.MonkeyPatch) -> Blade:
    monkeypatch.setenv("BLADE_STORE", str(place / "store"))
    return blade


def document(place: Path, asset: str, benchmark: str, run: str | None = None) -> dict[str, Any]:
    return dict(Store(str(place / "store")).read(asset, Cell(benchmark, run)).artifact.document or {})


def pairs_of(place: Path, benchmark: str) -> list[dict[str, Any]]:
    return list(Pairs(Store(str(place / "store")).read("comparability", Cell(benchmark)).artifact.table))


def published(place: Path, *names: str) -> str:
    return place.joinpath("store", "reports", *names).read_text()


def plain(markdown: str) -> str:
    """Markdown without its escapes and code marks."""
    return re.sub(r"\\([^\w\s])", r"\1", markdown).replace("`", "")


def flat(text: str) -> str:
    """Text on one line, however wide the place that shows it."""
    return " ".join(text.split())


@pytest.mark.parametrize("benchmark", [*EXAMPLE, *PLANTED])
def test_every_pair_is_one_object_in_every_document(ask: Blade, place: Path, benchmark: str) -> None:
    pairs = pairs_of(place, benchmark)
    runs = document(place, "comparability", benchmark)["runs"]
    assert len(pairs) == len(runs) * (len(runs) - 1) // 2 > 0
    assert json.loads(published(place, benchmark, "comparison.json"))["pairs"] == pairs
    shown = 0
    for pair in pairs:
        assert ask("compare", benchmark, pair["run_a"], pair["run_b"], "--json").json == pair
        own = document(place, "run_comparison", benchmark, pair["run_b"])
        if own["baseline"] == pair["run_a"]:
            shown += 1
            assert (
                own["pairs"] == json.loads(published(place, benchmark, pair["run_b"], "comparability.json")) == [pair]
            )
    assert shown == len(runs) - 1


@pytest.mark.parametrize("benchmark", [*EXAMPLE, *PLANTED])
def test_every_text_shows_the_pairs_own_words_and_digits(ask: Blade, place: Path, benchmark: str) -> None:
    page = plain(published(place, benchmark, "comparison.md"))
    for pair in pairs_of(place, benchmark):
        a, b, gap = pair["run_a"], pair["run_b"], pair["difference"]
        said = ask("compare", benchmark, a, b).out
        assert flat(said).startswith(f"verdict: {pair['verdict']} {pair['sentence']} {pair['paragraph']} ")
        texts = [flat(said), page]
        if document(place, "run_comparison", benchmark, b)["baseline"] == a:
            texts.append(plain(published(place, benchmark, b, "report.md")))
        for text in texts:
            assert pair["sentence"] in text
            assert amount(gap["value"], gap["metric"]) in text
        if gap["metric"] != "pass@1":
            continue
        [row] = [line for line in page.splitlines() if line.startswith(f"| {a} | {b} |")]
        spans = re.findall(SPAN, pair["paragraph"])
        assert len(spans) >= 1
        assert f"{amount(gap['value'], 'pass@1')} | {spans[0][0]} to {spans[0][1]} |" in row
        assert re.search(rf"interval, new tasks +{re.escape(' to '.join(spans[0]))}", said)


def amount(value: float, metric: str) -> str:
    """What a difference must look like: one decimal of a point, or three of a plain score; halves go away from zero."""
    shown, step = (100 * value, "0.1") if metric == "pass@1" else (value, "0.001")
    digits = Decimal(str(round(shown, 9))).quantize(Decimal(step), ROUND_HALF_UP)
    if metric == "pass@1":
        return f"{digits:+} points".replace("+0.0", "0.0").replace("-0.0", "0.0")
    return f"{digits:f}".rstrip("0").rstrip(".")


@pytest.mark.parametrize("benchmark", [*EXAMPLE, *PLANTED])
def test_the_pairs_numbers_hang_together(place: Path, benchmark: str) -> None:
    pairs = pairs_of(place, benchmark)
    known = [pair["difference"] for pair in pairs if pair["difference"]["value"] is not None]
    assert known
    for gap in known:
        for name in ("new_tasks", "these_tasks"):
            assert gap[name]["estimate"] == gap["value"] == pytest.approx(gap["b"] - gap["a"], abs=1e-12)
        assert gap["tost"]["mean"] == gap["value"] == pytest.approx(gap["accountings"]["observed"], abs=1e-12)
        assert gap["tost"]["se"] == gap["new_tasks"]["se"]
        if gap["mde"]["value"] is not None:
            assert gap["mde"]["value"] >= 2.8 * gap["new_tasks"]["se"]
        if gap["noise_floor"] is not None:
            assert gap["noise_floor"]["band95"] == pytest.approx(1.959964 * gap["noise_floor"]["sd"], rel=1e-6)


@pytest.mark.parametrize("benchmark", [*EXAMPLE, *PLANTED])
def test_the_leaderboard_is_the_runs_own_scores_and_the_pairs_verdicts(place: Path, benchmark: str) -> None:
    board = document(place, "model_comparison", benchmark)
    page = json.loads(published(place, benchmark, "comparison.json"))
    assert [row["run"] for row in page["runs"]] == [row["run"] for row in board["leaderboard"]]
    assert board["sentence"] in plain(published(place, benchmark, "comparison.md"))
    decided = [pair for pair in page["pairs"] if pair["verdict"] == "model_change"]
    for row in board["leaderboard"]:
        metrics = json.loads(published(place, benchmark, row["run"], "metrics.json"))
        interval = metrics["intervals"].get("pass_at_1") or {"low": None, "high": None}
        assert (row["pass_at_1"], row["low"], row["high"]) == (
            metrics["pass_at_1"], interval["low"], interval["high"],
        )  # fmt: skip
        assert (row["num_tasks"], row["num_rollouts"]) == (metrics["num_tasks"], metrics["num_rollouts"])
        if row["rank_low"] is not None:
            lost = [p for p in decided if row["run"] == (p["run_a"] if p["difference"]["value"] > 0 else p["run_b"])]
            assert row["rank_low"] == 1 + len(lost)


@pytest.mark.parametrize("benchmark", [*EXAMPLE, *PLANTED])
def test_triage_is_the_reports_reference_for_every_metric(ask: Blade, place: Path, benchmark: str) -> None:
    run = document(place, "comparability", benchmark)["runs"][-1]
    shown = document(place, "run_comparison", benchmark, run)["references"]
    report = plain(published(place, benchmark, run, "report.md"))
    metrics = json.loads(published(place, benchmark, run, "metrics.json"))
    assert [entry["metric"] for entry in shown] == [entry["metric"] for entry in REFERENCES]
    for entry in shown:
        assert ask("triage", benchmark, run, "--reference", entry["name"], "--json").json == entry
        said = ask("triage", benchmark, run, "--reference", entry["name"]).out
        assert flat(said).startswith(f"verdict: {entry['verdict']} {entry['sentence']} {entry['paragraph']} ")
        assert entry["sentence"] in report
        own = {"pass@1": metrics["pass_at_1"], "pass@2": metrics["pass_at"].get("2", {}).get("value"),
               "pass^2": metrics["pass_hat"].get("2", {}).get("value")}  # fmt: skip
        if entry["metric"] in own:
            assert entry["own"] == own[entry["metric"]]
        if entry["own"] is not None:
            assert entry["difference"] == entry["own"] - 0.4
