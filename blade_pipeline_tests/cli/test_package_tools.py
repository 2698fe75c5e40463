"""The package tools on the command line: options, files, exit codes."""

import json
from pathlib import Path

from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.method.test_package import LONG, REPORT, write_package


def test_validate_says_pass_and_fail_and_exits_by_it(blade: Blade) -> None:
    folder = write_package(blade.folder / "package")
    said = blade("validate", "--benchmark-dir", str(folder))
    assert said.code == 0
    assert said.out.startswith("[PASS] D1: the skill is skill/SKILL.md")
    assert said.out.splitlines()[-1] == "Summary: 24/24 checks passed"
    (folder / "skill/SKILL.md").unlink()
    said = blade("validate", "--benchmark-dir", str(folder), "--phase", "skill")
    assert said.code == 1
    assert said.out.startswith("[FAIL] D1: there is no skill")
    assert blade("validate", "--benchmark-dir", str(folder), "--phase", "skill", "--json").json["ok"] is False
    assert blade("validate", "--benchmark-dir", str(folder), "--min-anchor-facts", "9").code == 1


def test_wrong_usage_is_exit_code_2(blade: Blade) -> None:
    assert blade("validate").code == 2
    assert blade("validate", "--benchmark-dir", "nowhere").code == 2
    assert blade("shallow", "--input", "nowhere.md", "--output", "x.md").code == 2
    (blade.folder / "r.md").write_text(REPORT)
    (blade.folder / "f.json").write_text("{")
    said = blade("score", "--report", "r.md", "--golden", "r.md", "--anchor-facts", "f.json")
    assert (said.code, said.err) == (2, "blade: f.json holds no JSON; mend it or name another file.\n")
    said = blade("anchor-facts", "--output", "o.json", "--benchmark", "b", "--model-name", "m")
    assert said.code == 2
    assert "--from-report" in said.err


def test_score_and_calibrate_print_and_write(blade: Blade) -> None:
    (blade.folder / "r.md").write_text(REPORT)
    (blade.folder / "empty.md").write_text("")
    (blade.folder / "f.json").write_text(json.dumps([{"id": "B1", "fact": "task rollout shows"}]))
    said = blade("score", "--report", "r.md", "--golden", "r.md", "--anchor-facts", "f.json", "--output-dir", "out")
    # All facts met: checklist .075 + .4, holistic .03 + .2 + .5 + .005.
    assert said.json["final_score"] == 0.605
    assert json.loads((blade.folder / "out/reward.json").read_text()) == said.json
    files = ("--golden-report", "r.md", "--anchor-facts", "f.json", "--shallow-report", "empty.md")
    said = blade("calibrate", *files, "--output-dir", "cal")
    assert (said.code, said.json["spread"]) == (0, 0.605)
    assert json.loads((blade.folder / "cal/calibration_summary.json").read_text()) == said.json
    assert (blade.folder / "cal/golden-vs-self/reward.json").exists()
    assert (blade.folder / "cal/shallow-vs-golden/reward.json").exists()
    assert blade("calibrate", *files, "--output-dir", "cal", "--min-spread", "0.7").code == 1
    assert blade("calibrate", *files, "--output-dir", "cal", "--strict").code == 1
    blade("calibrate", *files)
    assert len(list(Path(blade.folder / "calibration-runs").iterdir())) == 1


def test_shallow_writes_a_baseline(blade: Blade) -> None:
    (blade.folder / "my-report.md").write_text(REPORT)
    assert blade("shallow", "--input", "my-report.md", "--output", "deep/shallow.md").code == 0
    assert (blade.folder / "deep/shallow.md").read_text().startswith("# Shallow Baseline: my-report\n")


def test_anchor_facts_from_a_report(blade: Blade) -> None:
    (blade.folder / "r.md").write_text(LONG)
    common = ("--output", "o.json", "--benchmark", "b", "--model-name", "m")
    said = blade("anchor-facts", "--from-report", "r.md", *common, "--min-facts", "2", "--json")
    assert said.code == 0
    assert said.json == json.loads((blade.folder / "o.json").read_text())
    assert list(said.json) == [
        "benchmark",
        "model",
        "extraction_method",
        "generated_at",
        "review_required",
        "anchor_facts",
    ]
    assert said.json["extraction_method"] == "public_heuristic_blade_toolkit"
    assert said.json["generated_at"].endswith("Z")
    same = blade("anchor-facts", "--from-report", "--golden", "r.md", *common, "--min-facts", "2", "--json")
    assert same.json["anchor_facts"] == said.json["anchor_facts"]
    assert blade("anchor-facts", "--from-report", "r.md", *common).code == 1
