"""Rollouts that are cut at the limit of their output, before they name an answer."""

from blade_pipeline.example.benchmark import message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.story import Rollout, Statement, Story, drawn, keys, share

CUT = (7, 25)
"""Least and greatest percentage of the rollouts that are cut."""
_REASONS = ("max_output_tokens", "length")


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    reason = draws.choice(_REASONS)
    cut = drawn(draws, rollouts, share(draws, *CUT))
    for rollout in cut:
        _cut(rollout, reason, draws.between(1, 3))
    return [Statement("truncation", {}, keys(cut))]


def _cut(rollout: Rollout, reason: str, calls: int) -> None:
    rollout.passed = False
    words = "Before the records are added up, each of them is compared with every other one, and"
    rollout.output = [*rollout.output[: 2 * calls], message(words, 99, "incomplete")]
    rollout.verifier |= {"verdict": "incorrect", "extracted_answer": None}
    if reason == "length":
        rollout.response = {"finish_reason": reason}
        rollout.thinking = 3900
    else:
        rollout.incomplete = reason


STORY = Story("truncation", "rollouts are cut at their output limit", _plant)
