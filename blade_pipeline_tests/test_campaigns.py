"""The campaigns run, on a little of what they try, and see a fault where there is one."""

from pathlib import Path

import pytest

from blade_pipeline.gym import read_rollouts
from blade_pipeline_tests.campaigns import guided, kills, motion, rows
from blade_pipeline_tests.gym.run_folder import jsonl, rollout, write_run

pytestmark = pytest.mark.long


def test_two_spoilt_files_are_read_as_they_are() -> None:
    classes, wrong = rows.campaign(files=2, seed=20261130)
    assert wrong == []
    assert classes.total() >= 2 * rows.LINES_OF_A_FILE
    assert min(classes["row"], classes["invalid_json"], classes["invalid_utf8"]) > 0


def test_a_line_of_another_class_or_place_is_seen(tmp_path: Path) -> None:
    content = jsonl(rollout(0, 0, 1.0)) + b"{torn"
    table = read_rollouts(write_run(tmp_path, content))
    assert rows.wrong_lines(content, table) == []
    assert rows.wrong_lines(b" " + content, table)[0].startswith("line 1 is said to be (1, 0, ")
    assert rows.wrong_lines(content.replace(b"{torn", b"{}   "), table) == ["line 2: class torn, and an object: True"]
    assert rows.wrong_lines(content + b"\n{}", table) == ["2 rows for 3 lines"]


def test_what_a_fuzzer_makes_is_read_and_a_fault_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guided.seeds(tmp_path / "seeds", seed=20261130)
    target = guided.Target(tmp_path / "runs")
    made = [path.read_bytes() for path in sorted((tmp_path / "seeds").iterdir())]
    for content in made:
        target(content)
    assert (target.files, target.wrong) == (300, {})
    assert target.lines == sum(content.count(b"\n") + (content[-1:] not in (b"", b"\n")) for content in made)
    monkeypatch.setattr(rows, "CLASSES", {"blank"})
    target(b"{}")
    assert target.wrong == {"line 1: class row": b"{}"}


def test_a_kill_in_a_stage_is_mended_and_a_byte_that_is_not_is_seen(tmp_path: Path) -> None:
    campaign = kills.Campaign(tmp_path, "run")
    name = next(name for name in campaign.right if name.endswith("report.md"))
    campaign.right[name] += b"a byte that no analysis writes"
    found = campaign.killed_in(tmp_path / "one", "coverage", 0.0)
    assert found.wrong == [f"{name} differs"]
    assert found.place in kills.PLACES[kills.PLACES.index("coverage") :]


def test_directories_in_motion_are_read_once_when_they_rest_and_a_hasty_reading_is_seen() -> None:
    told = motion.story(seed=20261130, moves=25)
    assert told.wrong == []
    assert told.analyses > 2
    told.written = dict.fromkeys(told.analysed, told.clock.now)
    run = next(iter(told.analysed))
    told.judge(run, "the same", 1)
    told.judge(run, "the same", 1)
    assert told.wrong == [
        f"{run} was analysed 0 s after a write",
        f"{run} was analysed again as it was",
        f"{run} was analysed 0 s after a write",
    ]
