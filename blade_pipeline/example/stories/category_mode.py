"""One kind of mistake that is frequent in one category of the tasks and rare elsewhere."""

from collections.abc import Callable

from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.story import Rollout, Statement, Story, drawn, keys, passing, share, values

INSIDE = (40, 70)
"""Least and greatest percentage of the passing rollouts of the category that get the mistake."""
OUTSIDE = 0.02
"""Share of the passing rollouts elsewhere that get it."""


def _period(draws: Draws) -> str:
    return f"AssertionError: the sum covers {draws.between(2, 14)} months, expected 1"


def _person(draws: Draws) -> str:
    return f"the sum holds record R-{draws.between(100, 999)} of another person"


def _unit(draws: Draws) -> str:
    return f"unit mismatch: got {draws.between(2000, 90000)} pence where crowns were asked for"


_SAID: dict[str, Callable[[Draws], str]] = {"verifier_message": _period, "failure_reason": _person, "reason": _unit}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    category = draws.choice(values(rollouts, "category"))
    place = draws.choice(list(_SAID))
    right = passing(rollouts)
    inside = drawn(draws, (r for r in right if r.task.category == category), share(draws, *INSIDE))
    outside = drawn(draws, (r for r in right if r.task.category != category), OUTSIDE)
    for rollout in (*inside, *outside):
        rollout.passed = False
        rollout.verifier |= {"verdict": "incorrect", place: _SAID[place](draws)}
    where = {"field": "category", "value": category}
    return [Statement("mode", {}, keys([*inside, *outside])), Statement("concentration", where, keys(inside))]


STORY = Story("category-mode", "one failure mode concentrates in one category", _plant)
