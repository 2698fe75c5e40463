"""The later stories of another hand write whole runs whose truth fits their rows; how they fare is only reported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline.example.stories import LATER, STORIES, write_story

Json = dict[str, Any]
Key = tuple[int, int]
EVERY = {(task, repeat) for task in range(60) for repeat in range(4)}


def _lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _key(row: Json) -> Key:
    return row["_ng_task_index"], row["_ng_rollout_index"]


class _Written:
    """One story's run as its files show it."""

    def __init__(self, folder: Path, name: str, seed: int) -> None:
        self.folder = write_story(folder, STORIES[name], seed=seed)
        self.rows = {_key(row): row for row in _lines(self.folder / "rollouts.jsonl")}
        self.lost = {_key(row) for row in _lines(self.folder / "rollouts_failures.jsonl")}
        self.truth: list[Json] = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["truth"]

    def planted(self, kind: str, number: int = 0) -> set[Key]:
        """Rollouts of a statement; the ``number``-th of its kind."""
        statement = [one for one in self.truth if one["kind"] == kind][number]
        return {(task, repeat) for task, repeat in statement["rollouts"]}

    def where(self, kind: str) -> Json:
        found: Json = next(one["where"] for one in self.truth if one["kind"] == kind)
        return found

    def unrewarded(self, shows: Callable[[Json], bool]) -> set[Key]:
        return {key for key, row in self.rows.items() if row["reward"] == 0 and shows(row)}

    def in_slice(self, keys: set[Key]) -> set[Key]:
        where = self.where("concentration")
        return {key for key in keys if self.rows[key][where["field"]] == where["value"]}


def _output(row: Json) -> list[Json]:
    found: list[Json] = row["response"]["output"]
    return found


def _last_text(row: Json) -> str:
    text: str = _output(row)[-1]["content"][0]["text"]
    return text


def _said_letter(row: Json) -> str | None:
    after = _last_text(row).partition("Answer: ")[2]
    return after[0] if after else None


def _right_letter(row: Json) -> str:
    return next(letter for one in row["options"] for letter, text in one.items() if text == row["expected_answer"])


def _results(row: Json) -> list[str]:
    return [item["output"] for item in _output(row) if item["type"] == "function_call_output"]


def _tools(row: Json) -> set[str]:
    return {item["name"] for item in _output(row) if item["type"] == "function_call"}


def _is_cut(row: Json) -> bool:
    return _output(row)[-1]["status"] == "incomplete"


@pytest.fixture(params=(3, 11))
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], _Written]:
    """Writes a story with one of two seeds."""
    return lambda name: _Written(tmp_path, name, request.param)


def test_they_are_five_and_each_has_a_benchmark_of_its_own() -> None:
    settings = [story.setting for story in STORIES.values() if story.setting]
    assert len({setting.benchmark.name for setting in settings}) == len(settings)
    assert len(LATER) == len(set(LATER)) == 5


@pytest.mark.parametrize("name", LATER)
def test_every_rollout_is_there_once_and_its_calls_are_answered(name: str, written: Callable[[str], _Written]) -> None:
    run = written(name)
    assert run.rows.keys() | run.lost == EVERY
    assert not run.rows.keys() & run.lost
    assert all(set(map(tuple, one["rollouts"])) <= EVERY for one in run.truth)
    for row in run.rows.values():
        calls = [item["call_id"] for item in _output(row) if item["type"] == "function_call"]
        assert calls == [item["call_id"] for item in _output(row) if item["type"] == "function_call_output"]
        assert len(set(calls)) == len(calls)


def test_right_answers_with_late_letters_are_all_rejected(written: Callable[[str], _Written]) -> None:
    run = written("late-letters")
    rejected = run.unrewarded(lambda row: _said_letter(row) == _right_letter(row))
    assert run.planted("verifier_conflict") == run.planted("mode") == run.planted("concentration") == rejected
    assert run.in_slice(rejected) == rejected
    first = min(_right_letter(run.rows[key]) for key in rejected)
    assert first > "D"
    assert not [row for row in run.rows.values() if row["reward"] == 1 and _right_letter(row) >= first]
    assert run.planted("mode", 1) == run.unrewarded(lambda row: _said_letter(row) is None)


def test_what_was_handed_in_after_a_full_disk_is_short(written: Callable[[str], _Written]) -> None:
    run = written("full-disk")
    short = run.unrewarded(lambda row: "No space left" in _results(row)[-2])
    assert run.planted("mode") == short
    assert run.planted("concentration") == run.in_slice(short)
    assert run.planted("mode", 1) == run.unrewarded(lambda row: row["agent_timed_out"])
    met = {key for key, row in run.rows.items() if any("No space left" in text for text in _results(row))}
    assert [key for key in met - short if run.rows[key]["reward"] == 1]


def test_who_circles_never_leaves_the_consent_page(written: Callable[[str], _Written]) -> None:
    run = written("consent-page")

    def stays(row: Json) -> bool:
        seen = [item["content"] for item in _output(row) if item["role"] == "user"]
        return len(set(seen)) == 1 and len(seen) > 6

    assert run.planted("thrashing") == run.unrewarded(stays)
    assert run.planted("concentration") == run.in_slice(run.planted("thrashing"))


def test_what_the_judge_left_out_lies_at_the_end_of_one_repeat(written: Callable[[str], _Written]) -> None:
    run = written("judge-quota")
    unjudged = run.unrewarded(lambda row: row["judge_rating"] is None) | run.lost
    repeat = run.where("outage")["repeat"]
    assert run.planted("outage") == unjudged
    assert {key[1] for key in unjudged} == {repeat}
    assert min(task for task, _ in unjudged) >= 60 - 33
    assert [key for key in run.rows.keys() & unjudged if run.rows[key]["extracted_answer"]]


def test_a_step_is_left_out_or_the_dialogue_is_cut(written: Callable[[str], _Written]) -> None:
    run = written("left-unconfirmed")
    tool = run.where("skipped_tool")["tool"]
    cut = run.unrewarded(_is_cut)
    assert run.planted("truncation") == cut
    assert run.planted("skipped_tool") == run.unrewarded(lambda row: tool not in _tools(row)) - cut
    assert [row for row in run.rows.values() if row["reward"] == 1 and tool not in _tools(row)]
