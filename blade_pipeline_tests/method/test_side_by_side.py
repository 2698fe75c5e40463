"""Which rollouts of a task are laid side by side, and what of their text."""

from typing import Any

import pytest

from blade_pipeline.gym.step_excerpts import END_LIMIT, STEP_LIMIT, step_excerpts
from blade_pipeline.method.failure_modes import failure_modes
from blade_pipeline.method.representatives import representatives
from blade_pipeline.method.side_by_side import side_by_side
from blade_pipeline.models import Profile
from blade_pipeline_tests.builders import aligned, buckets_of


def _row(task: int, repeat: int, passed: bool, items: int) -> dict[str, Any]:
    return {
        "task": task,
        "repeat": repeat,
        "score": float(passed),
        "output_items": items,
        "response_digest": f"{task}{repeat}",
    }


def _pairs(rows: list[dict[str, Any]], most: int = 9) -> list[tuple[str, str | None, str | None]]:
    samples = aligned(rows)
    found = side_by_side(samples, buckets_of(samples), most=most)
    names = [[pair[side] and pair[side]["repeat"] for side in ("passing", "failing")] for pair in found]
    return [(pair["task"], *sides) for pair, sides in zip(found, names, strict=True)]


def test_the_two_rollouts_nearest_in_length_and_tasks_with_both_outcomes_first() -> None:
    """Task 2 has passes of 3 and 9 items and failures of 8 and 20: 9 and 8 lie one apart."""
    rows = [_row(0, 0, True, 5), _row(1, 0, False, 5), _row(1, 1, False, 6)]
    rows += [_row(2, 0, True, 3), _row(2, 1, True, 9), _row(2, 2, False, 20), _row(2, 3, False, 8)]
    assert _pairs(rows) == [("2", "1", "3"), ("1", None, "0"), ("0", "0", None)]
    assert _pairs(rows, most=1) == [("2", "1", "3")]


def test_a_task_that_never_passes_opens_the_rollout_that_the_text_calls_typical() -> None:
    """Repeats 1 and 2 do the same, so 1 is the medoid; a mixed task keeps its nearest pair."""
    ask, look = ["tool_call", "ask", 10, None, 0], ["tool_call", "look", 9, None, 0]
    steps = [[ask, ask, ask], [look, ask, look], [look, ask, look]]
    rows = [_row(1, repeat, False, 3) | {"steps": found} for repeat, found in enumerate(steps)]
    rows += [_row(0, repeat, passed, 3) | {"steps": [ask, look]} for repeat, passed in enumerate((True, False))]
    samples = aligned(rows)
    buckets = buckets_of(samples)
    groups = representatives(samples, buckets, failure_modes(samples, Profile())[0])["groups"]
    assert [(group["task"], group["shown"][0]["repeat"]) for group in groups] == [("1", "1")]
    found = {pair["task"]: pair for pair in side_by_side(samples, buckets, groups)}
    assert found["1"]["failing"]["repeat"] == "1"
    assert found["1"]["passing"] is None
    assert [found["0"][side]["repeat"] for side in ("passing", "failing")] == ["0", "1"]


def test_a_task_without_a_measured_rollout_opens_none() -> None:
    assert _pairs([{"task": 0, "repeat": 0, "outcome": "masked", "score": None}]) == []


def _said(*texts: str) -> dict[str, Any]:
    return {"response": {"output": [{"type": "message", "role": "user", "content": text} for text in texts]}}


def test_each_step_comes_with_a_bounded_text_and_the_last_with_more() -> None:
    first, last = step_excerpts(_said("a" * 1000, "b" * 1000))
    assert first == [1, "message", "user", 1000, None, 0, "a" * STEP_LIMIT + "…"]
    assert last == [2, "message", "user", 1000, None, 0, "b" * END_LIMIT + "…"]


def test_a_long_rollout_keeps_its_ends_and_counts_the_rest() -> None:
    """60 steps: the first 30, one for the 21 left out, the last 9 from step 52 on."""
    steps = step_excerpts(_said(*(f"m{n}" for n in range(1, 61))))
    assert len(steps) == 40
    assert steps[29][0] == 30
    assert steps[30] == [31, "omitted", None, 21, None, 0, ""]
    assert [step[0] for step in steps[31:]] == list(range(52, 61))


def test_steps_that_the_reader_left_out_are_counted_with_the_others() -> None:
    """500 steps: of 30 shown first and 9 last, 461 are left out."""
    steps = step_excerpts(_said(*(f"m{n}" for n in range(1, 501))))
    assert steps[30] == [31, "omitted", None, 461, None, 0, ""]
    assert [step[6] for step in steps[-2:]] == ["m499", "m500"]


@pytest.mark.parametrize("before", [100, STEP_LIMIT - 10])
def test_a_secret_is_taken_out_before_the_cut(before: int) -> None:
    text = "x" * before + " sk-proj-abc123DEF456ghi789jkl" + " y" * 400
    shown = step_excerpts(_said(text, "end"))[0][6]
    assert "sk-proj" not in shown
    assert "abc123" not in shown
