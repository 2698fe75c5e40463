"""What happened in a rollout, in the order in which it happened, in a few clauses."""

from itertools import groupby
from typing import Any

Step = list[Any]
Numbered = tuple[int, Step]

FIRST, LAST = 7, 4
"""Events that are told of a longer list: so many from its beginning and from its end."""

IN_A_ROW = 3
"""Calls of one tool, with none of another in between, from which they are told together."""


def key_events(steps: list[Step], stop: str | None) -> list[str]:
    """Clauses in time order: every tool's first call, several calls of one, messages of others, errors, and the end.

    An error is told with the step that follows it, never with one before, so that what went wrong first is not laid to
    what the model did later. Steps are numbered from 1 as in the recorded list. What stood before the model's first
    step is the task and no event.

    Args:
        steps: list of ``[kind, name, size, status, error]``.
        stop: why the response ended, where it says.
    """
    own = acts(steps)
    events = [*_told(own[:-1], own[-1:]), *(_end(*own[-1]) if own else ())]
    if stop and stop != "completed":
        events.append(f"the response ends as `{stop}`")
    hidden = len(events) - FIRST - LAST
    if hidden < 2:
        return events
    return [*events[:FIRST], f"{hidden} further events", *events[-LAST:]]


def acts(steps: list[Step]) -> list[Numbered]:
    """The steps from the model's first one on, with their numbers; thinking is none."""
    numbered = [
        (number, step) for number, step in enumerate(steps, start=1) if step[0] not in ("reasoning", "model_call")
    ]
    first = next((place for place, (_, step) in enumerate(numbered) if not _is_others(step)), len(numbered))
    return numbered[first:]


def _is_others(step: Step) -> bool:
    """Whether somebody else than the model wrote it."""
    return step[0] == "message" and step[1] not in (None, "assistant")


def _told(steps: list[Numbered], last: list[Numbered]) -> list[str]:
    """The events of all steps but the last."""
    events: list[str] = []
    seen: set[str] = set()
    calls, turns = _runs([*steps, *last]), _messages(steps)
    for place, (number, step) in enumerate(steps):
        kind, name = step[:2]
        if step[4]:
            events.append(
                f"step {number}, {_output(step)}, looks like an error{_after(step, [*steps, *last][place + 1])}"
            )
        elif kind == "tool_call" and (calls.get(number, 0) >= IN_A_ROW or name not in seen):
            times = f" {calls[number]} times with no other tool in between" if calls.get(number, 0) >= IN_A_ROW else ""
            events.append(f"step {number} calls {_named(name)}{times}")
        elif number in turns:
            events.append(turns[number])
        elif kind == "omitted":
            events.append(f"{step[2]} steps are not on record")
        if kind == "tool_call":
            seen.add(name)
    return events


def _runs(steps: list[Numbered]) -> dict[int, int]:
    """How many calls each stretch holds in which one tool is called and no other, by its first step."""
    calls = [(number, step[1]) for number, step in steps if step[0] == "tool_call"]
    stretches = [list(found) for _, found in groupby(calls, key=lambda call: call[1])]
    return {stretch[0][0]: len(stretch) for stretch in stretches}


def _messages(steps: list[Numbered]) -> dict[int, str]:
    """What others wrote, by the first step of each stretch in which the model only answers them."""
    talk = [(number, step) for number, step in steps if step[0] != "message" or _is_others(step)]
    found = {}
    for name, stretch in groupby(talk, key=lambda entry: entry[1][1] if _is_others(entry[1]) else None):
        numbers = [number for number, _ in stretch]
        if name is not None:
            more = f" and {len(numbers) - 1} more up to step {numbers[-1]}" if len(numbers) > 1 else ""
            found[numbers[0]] = f"step {numbers[0]} is a {name} message{more}"
    return found


def _named(name: str | None) -> str:
    return f"`{name}`" if name else "a tool"


def _output(step: Step) -> str:
    return f"the output of {_named(step[1])}" if step[0] == "tool_output" else f"a {step[0].replace('_', ' ')}"


def _after(step: Step, following: Numbered) -> str:
    """What came next after an error."""
    kind, name = following[1][:2]
    if kind == "tool_call":
        return f" and is followed by a call of {_named(name)}{' again' if name == step[1] else ''}"
    return " and is followed by a message" if kind == "message" and not _is_others(following[1]) else ""


def _end(number: int, step: Step) -> list[str]:
    """What the last step is."""
    kind, name, size, _, error = step
    last = f"step {number}, the last,"
    if error:
        return [f"{last} {_output(step)}, looks like an error"]
    if kind == "message":
        what = f"{name} message" if _is_others(step) else "message"
        return [f"{last} is a {what} {f'of {size} characters' if size else 'without text'}"]
    if kind == "tool_output":
        return [f"{last} is the output of {_named(name)}, with no answer after it"]
    return [f"{last} calls {_named(name)} and has no output on record"] if kind == "tool_call" else []
