"""What a rollout did, step by step, from every shape in which its output is written.

A step is ``[kind, name, size, status, error]``: kind is ``message``, ``reasoning``, ``tool_call``, ``tool_output`` or
another item type; name is the message's role or the tool; size counts characters; status is the item's own; error
is 1 where the step looks like an error, else 0. A rollout of more than 400 steps keeps its first 300 and last 99
around one ``["omitted", null, <how many>, null, 0]``.
"""

from typing import Any, NamedTuple

from blade_pipeline.gym.circles import Circles
from blade_pipeline.gym.content import text_digest, text_of
from blade_pipeline.gym.declining import declines
from blade_pipeline.gym.edited_tests import tests_in_patches
from blade_pipeline.gym.gave_way import message_of_environment
from blade_pipeline.gym.ng_turns import Step, tool_calls, turns
from blade_pipeline.gym.open_errors import ENVIRONMENT_ANSWER
from blade_pipeline.gym.output_items import flat
from blade_pipeline.gym.repetition import repeated_sentences
from blade_pipeline.gym.shape import Shape, shape_of
from blade_pipeline.gym.stated import states_expected
from blade_pipeline.gym.tool_calls import NO_CALLS
from blade_pipeline.gym.values import clean_text, compact_json
from blade_pipeline.gym.walk import Item, Walk

MOST_STEPS = 400
_HEAD = 300
_NO_TOOLS = (0, 0, 0, 0, 0)  # calls, errors, repeated and similar calls, repeated turns


class Trajectory(NamedTuple):
    """Summary of a rollout's output; counts are null when the row has no output to count."""

    items: int | None
    tool_calls: int | None
    tool_errors: int | None
    repeated_calls: int | None
    similar_calls: int | None
    repeated_turns: int | None
    repeated_sentences: int | None
    edited_tests: int | None
    checked: bool | None
    declines: bool | None
    states_expected: bool | None
    answer_digest: str | None
    answer_length: int | None
    response_digest: str | None
    steps: str | None
    open_errors: list[list[str]]


_NOTHING = Trajectory(
    None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, []
)  # fmt: skip


def trajectory(row: Item, response: Item, shape: Shape | None = None) -> Trajectory:
    """Steps, counts and digests of a row's output.

    Chat messages, Responses items, lists of either (also cumulative ones, of which the last is the whole) and,
    without an output, an ``ng_trajectory`` are understood. The answer is the text of the last assistant message.

    Args:
        row: the rollout.
        response: its response.
        shape: its kinds of fields, where they are known already.
    """
    output = response.get("output")
    items = output if type(output) is list and list not in map(type, output) else flat(output)
    if items is None:
        return _from_turns(row.get("ng_trajectory"))
    shape = shape or shape_of(tuple(row))
    if len(items) == 1 and _is_said(items[0]):
        return _said_at_once(row, items[0], shape)
    walk = Walk()
    for item in items:
        walk.add(item)
    answer = walk.answer
    if answer is None and isinstance(text := response.get("output_text"), str):
        answer = text
    answer_digest = text_digest(answer) if answer else None
    calls = NO_CALLS if walk.calls is None else walk.calls.summary()
    patched = tests_in_patches(row, shape.patches) if shape.patches else None
    return Trajectory(
        len(items),
        calls.calls,
        calls.errors,
        calls.repeated,
        calls.similar,
        _repeated_turns(walk.turns),
        walk.sentences,
        calls.edited_tests if patched is None else patched,
        calls.checked,
        declines(answer or ""),
        states_expected(row, shape.answers, answer) if answer and shape.answers else None,
        answer_digest,
        len(answer or ""),
        walk.digest(answer_digest) if items else None,
        compact_json(walk.steps if len(walk.steps) <= MOST_STEPS else _bounded(walk.steps)),
        calls.open_errors + _error_for_answer(answer),
    )


def _is_said(item: Any) -> bool:
    """Whether an item is a message of the model without calls."""
    if type(item) is not dict or item.get("tool_calls"):
        return False
    kind = item.get("type")
    role = item.get("role", "assistant" if kind == "message" else None)
    return role == "assistant" and (kind == "message" or kind is None)


def _said_at_once(row: Item, item: Item, shape: Shape) -> Trajectory:
    """What a walk over one message of the model comes to; most outputs are no more."""
    answer = text_of(item.get("content"))
    answer_digest = text_digest(answer) if answer else None
    status = item.get("status")
    return Trajectory(
        1,
        *_NO_TOOLS,
        repeated_sentences(answer),
        (tests_in_patches(row, shape.patches) or 0) if shape.patches else 0,
        None,
        declines(answer),
        states_expected(row, shape.answers, answer) if answer and shape.answers else None,
        answer_digest,
        len(answer),
        text_digest(f"message\x1fassistant\x1f{answer_digest or ''}"),
        compact_json([["message", "assistant", len(answer), status if type(status) is str else None, 0]]),
        _error_for_answer(answer),
    )


def step_texts(row: dict[str, Any], response: dict[str, Any]) -> list[tuple[Step, str]]:
    """The steps of ``trajectory``, each with its text; left-out ones have none."""
    items = flat(response.get("output"))
    if items is None:
        pairs = turns(row.get("ng_trajectory")) or []
    else:
        walk = Walk()
        for item in items:
            walk.add(item)
        pairs = walk.pairs()
    texts = {id(step): text for step, text in pairs}
    return [(step, texts.get(id(step), "")) for step in _bounded([step for step, _ in pairs])]


def _error_for_answer(answer: str | None) -> list[list[str]]:
    """``[field, line]`` where an error of the environment stands in the place of a final message."""
    line = message_of_environment(answer) if answer else None
    return [] if line is None else [[ENVIRONMENT_ANSWER, clean_text(line)]]


def _repeated_turns(texts: list[tuple[bool, str]]) -> int:
    """Texts that the model wrote before and that got the same reply; none where nobody replied."""
    if len(texts) < 3 or all(own for own, _ in texts):
        return 0
    circles = Circles()
    for own, text in texts:
        if own:
            circles.ask(None, None, text)
        else:
            circles.answer(None, text)
    return circles.repeated()


def _from_turns(value: Any) -> Trajectory:
    """Steps of an ``ng_trajectory``; it holds no items to digest."""
    pairs = turns(value)
    if pairs is None:
        return _NOTHING
    steps = [step for step, _ in pairs]
    answers = [text for step, text in pairs if step[:2] == ["message", "assistant"]]
    calls = tool_calls(value).summary()
    return _NOTHING._replace(
        items=len(steps),
        tool_calls=calls.calls,
        tool_errors=calls.errors,
        repeated_calls=calls.repeated,
        checked=calls.checked,
        steps=compact_json(_bounded(steps)),
        open_errors=calls.open_errors + _error_for_answer(answers[-1] if answers else None),
    )


def _bounded(steps: list[Step]) -> list[Step]:
    if len(steps) <= MOST_STEPS:
        return steps
    tail = MOST_STEPS - _HEAD - 1
    return [*steps[:_HEAD], ["omitted", None, len(steps) - _HEAD - tail, None, 0], *steps[-tail:]]
