"""Nothing is planted: whatever an analysis finds here is no story."""

from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.story import Rollout, Statement, Story


def _plant(_draws: Draws, _rollouts: list[Rollout]) -> list[Statement]:
    return []


STORY = Story("healthy", "nothing is planted", _plant)
