"""``blade verify``: our own reports hold, planted errors are found, exit codes and JSON."""

import copy
import json
import re
from pathlib import Path

import pytest

from blade_pipeline.assets import blade_report
from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.reporting import ReportInputs
from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.cli.planting import KINDS, chosen, planted

pytestmark = pytest.mark.long


def verifier_of(store: Store, cell: Cell) -> Verifier:
    return Verifier(
        Evidence.read(
            cell.benchmark,
            str(cell.run),
            lambda asset: store.read(asset, cell).artifact.table,
            lambda asset: dict(store.read(asset, cell).artifact.document or {}),
        )
    )


def reports_of(store: Path) -> list[Path]:
    return sorted(store.glob("reports/*/*/report.md"))


def test_our_own_reports_and_sidecars_hold(example: Path) -> None:
    paths = reports_of(example / "store")
    assert len(paths) == 4
    for path in paths:
        verifier = verifier_of(Store(example / "store"), Cell(*path.parts[-3:-1]))
        found = verifier.report(path.read_text())
        assert [figure for figure in found["figures"] if figure["status"] == "contradicted"] == []
        assert (found["totals"], found["ids"]) == ([], [])
        assert found["counts"]["unplaced"] <= 0.02 * found["counts"]["confirmed"]


def test_the_published_metrics_follow_from_the_rows(blade: Blade, example: Path) -> None:
    for path in reports_of(example / "store"):
        metrics = path.parent / "metrics.json"
        said = blade("verify", str(metrics), *path.parts[-3:-1], "--store", str(example / "store"), "--json")
        assert said.code == 0
        named = [figure for figure in said.json["figures"] if "/" not in figure["context"]]
        unplaced = {figure["context"] for figure in named if figure["status"] == "unplaced"}
        assert unplaced <= {"schema_version", "pass_threshold", "mean_reward", "best_of", "model", "model_name",
                            "dominant_failure_type"}  # fmt: skip


def planted_by(text: str, pattern: str, put: str) -> str:
    """The report with the first number of a pattern's group replaced."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found is not None, pattern
    return text[: found.start(1)] + put + text[found.end(1) :]


PLANTED = {
    "headline": (r"pass@1 is (\d+\.\d)%", "99.9"),
    "passed rollouts": (r"(\d+) of 8 (?:measured )?rollouts pass", "7"),
    "micro table cell": (r"^\| pass@1 \(micro\) \| (\d+\.\d)%", "98.7"),
    "accounting row": (r"^\| measured \| (\d+) \|", "77"),
    "accounting sum": (r"^\| sum \| (\d+) \| 100", "78"),
    "lines": (r"The rollout files hold (\d+) lines", "79"),
    "bucket": (r"^\| S  sometimes pass \| (\d+) \|", "97"),
    "curve": (r"^\| 2 \| (\d+\.\d)% \|", "96.5"),
    "funnel": (r"^Workflow phases[\s\S]*?^\| [^|]+ \| \d+\.\d% \((\d+) of", "95"),
    "rollout id": (r"^\| `(\d+-\d+)` \(`rollouts.jsonl` line \d+\) \|", "94-1"),
}


def test_ten_errors_planted_in_our_report_are_ten(blade: Blade, example: Path) -> None:
    path = next(path for path in reports_of(example / "store") if "ledger_math" in str(path))
    text = path.read_text()
    for name, (pattern, put) in PLANTED.items():
        (blade.folder / "one.md").write_text(planted_by(text, pattern, put))
        said = blade("verify", "one.md", *path.parts[-3:-1], "--store", str(example / "store"), "--json")
        assert said.code == 1, name
        assert put in said.out, name
        text = planted_by(text, pattern, put)
    (blade.folder / "all.md").write_text(text)
    said = blade("verify", "all.md", *path.parts[-3:-1], "--store", str(example / "store"))
    assert said.code == 1
    missing = [put for _, put in PLANTED.values() if not re.search(rf"(?<!\d){re.escape(put)}", said.out)]
    assert missing == []


@pytest.mark.parametrize("seed", range(3))
def test_an_error_of_every_kind_is_found_in_every_report(example: Path, seed: int) -> None:
    seen: set[str] = set()
    for path in reports_of(example / "store"):
        verifier, lines = verifier_of(Store(example / "store"), Cell(*path.parts[-3:-1])), path.read_text().splitlines()
        places = chosen(lines, seed)
        assert len(places) >= 10
        missed = [kind for kind, spot in places.items() if not told(verifier, planted(lines, spot))]
        assert missed == [], path
        seen |= places.keys()
    assert seen == KINDS


def told(verifier: Verifier, lines: list[str]) -> bool:
    return not verifier.report("\n".join(lines))["ok"]


def test_our_own_coverage_and_pages_hold(blade: Blade, example: Path) -> None:
    store = ("--store", str(example / "store"), "--json")
    for path in reports_of(example / "store"):
        said = blade("verify", str(path.parent / "coverage.json"), *path.parts[-3:-1], *store)
        assert (said.code, said.json["counts"]["unplaced"]) == (0, 0)
        assert said.json["counts"]["confirmed"] > 30
    for page in sorted((example / "store").glob("reports/*/comparison.md")):
        said = blade("verify", str(page), page.parts[-2], *store)
        assert said.code == 0
        assert said.json["counts"]["unplaced"] <= 0.02 * said.json["counts"]["confirmed"]


def test_errors_planted_in_coverage_are_found_by_their_path(blade: Blade, example: Path) -> None:
    path = next(path for path in reports_of(example / "store") if "ledger_math" in str(path))
    document = json.loads((path.parent / "coverage.json").read_text())
    assert document["accounting"]["expected"] == 8
    for change in (lambda d: d["accounting"], lambda d: d["by"]["task"][2], lambda d: d["by"]["repeat"][1]):
        wrong = copy.deepcopy(document)
        change(wrong)["measured"] += 1
        (blade.folder / "coverage.json").write_text(json.dumps(wrong))
        said = blade("verify", "coverage.json", *path.parts[-3:-1], "--store", str(example / "store"), "--json")
        assert said.code == 1
        found = [x["context"] for x in said.json["figures"] if x["status"] == "contradicted"]
        assert len(found) == 1
        assert found[0].endswith("/measured")


PLANTED_IN_PAGE = {
    "pass@1": r"^\| \[?[^|]*\| [^|]* \| (\d+\.\d)% \|",
    "interval": r"^\| \[?[^|]*\| [^|]* \| \d+\.\d% \| (\d+\.\d)% to",
    "coverage": r"^\| \[?[^|]*\| [^|]* \| \d+\.\d% \| .* (\d+\.\d)% \|$",
    "pair": r"^\| `[^`]+` \| `[^`]+` \| [^|]+ \| [+-]?(\d+\.\d) points",
    "quantity": r"^\| difference \| [+-]?(\d+\.\d) points",
    "runs": r"^(\d+) runs, ",
    "flips": r"^Tasks gained: (\d+)",
}


@pytest.mark.parametrize("kind", PLANTED_IN_PAGE)
def test_an_error_planted_in_a_page_is_contradicted(blade: Blade, example: Path, kind: str) -> None:
    page = min((example / "store").glob("reports/*/comparison.md"))
    (blade.folder / "page.md").write_text(planted_by(page.read_text(), PLANTED_IN_PAGE[kind], "66.6"))
    said = blade("verify", "page.md", page.parts[-2], "--store", str(example / "store"), "--json")
    assert said.code == 1
    assert [x["text"].strip("+-% points") for x in said.json["figures"] if x["status"] == "contradicted"] == ["66.6"]


def test_a_run_that_a_page_names_must_be_there(blade: Blade, example: Path) -> None:
    page = min((example / "store").glob("reports/*/comparison.md"))
    run = next(path.name for path in page.parent.iterdir() if path.is_dir())
    (blade.folder / "page.md").write_text(page.read_text().replace(f"[{run}]", "[other]"))
    said = blade("verify", "page.md", page.parts[-2], "--store", str(example / "store"), "--json")
    assert [(found["kind"], found["id"]) for found in said.json["ids"]] == [("run", "other")]
    (blade.folder / "page.md").write_text(page.read_text().replace(f"[{run}]", r"[\[not shown\]]"))
    assert blade("verify", "page.md", page.parts[-2], "--store", str(example / "store"), "--json").json["ids"] == []


def test_a_report_with_a_wrong_figure_stays_out_of_the_record(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> None:
    blade("example", "runs", "--tasks", "2", "--repeats", "2", "--models", "1")
    build, sound = blade_report.build_report, ("analyze", "runs", "--benchmark", "ledger_math")

    def built(given: ReportInputs) -> dict[str, bytes]:
        files = build(given)
        text = planted_by(files["report.md"].decode(), r"^\| measured \| (\d+) \|", "77")
        return files | {"report.md": text.encode()}

    monkeypatch.setattr(blade_report, "build_report", built)
    for _ in range(2):
        said = blade(*sound)
        assert said.code == 1
        (sentence,) = re.findall(r"blade: blade_report of ledger_math/.*", said.err)
        assert re.search(
            r"figures_are_borne_out: a count in report.md, line \d+ is not what the rows say; a total in", sentence
        )
        assert "77" not in re.sub(r"line \d+", "", said.err)
    monkeypatch.setattr(blade_report, "build_report", build)
    assert blade(*sound).code == 0


def test_wrong_usage(blade: Blade, example: Path) -> None:
    (blade.folder / "r.md").write_text("# R\n")
    assert blade("verify", "r.md", "ledger_math", "nobody", "--store", str(example / "store")).code == 2
    assert blade("verify", "nowhere.md", "b", "r", "--store", str(example / "store")).code == 2
    assert blade("verify", "r.md", "b", "r", "--store", "empty").code == 2
