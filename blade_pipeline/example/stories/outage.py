"""A service that is down during part of one repeat: its rollouts are lost, missing or scored 0 with an error."""

from blade_pipeline.example.benchmark import Json
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.story import Rollout, Statement, Story, keys, share

LENGTH = (20, 80)
"""Least and greatest percentage of the repeat's tasks that the outage hits, one after the other."""

_FATES = {"failed": 0.4, "missing": 0.15, "scored": 0.45}
_ERRORS = (
    "503 Service Unavailable: the model server did not answer",
    "Connection refused while the model was called",
    "502 Bad Gateway",
)


def _failure(message: str) -> Json:
    return {
        "failure_class": "agent_request_failed",
        "terminal": False,
        "attempts": 3,
        "stage": "agent",
        "type": "ClientResponseError",
        "http_status": 503,
        "message": message,
    }


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    repeat = draws.choice(sorted({rollout.repeat for rollout in rollouts}))
    message = draws.choice(_ERRORS)
    mine = [rollout for rollout in rollouts if rollout.repeat == repeat]
    length = round(share(draws, *LENGTH) * len(mine))
    first = draws.between(0, len(mine) - length)
    hit = mine[first : first + length]
    for rollout in hit:
        _lose(rollout, draws.weighted(_FATES), message)
    return [Statement("outage", {"repeat": repeat}, keys(hit))]


def _lose(rollout: Rollout, fate: str, message: str) -> None:
    rollout.passed = False
    if fate == "failed":
        rollout.failure = _failure(message)
    elif fate == "missing":
        rollout.missing = True
    else:
        rollout.output, rollout.thinking = rollout.output[:2], 0
        rollout.response = {"status": "failed", "error": {"code": "server_error", "message": message}}
        rollout.verifier |= {"verdict": "incorrect", "extracted_answer": None}


STORY = Story("outage", "a service is down during part of one repeat", _plant)
