"""What failing rollouts do or leave out more often than passing ones of the same tasks, recounted from their steps."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from blade_pipeline.method.failure_rules import FALLBACKS, STOPPED
from blade_pipeline.method.verification.claims import Claim, named
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence

Row = dict[str, Any]
Answer = Callable[[Row], bool | None]
"""Whether a rollout does something; null where the question is not put to it."""

_SENTENCE = re.compile(
    rf"Of the failing rollouts[^\d⟦]*? (?P<failing_with>{N}) of (?P<failing>{N}) (?P<act>[^,\d]*?)"
    rf"(?:⟦(?P<span>\d+)⟧)?, of (?:the|such) passing ones of the same (?P<tasks>{N}) tasks "
    rf"(?P<passing_with>{N}) of (?P<passing>{N})"
)
_PLAIN = {STOPPED, *(rule.code for rule in FALLBACKS)}


class Acts:
    """Recounts the sentences of patterns over the tasks of which passing and failing rollouts can answer."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    def of_sentence(self, sentence: Sentence) -> Iterator[Claim]:
        """The five figures of a pattern's sentence."""
        for found in _SENTENCE.finditer(sentence.text):
            subject = sentence.said.spans[int(found["span"])] if found["span"] else ""
            act = found["act"].strip()
            ask = _answer(act, subject)
            if ask is not None:
                yield from named(found, sentence.figures, self._tally(ask), f"rollouts that {act} {subject}".strip())

    def _tally(self, ask: Answer) -> Mapping[str, float]:
        answers: dict[Any, dict[bool, list[bool]]] = defaultdict(lambda: {True: [], False: []})
        for row in self._rows:
            if (does := ask(row)) is not None:
                answers[row["agent"], row["stage"], row["task"]][row["passed"]].append(does)
        both = [own for own in answers.values() if own[True] and own[False]]
        sides = {"passing": True, "failing": False}
        found: dict[str, float] = {"tasks": len(both)}
        found |= {side: sum(len(own[passed]) for own in both) for side, passed in sides.items()}
        return found | {f"{side}_with": sum(sum(own[passed]) for own in both) for side, passed in sides.items()}

    @cached_property
    def _rows(self) -> list[Row]:
        """Measured rollouts with their steps and whether a failing one shows no symptom."""
        key = ["agent", "stage", "task", "repeat"]
        modes = {tuple(row[name] for name in key): row["mode"] for row in self._evidence.modes.to_pylist()}
        columns = [*key, "outcome", "passed", "steps", "checked", "incomplete_reason", "response_status"]
        found = []
        for row in self._evidence.aligned.select(columns).to_pylist():
            mode = modes.get(tuple(row[name] for name in key)) or ""
            row["plain"] = row["passed"] or mode in _PLAIN or ":" in mode
            steps = json.loads(row["steps"]) if row["steps"] else None
            row["steps"] = None if steps is None or any(step[0] == "omitted" for step in steps) else steps
            found += [row] if row["outcome"] == "measured" else []
        return found


def _answer(act: str, subject: str) -> Answer | None:
    """The question that the words of a sentence answer with yes."""
    if act == "end with":
        return lambda row: None if _stop(row) is None else _stop(row) == subject
    asked: dict[str, Answer] = {
        "call the tool": lambda row: subject in _called(row),
        "never call the tool": lambda row: subject not in _called(row),
        "stop after an error of the tool": lambda row: _ends_at(row) == subject,
        "call it again": _retries,
        "do not call it again": lambda row: _not(_retries(row)),
        "then get an answer without an error": _succeeds,
        "get no answer without an error": lambda row: _not(_succeeds(row)),
        "run tests or another check after the last change": lambda row: row["checked"],
        "run no test or other check after the last change": lambda row: _not(row["checked"]),
    }
    known = asked.get(act)
    if known is None:
        return None
    return lambda row: known(row) if row["plain"] and row["steps"] is not None else None


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _stop(row: Row) -> str | None:
    stop: str | None = row["incomplete_reason"] or row["response_status"]
    return stop


def _moves(row: Row) -> list[list[Any]]:
    return [step for step in row["steps"] if step[0] in ("tool_call", "tool_output") and step[1] is not None]


def _called(row: Row) -> set[str]:
    return {step[1] for step in _moves(row) if step[0] == "tool_call"}


def _ends_at(row: Row) -> str | None:
    """The tool whose error is the last move."""
    moves = _moves(row)
    return moves[-1][1] if moves and moves[-1][0] == "tool_output" and moves[-1][4] else None


def _retries(row: Row) -> bool | None:
    """Whether any tool that gave an error is called again; null without an error."""
    tries = _tries(row)
    return any(again for again, _ in tries) if tries else None


def _succeeds(row: Row) -> bool | None:
    """Whether every tool that is called again after its error gives an answer without one; null without such a tool."""
    again = [succeeded for called, succeeded in _tries(row) if called]
    return all(again) if again else None


def _tries(row: Row) -> list[tuple[bool, bool]]:
    """Per tool that gave an error: whether a call followed, and an answer without an error behind that call."""
    state: dict[str, list[bool]] = {}
    for kind, tool, _, _, failed, *_ in _moves(row):
        if kind == "tool_output" and failed:
            state.setdefault(tool, [False, False])
        elif tool in state and kind == "tool_call":
            state[tool][0] = True
        elif tool in state and state[tool][0]:
            state[tool][1] = True
    return [(called, succeeded) for called, succeeded in state.values()]
