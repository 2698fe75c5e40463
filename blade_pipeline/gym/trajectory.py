"""What a rollout did, step by step, from every shape in which its output is written.

A step is ``[kind, name, size, status, error]``: kind is ``message``, ``reasoning``, ``tool_call``, ``tool_output`` or
another item type; name is the message's role or the tool; size counts characters; status is the item's own; error
is 1 where the step looks like an error, else 0. A rollout of more than 400 steps keeps its first 300 and last 99
around one ``["omitted", null, <how many>, null, 0]``.
"""

from typing import Any, NamedTuple

from blade_pipeline.gym.circles import Circles
from blade_pipeline.gym.content import fingerprint, text_of
from blade_pipeline.gym.declining import declines
from blade_pipeline.gym.edited_tests import tests_in_patches
from blade_pipeline.gym.gave_way import message_of_environment
from blade_pipeline.gym.ng_turns import Step, tool_calls, turns
from blade_pipeline.gym.open_errors import ENVIRONMENT_ANSWER
from blade_pipeline.gym.output_items import flat
from blade_pipeline.gym.repetition import repeated_sentences
from blade_pipeline.gym.shape import Shape, shape_of
from blade_pipeline.gym.stated import states_expected
from blade_pipeline.gym.tool_calls import NO_CALLS, ToolCalls
from blade_pipeline.gym.toolerrors import FAILED_STATUS, looks_like_error
from blade_pipeline.gym.values import clean_text, compact_json, listed

MOST_STEPS = 400
_HEAD = 300
_TEXT = 2  # place of the text among a step's kind, name and text

Item = dict[str, Any]


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
    walk = _Walk()
    for item in items:
        walk.add(item)
    answer = walk.answer
    if answer is None and isinstance(text := response.get("output_text"), str):
        answer = text
    answer_digest = fingerprint(answer.encode("utf-8", "surrogatepass")) if answer else None
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


def step_texts(row: dict[str, Any], response: dict[str, Any]) -> list[tuple[Step, str]]:
    """The steps of ``trajectory``, each with its text; left-out ones have none."""
    items = flat(response.get("output"))
    if items is None:
        pairs = turns(row.get("ng_trajectory")) or []
    else:
        walk = _Walk()
        for item in items:
            walk.add(item)
        pairs = walk.pairs()
    texts = {id(step): text for step, text in pairs}
    return [(step, texts.get(id(step), "")) for step in _bounded([step for step, _ in pairs])]


class _Walk:
    """Collects steps, and the texts that make two trajectories equal, over the items of one output."""

    __slots__ = ("_answer_at", "_parts", "answer", "calls", "sentences", "steps", "turns")

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.calls: ToolCalls | None = None
        self.turns: list[tuple[bool, str]] = []  # texts that end a turn, and whether they are the model's own
        self.sentences = 0
        self.answer: str | None = None
        self._parts: list[str] = []
        self._answer_at: int | None = None

    def digest(self, answer_digest: str | None) -> str:
        """Digest of all kinds, names and texts; the answer's own digest stands for its text, often the longest."""
        if self._answer_at is not None and answer_digest is not None:
            self._parts[self._answer_at] = answer_digest
        return fingerprint("\x1f".join(self._parts).encode("utf-8", "surrogatepass"))

    def pairs(self) -> list[tuple[Step, str]]:
        """Every step with its text."""
        return list(zip(self.steps, self._parts[_TEXT::3], strict=True))

    def add(self, item: Any) -> None:
        if type(item) is not dict:
            self._step("message" if isinstance(item, str) else type(item).__name__, None, text_of(item), None)
            return
        kind = item.get("type")
        if kind == "message" or (kind is None and isinstance(item.get("role"), str)):
            self._message(item)
        elif kind == "function_call":
            self._call(item, item.get("name"), item.get("arguments"), item.get("call_id"))
        elif kind == "reasoning":
            text = text_of(item.get("summary")) + text_of(item.get("content"))
            self.sentences = max(self.sentences, repeated_sentences(text))
            self._step(kind, None, text, item)
        elif not isinstance(kind, str):
            self._step("unknown", None, "", item)
        elif kind.endswith("_output"):
            self._output(item, text_of(item.get("output")), item.get("call_id"))
        elif kind.endswith("_call"):
            self._call(item, item.get("name") or kind, item.get("arguments", item.get("input")), item.get("call_id"))
        else:
            self._step(kind, None, text_of(item.get("content")), item)

    def _message(self, item: Item) -> None:
        role = item.get("role", "assistant")
        text = text_of(item.get("content"))
        if role == "tool":
            self._output(item, text, item.get("tool_call_id"))
            return
        calls = item.get("tool_calls")
        if role == "assistant":
            self.answer = text
            self._answer_at = len(self._parts) + _TEXT if text else None
            self.sentences = max(self.sentences, repeated_sentences(text))
            if not calls:
                self.turns.append((True, text))
        elif self.turns:
            self.turns.append((False, text))
        if text or not calls:
            self._step("message", role if isinstance(role, str) else None, text, item)
        for call in listed(calls) if calls else ():
            inner = call.get("function") if isinstance(call, dict) else None
            if isinstance(inner, dict):
                self._call(call, inner.get("name"), inner.get("arguments"), call.get("id"))

    def _call(self, item: Item, name: Any, arguments: Any, call_id: Any) -> None:
        self.calls = self.calls or ToolCalls()
        label = name if isinstance(name, str) else None
        text = text_of(arguments)
        self.calls.call(call_id, label, text)
        self._step("tool_call", label, text, item)

    def _output(self, item: Item, text: str, call_id: Any) -> None:
        self.calls = self.calls or ToolCalls()
        failed = looks_like_error(text) or item.get("status") in FAILED_STATUS or item.get("is_error") is True
        name = self.calls.answer(call_id, text, failed=failed)
        self._step("tool_output", name, text, item, int(failed))

    def _step(self, kind: str, name: str | None, text: str, item: Item | None, failed: int = 0) -> None:
        status = item.get("status") if item else None
        self.steps.append([kind, name, len(text), status if type(status) is str else None, failed])
        self._parts += (kind, name or "", text)


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
