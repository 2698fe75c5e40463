"""Rollouts that make the same calls again and again, and end without an answer."""

from blade_pipeline.example.benchmark import Json, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.records_desk import call_items
from blade_pipeline.example.stories.story import Rollout, Statement, Story, drawn, keys, share

CIRCLING = (7, 25)
"""Least and greatest percentage of the rollouts that go in circles."""
FEWEST, MOST = 5, 10
"""Rounds of the loop."""


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    tools = draws.choice((("search_records",), ("search_records", "read_notes")))
    limited = draws.uniform() < 0.5
    chosen = drawn(draws, rollouts, share(draws, *CIRCLING))
    for rollout in chosen:
        rollout.passed = False
        rollout.output = _loop(rollout, tools, draws.between(FEWEST, MOST))
        rollout.verifier |= {"verdict": "incorrect", "extracted_answer": None}
        if limited:
            rollout.verifier |= {"termination_reason": "max_steps"}
        else:
            rollout.output.append(message("The records could not be found, so there is no answer.", 99))
    return [Statement("thrashing", {}, keys(chosen))]


def _loop(rollout: Rollout, tools: tuple[str, ...], rounds: int) -> list[Json]:
    asked = {"name": rollout.task.facts["name"]}
    calls = [(tool, asked) for _ in range(rounds) for tool in tools]
    nothing: Json = {"records": []}
    return [item for n, (tool, what) in enumerate(calls, start=1) for item in call_items(n, tool, what, nothing)]


STORY = Story("thrashing", "rollouts repeat the same calls and end without an answer", _plant)
