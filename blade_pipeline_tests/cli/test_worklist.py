"""``blade worklist``: the list, its excerpts from the run's files, and what it says when they are gone."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline_tests.cli.conftest import Blade

RUN = "data/runs/bench/m1"
EVIL = "\x1b]0;gotcha\x07 and \u202egnirts\u202c, then \x9b31m red\r\n\tnext"


def _row(task: int, repeat: int, reward: float, text: str) -> dict[str, Any]:
    asked = {"input": [{"role": "user", "content": f"Question {task}?"}]}
    output = [{"type": "message", "role": "assistant", "content": text}]
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "reward": reward,
        "responses_create_params": asked,
        "response": {"model": "m", "output": output},
        "verdict": "checked",
        "task_id": task if task != 1 else "token=abcdefgh1234",
    }


@pytest.fixture
def analysed(blade: Blade) -> Blade:
    """One run: task 0 passes once, task 1 never, task 2 always."""
    rows = [
        _row(0, 0, 1.0, "Right answer"),
        _row(0, 1, 0.0, EVIL),
        *(_row(1, repeat, 0.0, "Wrong answer, see token=abcdefgh1234") for repeat in range(2)),
        *(_row(2, repeat, 1.0, "Right answer") for repeat in range(2)),
    ]
    path = blade.folder / RUN / "rollouts.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert blade("analyze").code == 0
    return blade


def test_tasks_come_with_why_place_and_excerpts(analysed: Blade) -> None:
    said = analysed("worklist", "bench", "m1")
    assert said.code == 0
    assert said.out.startswith("1. task 0, agent: sometimes passes\n   Passes 1 of 2 measured repeats")
    assert '\n2. task 1 ("[not shown]"), agent: never passes, unexplained\n' in said.out
    assert "task 2" not in said.out
    assert "passing: rollout 0-0 (score 1)  rollouts.jsonl line 1, byte 0, " in said.out
    assert "       | Right answer\n" in said.out
    assert "     field verdict: checked\n" in said.out
    assert "       | Question 0?\n" in said.out
    assert said.err.startswith("2 of 2 tasks to read; left out: 1 always pass; files are relative to ")


def test_neither_escapes_nor_secrets_reach_the_terminal(analysed: Blade) -> None:
    for arguments in ((), ("--json",)):
        said = analysed("worklist", "bench", "m1", *arguments)
        assert "gotcha" in said.out
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r", "\t"} & set(said.out)
        assert "abcdefgh1234" not in said.out


def test_json_holds_the_same_and_the_byte_offsets_lead_to_the_rows(analysed: Blade) -> None:
    found = analysed("worklist", "bench", "m1", "--json", "--limit", "1").json
    assert (found["schema_version"], found["total"], len(found["tasks"])) == (1, 2, 1)
    [task] = found["tasks"]
    assert (task["task"], task["bucket"], task["question"]["text"]) == ("0", "sometimes_pass", "Question 0?")
    for rollout, reward in zip(task["rollouts"], (1.0, 0.0), strict=True):
        content = (Path(found["directory"]) / rollout["file"]).read_bytes()
        row = json.loads(content[rollout["offset"] : rollout["offset"] + rollout["length"]])
        assert (row["reward"], rollout["problem"]) == (reward, None)


def test_a_changed_file_gives_a_sentence_instead_of_an_excerpt(analysed: Blade) -> None:
    path = analysed.folder / RUN / "rollouts.jsonl"
    path.write_text(path.read_text().replace("Right answer", "Other answer"))
    said = analysed("worklist", "bench", "m1")
    assert said.code == 0
    assert "rollouts.jsonl has changed since the run was analysed; run blade analyze and ask again." in said.out
    assert "Other answer" not in said.out


def test_a_vanished_directory_gives_a_sentence_instead_of_an_excerpt(analysed: Blade) -> None:
    shutil.rmtree(analysed.folder / RUN)
    said = analysed("worklist", "bench", "m1")
    assert said.code == 0
    assert "is gone; put it back to read its rollouts." in said.out
    assert "Wrong answer" not in said.out


def test_wrong_usage_is_told_in_one_sentence(analysed: Blade) -> None:
    said = analysed("worklist", "bench", "m2")
    assert (said.code, said.out) == (2, "")
    assert "did you mean bench/m1?" in said.err
    assert analysed("worklist", "bench", "m1", "--limit", "0").code == 2
    assert analysed("worklist", "bench", "m1", "--store", "nowhere").code == 2
