"""Cited rollouts that exist and still are not those that the words speak of: they ended otherwise, or are another's."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blade_pipeline.method.verification.ids import LISTED, Cited, is_among, spans_of
from blade_pipeline.method.verification.markdown import Said, Table
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.records import RolloutTruth
from blade_pipeline.method.verification.truths import Truths

_SIDE = re.compile(r"^(?P<id>.+) (?P<how>passes|fails)$")
_LISTED = re.compile(rf"^(?P<how>Passing|Failing): (?P<list>{LISTED})")
_ENDED = re.compile(
    r"(?:⟦(?P<span>\d+)⟧|(?<![\w-])(?P<bare>\d+-\d+(?:-a\d+)?)) (?P<how>passe[sd]|fails|failed)"
    r"(?=[,.;:)]|$| (?:and|but|while|because|with|after)\b)"
)
_OF_TASK = re.compile(r"\btask ⟦(?P<task>\d+)⟧(?:, rollout |: )⟦(?P<rollout>\d+)⟧")
_PAIR = re.compile(r"\btask ⟦(?P<task>\d+)⟧: ⟦\d+⟧ passes and ⟦(?P<rollout>\d+)⟧ fails")
_EXAMPLE = re.compile(r"^⟦(?P<mode>\d+)⟧: task ⟦\d+⟧, rollout ⟦(?P<rollout>\d+)⟧")
_PLACED = re.compile(r"⟦(?P<rollout>\d+)⟧ \(⟦\d+⟧ line ")
_HEADING = re.compile(r"^Task (?P<task>.+): \d+ of \d+ measured repeats pass\b")
_QUALIFIED = re.compile(r"( stage \d+)?( of .*)?$")
_FACTS = ["Id", "Fact"]


class Misplaced(NamedTuple):
    """A cited rollout and what is wrong with it."""

    rollout: Cited
    problem: str


class WhoseRollouts:
    """Knows how each rollout ended, of which task it is and which failure mode it shows."""

    def __init__(self, truths: Truths) -> None:
        self._truths = truths
        causes = truths.evidence.documents.get("root_causes") or {}
        self._read_by_people = {bare(row["task"]) for row in causes.get("labels") or () if row.get("by") == "analyst"}

    def in_unit(self, said: Said, path: tuple[str, ...]) -> Iterator[Misplaced]:
        """What a sentence says wrongly of rollouts: passes, fails, of this task, shows this mode."""
        listed = _LISTED.match(said.text)
        names = spans_of(listed["list"], said) if listed else []
        for name in names:
            yield from self._ended(name, passed=bool(listed) and said.text.startswith("Passing"))
        yield from self._of(_task_of(path), [*names, *self._spans(_PLACED, said)])
        for found in _ENDED.finditer(said.text):
            name = said.spans[int(found["span"])] if found["span"] else found["bare"]
            yield from self._ended(name, passed=found["how"].startswith("passe"))
        for pattern in (_OF_TASK, _PAIR):
            for found in pattern.finditer(said.text):
                yield from self._of(said.spans[int(found["task"])], [said.spans[int(found["rollout"])]])
        for found in _EXAMPLE.finditer(said.text):
            yield from self._shows(said.spans[int(found["mode"])], [said.spans[int(found["rollout"])]])

    def in_header(self, table: Table) -> Iterator[Misplaced]:
        """Rollouts that stand side by side: the one passes, the other fails, and both are of the task above."""
        for side in filter(None, map(_SIDE.match, table.header if table.header[0] == "Feature" else ())):
            if not is_among(side["id"], self._truths.rollouts):
                yield Misplaced(Cited("rollout", side["id"]), "does not exist")
            yield from self._ended(side["id"], passed=side["how"] == "passes")
            yield from self._of(_task_of(table.path), [side["id"]])

    def in_row(self, table: Table, cells: Sequence[Said]) -> Iterator[Misplaced]:
        """Rollouts of a row: of the task that the row or the heading names, or with the mode that its fact names."""
        headings = [heading.lower() for heading in table.header]
        if headings[0] == "rollout":
            yield from self._of(_task_of(table.path), cells[0].spans[:1])
        if headings[0] == "task" and "evidence (rollouts)" in headings[: len(cells)]:
            task = "".join(cells[0].spans[:1])
            if bare(task) not in self._read_by_people:
                yield from self._of(task, cells[headings.index("evidence (rollouts)")].spans)
        if table.header[:2] == _FACTS and cells[-1].text.startswith("failure mode: ") and cells[1].spans:
            yield from self._shows(cells[1].spans[0], cells[-1].spans)

    def _known(self, name: str) -> list[RolloutTruth]:
        return self._truths.rollouts.get(bare(name), [])

    def _ended(self, name: str, *, passed: bool) -> Iterator[Misplaced]:
        ended = {truth.passed for truth in self._known(name)}
        if ended and passed not in ended:
            yield Misplaced(Cited("rollout", name), "did not end so")

    def _of(self, task: str | None, names: Sequence[str]) -> Iterator[Misplaced]:
        if task is None or bare(task) not in self._truths.tasks:
            task = _QUALIFIED.sub("", task or "")
        if bare(task) not in self._truths.tasks:
            return
        for name in names:
            tasks = {bare(truth.task) for truth in self._known(name)}
            if tasks and bare(task) not in tasks:
                yield Misplaced(Cited("rollout", name), "is of another task")

    def _shows(self, mode: str, names: Sequence[str]) -> Iterator[Misplaced]:
        if mode not in self._truths.modes:
            return
        for name in names:
            modes = {truth.mode for truth in self._known(name)}
            if modes and mode not in modes:
                yield Misplaced(Cited("rollout", name), "shows another failure mode")

    @staticmethod
    def _spans(pattern: re.Pattern[str], said: Said) -> list[str]:
        return [said.spans[int(found["rollout"])] for found in pattern.finditer(said.text)]


def _task_of(path: tuple[str, ...]) -> str | None:
    """The task that the last heading names."""
    found = _HEADING.match(path[-1]) if path else None
    return found["task"] if found else None
