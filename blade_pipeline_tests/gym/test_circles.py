"""Calls that ask what was asked before and get the same answer."""

from typing import Any

import pytest

from blade_pipeline.gym.trajectory import trajectory


def _call(number: int, arguments: str, answer: str | None, tool: str = "search") -> list[dict[str, Any]]:
    call_id = f"c{number}"
    call = {"type": "function_call", "call_id": call_id, "name": tool, "arguments": arguments}
    return [call] + ([{"type": "function_call_output", "call_id": call_id, "output": answer}] if answer else [])


def _repeated(*calls: tuple[str, str | None]) -> int | None:
    items = [item for n, (asked, answer) in enumerate(calls) for item in _call(n, asked, answer)]
    return trajectory({}, {"output": items}).repeated_calls


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        ([("a", "none"), ("a", "none"), ("a", "none")], 2),
        ([("a", "none"), ("b", "none"), ("a", "none"), ("b", "none")], 2),
        ([("a", "took 12 ms"), ("a", "took 9 ms")], 1),
        ([("a", "failed"), ("a", "passed")], 0),
        ([("a", "none"), ("b", "none")], 0),
        ([("a", None), ("a", None)], 1),
        ([("a", None), ("a", None), ("b", "none")], 0),
        ([("a", "none"), ("a", None), ("a", "none")], 1),
        ([], 0),
    ],
)
def test_a_call_counts_when_tool_arguments_and_answer_occurred_before(
    calls: list[tuple[str, str | None]], count: int
) -> None:
    assert _repeated(*calls) == count


def test_the_same_arguments_of_another_tool_are_another_call() -> None:
    items = [*_call(1, "a", "none"), *_call(2, "a", "none", tool="open")]
    assert trajectory({}, {"output": items}).repeated_calls == 0


def test_turns_without_answers_count_by_what_was_asked() -> None:
    calls = [{"name": "bash", "arguments": "ls"}, {"name": "bash", "arguments": "ls"}, {"name": "bash"}]
    assert trajectory({"ng_trajectory": {"turns": [], "tool_calls": calls}}, {}).repeated_calls == 1


def _similar(*calls: tuple[str, str | None], tool: str = "search") -> int | None:
    items = [item for n, (asked, answer) in enumerate(calls) for item in _call(n, asked, answer, tool)]
    return trajectory({}, {"output": items}).similar_calls


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        # The first of five asks for the first time.
        ([(f'{{"query": "pay of John Smith {year}"}}', "no results") for year in range(5)], 4),
        ([(f'{{"query": "pay of Smith {word}"}}', f"nothing found for {word}") for word in "abcde"], 4),
        ([(f'{{"query": "pay of John Smith {year}"}}', f"{year} crowns") for year in range(5)], 4),
        ([(f'{{"query": "pay of John Smith {year}"}}', f"{year + 90} crowns") for year in range(5)], 0),
        ([(f'{{"query": "pay of John Smith {year}"}}', "no results") for year in range(4)], 0),
        ([(f"{word} {word}{word} {word * 3}", "no results") for word in "abcde"], 0),
        ([(f'{{"query": "pay of John Smith {year}"}}', "a long answer " * 30) for year in range(5)], 0),
        ([(f'{{"query": "pay of John Smith {year}"}}', None) for year in range(5)], 0),
    ],
)
def test_small_changes_of_a_call_that_get_the_same_short_answer_count(
    calls: list[tuple[str, str | None]], count: int
) -> None:
    assert _similar(*calls) == count
