"""Never-pass tasks whose every repeat gives one answer."""

from typing import Any

import pytest

from blade_pipeline.method.agreed import agreed
from blade_pipeline_tests.builders import aligned, buckets_of


def _task(task: int, *answers: str | None, score: float = 0.0) -> list[dict[str, Any]]:
    return [
        {"task": task, "repeat": n, "score": score, "verifier": {"extracted_answer": answer}}
        for n, answer in enumerate(answers)
    ]


def _found(*rows: list[dict[str, Any]]) -> list[str]:
    samples = aligned([row for task in rows for row in task])
    return sorted(agreed(samples, buckets_of(samples))["task"].to_pylist())


VARIED = [_task(10 + n, *(f"{n}{repeat}" for repeat in range(4))) for n in range(3)]
"""Three tasks with twelve answers."""


@pytest.mark.parametrize("answers", [("774", "774 ", "774", "774"), ("x", "X", "x")])
def test_a_task_whose_repeats_agree_on_an_open_answer_is_found(answers: tuple[str, ...]) -> None:
    assert _found(_task(0, *answers), *VARIED) == ["0"]


@pytest.mark.parametrize(
    "task",
    [
        _task(0, "a", "a", "a", "b"),
        _task(0, "a", "a"),
        _task(0, "a", "a", "a", None),
        _task(0, "a", "a", "a", "a", score=1.0),
        [*_task(0, "a", "a", "a"), *_task(0, *["a"] * 4, score=1.0)[3:]],
    ],
    ids=["one differs", "two repeats", "one without an answer", "all pass", "one passes"],
)
def test_what_is_no_agreement_on_a_wrong_answer(task: list[dict[str, Any]]) -> None:
    assert _found(task, *VARIED) == []


def test_agreement_on_one_of_a_few_options_says_nothing() -> None:
    options = [_task(n, *["ABCD"[n % 4]] * 4) for n in range(12)]
    assert _found(*options) == []
    # Ten different answers of 30 tasks are still a choice.
    assert _found(*(_task(n, *["ABCDEFGHIJ"[n % 10]] * 4) for n in range(30))) == []
