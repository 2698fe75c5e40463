"""Counts the calls of a rollout that ask what was asked before, or nearly so, and get the same answer."""

import re
from collections import Counter

_LONGEST = 2000
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\w+")
_SHORT = 300
"""Characters up to which an answer is compared when it came to other arguments; a longer one is a text of its own."""

_OFTEN = 5
"""Calls of one tool from which small changes in the arguments are looked at."""

_REMEMBERED = 20
_ALIKE = 0.5
"""Share of the words of two calls' arguments from which they ask nearly the same."""


class Circles:
    """The tool calls of one rollout and what came back."""

    __slots__ = ("_answers", "_asked", "_open")

    def __init__(self) -> None:
        self._asked: list[tuple[str, str]] = []
        self._answers: list[str | None] = []
        self._open: dict[object, int] = {}

    def ask(self, call_id: object, tool: str | None, arguments: str) -> None:
        """Note a call; one without an id is answered by the next answer without an id."""
        self._open[call_id if isinstance(call_id, str) else None] = len(self._asked)
        self._asked.append((tool or "", arguments))
        self._answers.append(None)

    def answer(self, call_id: object, text: str) -> int | None:
        """Note what came back; the place of its call, null where that is unknown."""
        place = self._open.get(call_id if isinstance(call_id, str) else None)
        if place is not None:
            self._answers[place] = text
        return place

    def calls(self) -> tuple[list[tuple[str, str]], list[str | None]]:
        """Tool and arguments of every call, and what came back from each."""
        return self._asked, self._answers

    def __bool__(self) -> bool:
        """Whether something was asked."""
        return bool(self._asked)

    def repeated(self) -> int:
        """Calls whose tool, arguments and answer all occurred before; numbers in an answer may differ.

        A call without an answer counts only where no call has one: beside answered ones, what came of it is unknown.
        """
        if len(set(self._asked)) == len(self._asked):
            return 0
        several = {asked for asked, times in Counter(self._asked).items() if times > 1}
        seen: set[tuple[tuple[str, str], str | None]] = set()
        count = 0
        recorded = any(text is not None for text in self._answers)
        for asked, text in zip(self._asked, self._answers, strict=True):
            if asked in several and (text is not None or not recorded):
                key = asked, None if text is None else _NUMBER.sub("0", text[:_LONGEST])
                count += key in seen
                seen.add(key)
        return count

    def similar(self) -> int:
        """Calls of an often called tool with nearly the arguments of an earlier one and the same short answer.

        What an answer takes from its own arguments is left out; its numbers count.
        """
        if len(self._asked) < _OFTEN:
            return 0
        often = {tool for tool, times in Counter(tool for tool, _ in self._asked).items() if times >= _OFTEN}
        seen: dict[tuple[str, tuple[str, ...]], list[frozenset[str]]] = {}
        count = 0
        for (tool, arguments), text in zip(self._asked, self._answers, strict=True):
            if tool not in often or text is None or len(text) > _SHORT:
                continue
            words = frozenset(_WORD.findall(arguments[:_LONGEST].lower()))
            rest = tuple(word for word in _WORD.findall(text.lower()) if word not in words)
            before = seen.setdefault((tool, rest), [])
            count += any(len(words & other) >= _ALIKE * max(len(words), len(other)) for other in before)
            if len(before) < _REMEMBERED:
                before.append(words)
        return count
