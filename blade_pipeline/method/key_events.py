"""What happened in a rollout, in the order in which it happened, in a few clauses."""

from itertools import groupby
from typing import Any

Step = list[Any]

FIRST, LAST = 7, 4
"""Events that are told of a longer list: so many from its beginning and from its end."""

IN_A_ROW = 3
"""Calls of one tool in a row from which they are told together."""


def key_events(steps: list[Step], stop: str | None) -> list[str]:
    """Clauses in time order: every tool's first call, calls in a row, errors with what came next, and the end.

    An error is told with the step that follows it, never with one before, so that what went wrong first is not laid to
    what the model did later. Steps are numbered from 1 as in the recorded list; a part left out of the list has no
    number of its own.

    Args:
        steps: list of ``[kind, name, size, status, error]``.
        stop: why the response ended, where it says.
    """
    events = _told(_numbered(steps))
    if stop and stop != "completed":
        events.append(f"the response ends as `{stop}`")
    hidden = len(events) - FIRST - LAST
    if hidden < 2:
        return events
    return [*events[:FIRST], f"{hidden} further events", *events[-LAST:]]


def _numbered(steps: list[Step]) -> list[tuple[int, Step]]:
    """The steps that act, with their numbers; thinking is none."""
    return [(number, step) for number, step in enumerate(steps, start=1) if step[0] not in ("reasoning", "model_call")]


def _told(steps: list[tuple[int, Step]]) -> list[str]:
    events: list[str] = []
    seen: set[str] = set()
    calls = dict(_runs(steps))
    for place, (number, step) in enumerate(steps):
        kind, name = step[0], step[1]
        following = steps[place + 1] if place + 1 < len(steps) else None
        if step[4]:
            events.append(f"step {number}: {_output(step)} looks like an error{_after(step, following)}")
        elif kind == "tool_call" and (calls.get(number, 0) >= IN_A_ROW or name not in seen):
            events.append(f"step {number}: {_calls(name, calls.get(number, 1))}")
        elif kind == "message" and name not in (None, "assistant"):
            events.append(f"step {number}: gets a {name} message")
        elif kind == "omitted":
            events.append(f"{step[2]} steps that are not on record")
        if kind == "tool_call":
            seen.add(name)
    return [*events, *_end(*steps[-1])] if steps else events


def _runs(steps: list[tuple[int, Step]]) -> list[tuple[int, int]]:
    """First step and number of the calls of each stretch in which one tool is called and no other."""
    calls = [(number, step[1]) for number, step in steps if step[0] == "tool_call"]
    stretches = [list(found) for _, found in groupby(calls, key=lambda call: call[1])]
    return [(stretch[0][0], len(stretch)) for stretch in stretches]


def _calls(name: str | None, times: int) -> str:
    return f"calls {_named(name)}" + (f" {times} times in a row" if times >= IN_A_ROW else "")


def _named(name: str | None) -> str:
    return f"`{name}`" if name else "a tool"


def _output(step: Step) -> str:
    return f"the output of {_named(step[1])}" if step[0] == "tool_output" else f"the {step[0].replace('_', ' ')}"


def _after(step: Step, following: tuple[int, Step] | None) -> str:
    """What came next after an error."""
    if following is None:
        return ", and nothing follows"
    kind, name = following[1][:2]
    if kind == "tool_call":
        return f"; it calls {_named(name)}{' again' if name == step[1] else ''} next"
    return "; it writes a message next" if kind == "message" and name in (None, "assistant") else ""


def _end(number: int, step: Step) -> list[str]:
    """What the last step is; an error and what a user wrote are told already."""
    kind, name, size, _, error = step
    if error or kind == "omitted" or (kind == "message" and name not in (None, "assistant")):
        return []
    if kind == "message":
        return [f"step {number}, the last: {f'a message of {size} characters' if size else 'a message without text'}"]
    if kind == "tool_output":
        return [f"step {number}, the last: the output of {_named(name)}, with no answer after it"]
    return [f"step {number} is the last: the call has no output"] if kind == "tool_call" else []
