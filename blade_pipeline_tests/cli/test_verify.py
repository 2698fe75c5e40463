"""``blade verify``: our own reports hold, planted errors are found, exit codes and JSON."""

import re
from pathlib import Path

from blade_pipeline.method.verification import Evidence, Verifier
from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.cli.conftest import Blade


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


def planted(text: str, pattern: str, put: str) -> str:
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
        (blade.folder / "one.md").write_text(planted(text, pattern, put))
        said = blade("verify", "one.md", *path.parts[-3:-1], "--store", str(example / "store"), "--json")
        assert said.code == 1, name
        assert put in said.out, name
        text = planted(text, pattern, put)
    (blade.folder / "all.md").write_text(text)
    said = blade("verify", "all.md", *path.parts[-3:-1], "--store", str(example / "store"))
    assert said.code == 1
    missing = [put for _, put in PLANTED.values() if not re.search(rf"(?<!\d){re.escape(put)}", said.out)]
    assert missing == []


def test_wrong_usage(blade: Blade, example: Path) -> None:
    (blade.folder / "r.md").write_text("# R\n")
    assert blade("verify", "r.md", "ledger_math", "nobody", "--store", str(example / "store")).code == 2
    assert blade("verify", "nowhere.md", "b", "r", "--store", str(example / "store")).code == 2
    assert blade("verify", "r.md", "b", "r", "--store", "empty").code == 2
