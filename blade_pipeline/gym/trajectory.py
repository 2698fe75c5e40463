"""What a rollout did, step by step, from every shape in which its output is written.

A step is ``[kind, name, size, status, error]``: kind is ``message``, ``reasoning``, ``tool_call``, ``tool_output`` or
another item type; name is the message's role or the tool; size counts characters; status is the item's own; error
is 1 where the step looks like an error, else 0. A rollout of more than 400 steps keeps its first 300 and last 99
around one ``["omitted", null, <how many>, null, 0]``.
"""

from itertools import pairwise
from typing import Any, NamedTuple

from blade_pipeline.gym.circles import Circles
from blade_pipeline.gym.content import digest, text_of
from blade_pipeline.gym.declining import declines
from blade_pipeline.gym.edited_tests import edited_test, tests_in_patches
from blade_pipeline.gym.toolerrors import FAILED_STATUS, looks_like_error
from blade_pipeline.gym.values import compact_json, listed

MOST_STEPS = 400
_HEAD = 300
_TEXT = 2  # place of the text among a step's kind, name and text

Step = list[Any]
Item = dict[str, Any]


class Trajectory(NamedTuple):
    """Summary of a rollout's output; counts are null when the row has no output to count."""

    items: int | None
    tool_calls: int | None
    tool_errors: int | None
    repeated_calls: int | None
    similar_calls: int | None
    edited_tests: int | None
    declines: bool | None
    answer_digest: str | None
    answer_length: int | None
    response_digest: str | None
    steps: str | None


_NOTHING = Trajectory(None, None, None, None, None, None, None, None, None, None, None)


def trajectory(row: dict[str, Any], response: dict[str, Any]) -> Trajectory:
    """Steps, counts and digests of a row's output.

    Chat messages, Responses items, lists of either (also cumulative ones, of which the last is the whole) and,
    without an output, an ``ng_trajectory`` are understood. The answer is the text of the last assistant message.
    """
    output = response.get("output")
    items = output if type(output) is list and list not in map(type, output) else _flat(output)
    if items is None:
        return _from_turns(row.get("ng_trajectory"))
    walk = _Walk()
    for item in items:
        walk.add(item)
    answer = walk.answer
    if answer is None and isinstance(text := response.get("output_text"), str):
        answer = text
    answer_digest = digest(answer.encode("utf-8", "surrogatepass")) if answer else None
    return Trajectory(
        len(items),
        walk.calls,
        walk.errors,
        walk.circles.repeated(),
        walk.circles.similar(),
        walk.edited_tests(row),
        declines(answer or ""),
        answer_digest,
        len(answer or ""),
        walk.digest(answer_digest) if items else None,
        compact_json(_bounded(walk.steps)),
    )


def step_texts(row: dict[str, Any], response: dict[str, Any]) -> list[tuple[Step, str]]:
    """The steps of ``trajectory``, each with its text; left-out ones have none."""
    items = _flat(response.get("output"))
    if items is None:
        pairs = _turns(row.get("ng_trajectory")) or []
    else:
        walk = _Walk()
        for item in items:
            walk.add(item)
        pairs = walk.pairs()
    texts = {id(step): text for step, text in pairs}
    return [(step, texts.get(id(step), "")) for step in _bounded([step for step, _ in pairs])]


class _Walk:
    """Collects steps, and the texts that make two trajectories equal, over the items of one output."""

    __slots__ = ("_answer_at", "_edited", "_parts", "_tools", "answer", "calls", "circles", "errors", "steps")

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.calls = 0
        self.errors = 0
        self.circles = Circles()
        self.answer: str | None = None
        self._parts: list[str] = []
        self._answer_at: int | None = None
        self._tools: dict[str, str] = {}
        self._edited: set[str] = set()

    def digest(self, answer_digest: str | None) -> str:
        """Digest of all kinds, names and texts; the answer's own digest stands for its text, often the longest."""
        if self._answer_at is not None and answer_digest is not None:
            self._parts[self._answer_at] = answer_digest
        return digest("\x1f".join(self._parts).encode("utf-8", "surrogatepass"))

    def edited_tests(self, row: Item) -> int:
        """Test files that the row's patch changes; without a patch, those that the calls change."""
        patched = tests_in_patches(row)
        return len(self._edited) if patched is None else patched

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
            self._step(kind, None, text_of(item.get("summary")) + text_of(item.get("content")), item)
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
        if text or not calls:
            self._step("message", role if isinstance(role, str) else None, text, item)
        for call in listed(calls) if calls else ():
            inner = call.get("function") if isinstance(call, dict) else None
            if isinstance(inner, dict):
                self._call(call, inner.get("name"), inner.get("arguments"), call.get("id"))

    def _call(self, item: Item, name: Any, arguments: Any, call_id: Any) -> None:
        self.calls += 1
        label = name if isinstance(name, str) else None
        if label is not None and isinstance(call_id, str):
            self._tools[call_id] = label
        text = text_of(arguments)
        self.circles.ask(call_id, label, text)
        if (path := edited_test(label, text)) is not None:
            self._edited.add(path)
        self._step("tool_call", label, text, item)

    def _output(self, item: Item, text: str, call_id: Any) -> None:
        failed = looks_like_error(text) or item.get("status") in FAILED_STATUS or item.get("is_error") is True
        self.errors += failed
        self.circles.answer(call_id, text)
        name = self._tools.get(call_id) if isinstance(call_id, str) else None
        self._step("tool_output", name, text, item, int(failed))

    def _step(self, kind: str, name: str | None, text: str, item: Item | None, failed: int = 0) -> None:
        status = item.get("status") if item else None
        self.steps.append([kind, name, len(text), status if type(status) is str else None, failed])
        self._parts += (kind, name or "", text)


def _flat(output: Any) -> list[Any] | None:
    """Items of an output as one list; of cumulative lists the last, of other nested lists all in order."""
    if isinstance(output, str):
        return [{"type": "message", "role": "assistant", "content": output}] if output else []
    if isinstance(output, dict):
        return [output]
    if not isinstance(output, list):
        return None
    if list not in map(type, output):
        return output
    nested = [item for item in output if isinstance(item, list)]
    if len(nested) == len(output) and all(_continues(before, after) for before, after in pairwise(nested)):
        return nested[-1]
    return [item for part in output for item in (part if isinstance(part, list) else [part])]


def _continues(before: list[Any], after: list[Any]) -> bool:
    try:
        return len(after) >= len(before) and after[: len(before)] == before
    except RecursionError:
        return False


def _from_turns(value: Any) -> Trajectory:
    """Steps of an ``ng_trajectory``; it holds no items to digest."""
    pairs = _turns(value)
    if pairs is None:
        return _NOTHING
    steps = [step for step, _ in pairs]
    calls, failures = sum(step[0] == "tool_call" for step in steps), sum(step[4] for step in steps)
    circles = Circles()
    for step, text in pairs:
        if step[0] == "tool_call":
            circles.ask(None, step[1], text)
    return _NOTHING._replace(
        items=len(steps),
        tool_calls=calls,
        tool_errors=failures,
        repeated_calls=circles.repeated(),
        steps=compact_json(_bounded(steps)),
    )


def _turns(value: Any) -> list[tuple[Step, str]] | None:
    """One step with its text per turn and per tool call of an ``ng_trajectory``; null where there is none."""
    if not isinstance(value, dict) or not isinstance(value.get("turns"), list):
        return None
    pairs: list[tuple[Step, str]] = []
    for turn in value["turns"]:
        if isinstance(turn, dict):
            role = turn.get("role")
            text = text_of(turn.get("content", turn.get("answer")))
            pairs.append((["message", role if isinstance(role, str) else "assistant", len(text), None, 0], text))
    for call in listed(value.get("tool_calls")):
        if isinstance(call, dict):
            name, status = call.get("name", call.get("tool_name")), call.get("status")
            status = status if isinstance(status, str) else None
            failed = bool(call.get("error")) or status in FAILED_STATUS
            step = ["tool_call", name if isinstance(name, str) else None, 0, status, int(failed)]
            pairs.append((step, text_of(call.get("arguments"))))
    return pairs


def _bounded(steps: list[Step]) -> list[Step]:
    if len(steps) <= MOST_STEPS:
        return steps
    tail = MOST_STEPS - _HEAD - 1
    return [*steps[:_HEAD], ["omitted", None, len(steps) - _HEAD - tail, None, 0], *steps[-tail:]]
