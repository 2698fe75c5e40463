"""The tool calls of one rollout: how many, which failed, and what they repeat, change and check."""

from typing import NamedTuple

from blade_pipeline.gym.checks import Checks
from blade_pipeline.gym.circles import Circles
from blade_pipeline.gym.edited_tests import edited_test
from blade_pipeline.gym.open_errors import open_errors


class CallSummary(NamedTuple):
    """Counts over the calls of one rollout; ``checked`` and ``open_errors`` as ``Checks`` and ``open_errors`` say."""

    calls: int
    errors: int
    repeated: int
    similar: int
    edited_tests: int
    checked: bool | None
    open_errors: list[list[str]]


NO_CALLS = CallSummary(0, 0, 0, 0, 0, None, [])


class ToolCalls:
    """Takes the calls of one rollout and what came back, in order."""

    __slots__ = ("_checks", "_circles", "_edited", "_errors", "_failures", "_tools")

    def __init__(self) -> None:
        self._errors = 0
        self._circles = Circles()
        self._checks = Checks()
        self._tools: dict[str, str] = {}
        self._edited: set[str] = set()
        self._failures: list[tuple[int | None, str]] = []

    def call(self, call_id: object, tool: str | None, arguments: str) -> None:
        """Note a call."""
        if tool is not None and isinstance(call_id, str):
            self._tools[call_id] = tool
        self._circles.ask(call_id, tool, arguments)
        self._checks.call(tool, arguments)
        if (path := edited_test(tool, arguments)) is not None:
            self._edited.add(path)

    def answer(self, call_id: object, text: str, *, failed: bool) -> str | None:
        """Note what came back from a call; the call's tool, null where that is unknown."""
        place = self._circles.answer(call_id, text)
        if failed:
            self._errors += 1
            self._failures.append((place, text))
        return self._tools.get(call_id) if isinstance(call_id, str) else None

    def summary(self) -> CallSummary:
        """What the calls noted so far come to."""
        asked, answers = self._circles.calls()
        return CallSummary(
            len(asked),
            self._errors,
            self._circles.repeated(),
            self._circles.similar(),
            len(self._edited),
            self._checks.checked,
            open_errors(asked, answers, self._failures),
        )
