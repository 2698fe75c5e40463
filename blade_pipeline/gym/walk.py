"""The walk over the items of one output: its steps, its answer, and the texts that make two outputs equal."""

from typing import Any

from blade_pipeline.gym.content import text_digest, text_of
from blade_pipeline.gym.ng_turns import Step
from blade_pipeline.gym.repetition import repeated_sentences
from blade_pipeline.gym.tool_calls import ToolCalls
from blade_pipeline.gym.toolerrors import FAILED_STATUS, looks_like_error
from blade_pipeline.gym.values import listed

_TEXT = 2  # place of the text among a step's kind, name and text

Item = dict[str, Any]


class Walk:
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
        return text_digest("\x1f".join(self._parts))

    def pairs(self) -> list[tuple[Step, str]]:
        """Every step with its text."""
        return list(zip(self.steps, self._parts[_TEXT::3], strict=True))

    def add(self, item: Any) -> None:
        """Take the next item."""
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
