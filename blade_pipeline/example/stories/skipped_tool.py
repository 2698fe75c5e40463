"""A tool that passing rollouts use and many failing ones leave out, without a word of the verifier about it."""

from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.story import Rollout, Statement, Story, drawn, keys, passing, share

TOOLS = ("open_record", "add_up", "check_total")
FAILING = (15, 40)
"""Least and greatest percentage of the rollouts that leave the tool out and fail."""
PASSING = 0.04
"""Share of the others that leave it out and pass all the same."""


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    tool = draws.choice(TOOLS)
    right = passing(rollouts)
    chosen = drawn(draws, right, share(draws, *FAILING))
    failing = set(keys(chosen))
    lucky = drawn(draws, (rollout for rollout in right if rollout.key not in failing), PASSING)
    for rollout in (*chosen, *lucky):
        rollout.without(tool)
    for rollout in chosen:
        rollout.passed = False
        wrong = str(rollout.task.facts["right"] + draws.between(200, 400))
        rollout.verifier |= {"verdict": "incorrect", "extracted_answer": wrong}
        rollout.output[-1]["content"][0]["text"] = f"Answer: {wrong}"
    return [Statement("skipped_tool", {"tool": tool}, keys(chosen))]


STORY = Story("skipped-tool", "failing rollouts leave out a tool that passing ones use", _plant)
