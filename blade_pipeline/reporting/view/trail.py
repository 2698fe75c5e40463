"""A rollout's steps in order, as names and counts only."""

import json
from dataclasses import dataclass, replace

from blade_pipeline.reporting.blocks import Piece, Text, code, say

LONGEST = 14
"""Parts of a trail; of a longer one the first nine and the last four are shown."""
_HEAD, _TAIL = 9, 4
TURNS = 3
"""Turns of two segments in a row from which they are told once."""


@dataclass(frozen=True)
class Segment:
    """Steps of one kind in a row."""

    name: str
    tool: bool
    times: int = 1
    errors: int = 0

    def words(self) -> Text:
        """The segment as the report shows it."""
        shown: str | Piece = code(self.name) if self.tool else self.name
        times = f" ×{self.times}" if self.times > 1 else ""
        return say(shown, times, _errors(self.errors))

    @property
    def steps(self) -> int:
        """How many steps it stands for."""
        return self.times


@dataclass(frozen=True)
class Turns:
    """Two segments that take turns."""

    first: Segment
    second: Segment
    times: int
    errors: int

    @property
    def steps(self) -> int:
        """Steps of all turns."""
        return 2 * self.times

    def words(self) -> Text:
        """The turns as the report shows them."""
        first, second = (replace(segment, errors=0).words() for segment in (self.first, self.second))
        return say("(", first, " → ", second, f") ×{self.times}", _errors(self.errors))


Part = Segment | Turns


def trail(steps: str | None) -> Text:
    """Tool calls by name, messages by role; repeats are counted, errors marked, reasoning left out.

    Args:
        steps: JSON list of ``[kind, name, size, status, error]``, or null.
    """
    found = _parts(segments(steps))
    if not found:
        return say("reasoning only" if json.loads(steps or "[]") else "no steps on record")
    if len(found) <= LONGEST:
        return _joined(found)
    hidden = sum(part.steps for part in found[_HEAD:-_TAIL])
    return say(_joined(found[:_HEAD]), f" → {hidden} further steps → ", _joined(found[-_TAIL:]))


def segments(steps: str | None) -> list[Segment]:
    """Neighbouring steps of one kind together; the error of a tool's output belongs to its call."""
    found: list[Segment] = []
    for kind, name, size, _, error in json.loads(steps or "[]"):
        if kind == "reasoning":
            continue
        if kind == "tool_output":
            _mark(found, str(name), bool(error))
            continue
        _append(found, _segment(str(kind), name, size, bool(error)))
    return found


def _parts(found: list[Segment]) -> list[Part]:
    """The segments, those that take turns in twos as one."""
    parts: list[Part] = []
    place = 0
    while place < len(found):
        turns = _turns(found, place)
        if turns >= TURNS:
            chosen = found[place : place + 2 * turns]
            parts.append(Turns(chosen[0], chosen[1], turns, sum(segment.errors for segment in chosen)))
            place += 2 * turns
        else:
            parts.append(found[place])
            place += 1
    return parts


def _turns(found: list[Segment], place: int) -> int:
    """How often the segment at a place and the one after it come in turn from there on, each once at a time."""
    pair = [(segment.name, segment.tool) for segment in found[place : place + 2]]
    turns = 0
    while (
        len(pair) == 2
        and [
            (segment.name, segment.tool)
            for segment in found[place + 2 * turns : place + 2 * turns + 2]
            if segment.times == 1
        ]
        == pair
    ):
        turns += 1
    return turns


def _errors(number: int) -> str:
    return f" ({number} {'error' if number == 1 else 'errors'})" if number else ""


def _segment(kind: str, name: object, size: object, error: bool) -> Segment:
    if kind == "tool_call":
        return Segment(str(name), tool=True, errors=int(error))
    if kind == "omitted":
        return Segment("steps left out", tool=False, times=int(str(size)))
    words = "message" if kind == "message" and name in ("assistant", None) else f"{name} message"
    return Segment(words if kind == "message" else kind, tool=False, errors=int(error))


def _append(found: list[Segment], new: Segment) -> None:
    last = found[-1] if found else None
    if last is not None and (last.name, last.tool) == (new.name, new.tool):
        found[-1] = replace(last, times=last.times + new.times, errors=last.errors + new.errors)
    else:
        found.append(new)


def _mark(found: list[Segment], name: str, error: bool) -> None:
    for position in range(len(found) - 1, -1, -1):
        if found[position].tool and found[position].name == name:
            found[position] = replace(found[position], errors=found[position].errors + error)
            return


def _joined(found: list[Part]) -> Text:
    pieces: list[Piece] = []
    for position, segment in enumerate(found):
        pieces += [*(say(" → ") if position else ()), *segment.words()]
    return tuple(pieces)
