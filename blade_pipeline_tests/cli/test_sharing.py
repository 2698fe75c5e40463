"""The command builds the editions to share on demand, anew when the profile or the key changes, or not at all."""

import json
from pathlib import Path

import pytest

from blade_pipeline.reporting.sharing import build
from blade_pipeline_tests.cli.conftest import Blade

pytestmark = pytest.mark.long

FILES = {
    "report.md",
    "report.html",
    "metrics.json",
    "coverage.json",
    "comparability.json",
    "anchor_facts.json",
    "shallow.md",
}


@pytest.fixture
def shared(blade: Blade, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shareable folder of a small run called after a person."""
    monkeypatch.delenv("BLADE_SHARE_KEY", raising=False)
    run = blade.folder / "runs/quiz/jdoe-2"
    run.mkdir(parents=True)
    rows = [
        {"_ng_task_index": task, "_ng_rollout_index": n, "reward": (task + n) % 2} for task in range(3) for n in (0, 1)
    ]
    (run / "rollouts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (blade.folder / "profiles").mkdir()
    return blade.folder / "store/shareable"


def analyze(blade: Blade, *more: str) -> tuple[int, str]:
    said = blade("analyze", "runs", "--store", "store", "--profiles", "profiles", *more)
    return said.code, said.err


def test_editions_are_made_on_demand_and_only_when_something_changed(blade: Blade, shared: Path) -> None:
    assert analyze(blade)[0] == 0
    assert not shared.exists()
    assert analyze(blade, "--shareable")[0] == 0
    assert {path.name for path in (shared / "quiz/jdoe-2").iterdir()} == FILES
    assert {path.name for path in (shared / "quiz").iterdir() if path.is_file()} == {
        "index.html",
        "comparison.md",
        "comparison.json",
    }
    assert "nothing changed" in analyze(blade, "--shareable")[1]
    report = (shared / "quiz/jdoe-2/report.md").read_text()
    assert "pass@1 is 50.0%, the mean over 3 tasks (3 of 6 measured rollouts pass)" in report


def test_a_new_private_term_moves_the_edition_to_a_pseudonym(blade: Blade, shared: Path) -> None:
    analyze(blade, "--shareable")
    (blade.folder / "profiles/quiz.yaml").write_text("private_terms: [jdoe]\n")
    assert analyze(blade, "--shareable")[0] == 0
    [folder] = [path for path in (shared / "quiz").iterdir() if any(path.glob("*.md"))]
    assert folder.name.startswith("run-")
    assert not any("jdoe" in path.read_text() for path in shared.rglob("*") if path.is_file())


def test_a_new_key_gives_new_pseudonyms(blade: Blade, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analyze(blade, "--shareable")
    before = (shared / "quiz/jdoe-2/coverage.json").read_text()
    monkeypatch.setenv("BLADE_SHARE_KEY", "another key, long enough")
    analyze(blade, "--shareable")
    after = (shared / "quiz/jdoe-2/coverage.json").read_text()
    assert before != after
    assert "another key" not in after


def test_a_hit_shares_nothing_and_removes_the_older_edition(blade: Blade, shared: Path) -> None:
    analyze(blade, "--shareable")
    (blade.folder / "profiles/quiz.yaml").write_text("private_terms: [always pass]\n")
    code, said = analyze(blade, "--shareable")
    assert code == 1
    assert (
        "shareable_report of quiz/jdoe-2 failed: nothing_private_is_shared: nothing was shared: private term in" in said
    )
    assert "Task Outcome Buckets" in said
    assert "always pass" not in said
    assert list((shared / "quiz/jdoe-2").iterdir()) == []


def test_the_gate_reads_the_very_files(blade: Blade, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that lets a text into a page is stopped, by kind and section."""
    monkeypatch.setattr(build, "shallow_baseline", lambda *_: "## Left over\n\n&#110;vapi-Zx81kQwErTyUiOp00112233\n")
    code, said = analyze(blade, "--shareable")
    assert code == 1
    assert "nothing was shared: secret in shallow.md, Left over" in said
    assert "Zx81" not in said
    assert not list(shared.rglob("report.md"))
