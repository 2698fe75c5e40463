"""``blade package`` and the asset behind it."""

import json
from pathlib import Path

from blade_pipeline.storage import Cell, Store
from blade_pipeline_tests.cli.conftest import Blade


def test_a_package_is_written_and_checked_strictly(blade: Blade, example: Path) -> None:
    said = blade("package", "ledger_math", "--out", "pkg", "--store", str(example / "store"), "--json")
    failed = [finding["message"] for finding in said.json["validation"]["findings"] if not finding["ok"]]
    # Runs this small have fewer than eight anchor facts; nothing else is missing.
    assert all(message.endswith("anchor facts") for message in failed), failed
    assert said.code == (1 if failed else 0)
    folder = blade.folder / "pkg"
    runs = [run["run"] for run in said.json["runs"]]
    assert sorted(path.name for path in (folder / "rollouts").iterdir()) == [f"{run}.jsonl" for run in runs]
    assert [run["rows"] for run in said.json["runs"]] == [
        len((folder / f"rollouts/{run}.jsonl").read_text().splitlines()) for run in runs
    ]
    assert json.loads((folder / "package.json").read_text())["review_required"] is True
    names = {path.name for path in (folder / "golden_reports").iterdir()}
    endings = ("golden_report.md", "golden_report_metrics.json", "anchor_facts.json", "shallow.md")
    assert names == {f"{run}_{ending}" for run in runs for ending in endings}
    assert blade("validate", "--benchmark-dir", "pkg", "--strict", "--phase", "skill").code == 0
    again = blade("package", "ledger_math", "--out", "pkg", "--store", str(example / "store"))
    assert (again.code, "is not empty" in again.err) == (2, True)


def test_a_changed_figure_of_the_package_fails_it(blade: Blade, example: Path) -> None:
    blade("package", "ledger_math", "--out", "pkg", "--store", str(example / "store"))
    path = next((blade.folder / "pkg/golden_reports").glob("*_metrics.json"))
    metrics = json.loads(path.read_text())
    path.write_text(json.dumps(metrics | {"passed_rollouts": metrics["passed_rollouts"] + 1}))
    said = blade("validate", "--benchmark-dir", "pkg", "--strict", "--min-anchor-facts", "0")
    assert said.code == 1
    assert (
        f"passed_rollouts is {metrics['passed_rollouts'] + 1}, the rows give {metrics['passed_rollouts']}" in said.out
    )


def test_a_benchmark_that_is_not_there_is_wrong_usage(blade: Blade, example: Path) -> None:
    said = blade("package", "nobody", "--out", "pkg", "--store", str(example / "store"))
    assert (said.code, "ledger_math" in said.err) == (2, True)


def test_the_asset_says_what_the_package_lacks(example: Path) -> None:
    document = dict(Store(example / "store").read("blade_package", Cell("ledger_math")).artifact.document or {})
    parts = document["deliverables"]
    assert set(parts) == {"D1", "D2", "D3"}
    # The tests' example has no profile, two models over the same tasks, and reports whose figures hold.
    assert parts["D1"]["lacks"] == ["no benchmark profile: the skill can only speak of generic phases and modes"]
    assert parts["D2"]["ready"]
    assert parts["D2"]["has"][0] == "scored rollouts of 2 models in 2 runs"
    assert document["ready"] is False
    assert [run["contradicted"] for run in document["runs"]] == [0, 0]
