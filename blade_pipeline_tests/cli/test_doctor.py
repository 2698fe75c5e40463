"""``blade doctor`` for people and for programs."""

import shutil
from pathlib import Path

from blade_pipeline_tests.cli.conftest import Blade


def test_a_whole_installation_exits_0_and_says_so(blade: Blade, example: Path) -> None:
    said = blade("doctor", str(example / "runs"), "--store", str(example / "store"))
    assert (said.code, said.err) == (0, "nothing needs a hand\n")
    assert said.out.startswith("blade 0.1.0, dagster 1.13.")
    assert "every artifact of 4 runs follows from what is there" in said.out


def test_what_needs_a_hand_exits_1_with_what_to_do(blade: Blade, example: Path) -> None:
    shutil.copytree(example / "runs", blade.folder / "runs")
    said = blade("doctor", "runs", "--store", "store", "--json")
    assert said.code == 1
    assert said.json["needs_a_hand"] is True
    assert [(found["what"], found["do"]) for found in said.json["findings"] if found["level"] == "act"] == [
        ("none of 4 runs was analysed yet", "run blade analyze")
    ]
    assert not (blade.folder / "store").exists()
    assert blade("doctor", "nowhere").code == 1
