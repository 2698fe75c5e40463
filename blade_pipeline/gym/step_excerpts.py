"""All steps of one rollout with a short, redacted piece of each text, for reading two rollouts side by side."""

from typing import Any

from blade_pipeline.gym.excerpts import cut
from blade_pipeline.gym.lines import Row
from blade_pipeline.gym.ng_turns import Step
from blade_pipeline.gym.trajectory import step_texts
from blade_pipeline.gym.values import clean_text, mapping

MOST_STEPS = 40
"""Steps of one rollout; of a longer one the first 30 and the last 9 around a step that counts the others."""

STEP_LIMIT = 240
"""Characters of a step's text."""

END_LIMIT = 800
"""Characters of the last step's text, which holds the answer."""

_HEAD, _TAIL = 30, 9
_NAME_LIMIT = 80
_MARGIN = 2**11


def step_excerpts(row: Row) -> list[list[Any]]:
    """``[number, kind, name, size, status, error, text]`` of each step in order, counted from 1.

    A step of kind ``omitted`` stands for as many steps as its size says and has no text.
    """
    numbered, number = [], 1
    for step, text in step_texts(row, mapping(row.get("response"))):
        numbered.append((number, step, text))
        number += step[2] if step[0] == "omitted" else 1
    return [_shown(*entry, last=entry is numbered[-1]) for entry in _bounded(numbered)]


def _bounded(steps: list[tuple[int, Step, str]]) -> list[tuple[int, Step, str]]:
    if len(steps) <= MOST_STEPS:
        return steps
    first, last = steps[_HEAD][0], steps[-_TAIL][0]
    return [*steps[:_HEAD], (first, ["omitted", None, last - first, None, 0], ""), *steps[-_TAIL:]]


def _shown(number: int, step: Step, text: str, *, last: bool) -> list[Any]:
    kind, name, size, status, error = step
    names = [None if value is None else cut(clean_text(value), _NAME_LIMIT) for value in (kind, name, status)]
    limit = END_LIMIT if last else STEP_LIMIT
    return [number, *names[:2], size, names[2], error, cut(clean_text(text), limit, margin=_MARGIN)]
