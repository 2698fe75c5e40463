"""A verifier that compares texts in one slice, and so rejects right answers that are written otherwise."""

from collections.abc import Callable

from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.story import Rollout, Statement, Story, drawn, keys, passing, share, values

OTHERWISE = (30, 60)
"""Least and greatest percentage of the right answers that are written in another notation.

Only in the strict slice they are rejected.
"""

_NOTATIONS: dict[str, Callable[[int], str]] = {
    "separator": lambda number: f"{number:,}",
    "decimals": lambda number: f"{number}.00",
    "unit": lambda number: f"{number} crowns",
    "emphasis": lambda number: f"**{number}**",
}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    field = draws.choice(("category", "source"))
    value = draws.choice(values(rollouts, field))
    otherwise = drawn(draws, passing(rollouts), share(draws, *OTHERWISE))
    for rollout in otherwise:
        _write(rollout, _NOTATIONS[draws.choice(list(_NOTATIONS))])
    rejected = [
        rollout
        for rollout in otherwise
        if rollout.task.fields[field] == value
        and rollout.verifier["extracted_answer"] != rollout.task.fields["expected_answer"]
    ]
    for rollout in rejected:
        rollout.passed = False
        rollout.verifier |= {"verdict": "incorrect"}
    where = {"field": field, "value": value}
    return [Statement("verifier_conflict", where, keys(rejected)), Statement("concentration", where, keys(rejected))]


def _write(rollout: Rollout, notation: Callable[[int], str]) -> None:
    written = notation(rollout.task.facts["right"])
    rollout.verifier |= {"extracted_answer": written}
    rollout.output[-1]["content"][0]["text"] = f"This is the sum.\nAnswer: {written}"


STORY = Story("strict-verifier", "right answers in another notation are rejected in one slice", _plant)
