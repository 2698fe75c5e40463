"""Ids of tasks and rollouts that a report cites."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from blade_pipeline.method.verification.markdown import Said, Table
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.truths import Truths

LISTED = r"(?:⟦\d+⟧(?! line)(?:\s*\([^()]*\))?(?:\s*(?:,|and|or)\s*)?)+"
_TASKS = re.compile(rf"\btasks?:?\s+(?P<list>{LISTED})", re.I)
_ROLLOUTS = re.compile(rf"\brollouts?:?\s+(?P<list>{LISTED})", re.I)
_PASSING = re.compile(rf"^(?:Passing|Failing): (?P<list>{LISTED})")
_BARE_TASK = re.compile(r"\btask (?:id )?#?(?P<id>\d+)(?!\w|[.-]\d|%| of\b|/\d)", re.I)
_BARE_ROLLOUT = re.compile(r"\brollout (?P<id>\d+-\d+(?:-a\d+)?)\b", re.I)
_TASK_HEADINGS = ("task", "task id", "tasks", "which")
_ROLLOUT_HEADINGS = ("rollout", "rollout id", "rollouts", "evidence (rollouts)")
_SHORTEST_PREFIX = 6
_LIKE_A_NAME = re.compile(r"(?=.*[A-Za-z]{3})[\w./-]+")
ALTERED = ("[U+", "[not shown]", "[redacted")
"""Marks of a name that a report does not show as the rows hold it."""


class Cited(NamedTuple):
    """An id in a report: of a task or of a rollout."""

    kind: str
    id: str


class Ids:
    """Knows the ids of a run, as text without the quotes of their JSON literals."""

    def __init__(self, truths: Truths) -> None:
        self.truths = truths
        self.tasks = {bare(task) for task in truths.task_ids}
        self.numbered = any(task.isdigit() for task in self.tasks)
        named = [task for task in self.tasks if not task.isdigit()]
        prefix = _common_start(named)
        shaped = len(prefix) >= _SHORTEST_PREFIX and _LIKE_A_NAME.fullmatch(prefix)
        word = prefix.rstrip("0123456789")
        counted = all(re.search(r"\d", task.removeprefix(word)) for task in named)
        like_all = rf"(?={re.escape(word)}[\w-]*\d)" if counted else ""
        self._shaped = re.compile(rf"(?<!\w){like_all}{re.escape(prefix)}[\w-]+") if shaped else None

    def exists(self, cited: Cited) -> bool:
        """Whether the run has such a task or rollout."""
        return is_among(cited.id, self.tasks if cited.kind == "task" else self.truths.rollouts)

    def in_words(self, said: Said) -> Iterator[Cited]:
        """The ids that a sentence cites."""
        for pattern, kind in ((_TASKS, "task"), (_ROLLOUTS, "rollout"), (_PASSING, "rollout")):
            for found in pattern.finditer(said.text):
                yield from (Cited(kind, name) for name in spans_of(found["list"], said))
        if self.numbered:
            yield from (Cited("task", found["id"]) for found in _BARE_TASK.finditer(said.text))
        yield from (Cited("rollout", found["id"]) for found in _BARE_ROLLOUT.finditer(said.text))
        if self._shaped is not None:
            words = self._shaped.finditer(said.text)
            yield from (Cited("task", found[0]) for found in words if not self._is_rollout(found[0]))

    def in_cell(self, table: Table, column: int, said: Said) -> Iterator[Cited]:
        """The ids that a cell cites because of its column."""
        heading = table.header[column].lower() if column < len(table.header) else ""
        kind = "task" if heading in _TASK_HEADINGS else "rollout" if heading in _ROLLOUT_HEADINGS else None
        if kind is None or said.text.lower() in ("sum", "total", "all"):
            return
        if said.spans:
            yield from (Cited(kind, name) for name in spans_of(said.text, said))
        elif column == 0 and re.fullmatch(r"[\w.:-]+", said.text) and not said.text.isdigit():
            yield Cited(kind, said.text)

    def numerals(self, said: Said) -> set[int]:
        """Where the numbers of ids stand that are written without code: they are no figures."""
        return {found.start("id") for found in _BARE_TASK.finditer(said.text)} if self.numbered else set()

    def _is_rollout(self, name: str) -> bool:
        return name in self.truths.rollouts


def is_among(cited: str, known: Collection[str]) -> bool:
    """Whether an id is one of those known, which are without quotes.

    A shortened one stands for those that it begins; one with characters made visible or taken out is not judged.
    """
    name = bare(cited)
    if name in known or any(mark in name for mark in ALTERED):
        return True
    shown = " ".join(name.removesuffix("…").split())
    forms = (" ".join(other.split()) for other in known)
    return any(form.startswith(shown) if name.endswith("…") else form == shown for form in forms)


def says_absent(said: Said) -> bool:
    """Whether a statement says itself that what it names is not there, as one on a stale label does."""
    return "which the run does not have" in said.text


def _common_start(names: list[str]) -> str:
    """What all names begin with."""
    first, last = min(names, default=""), max(names, default="")
    same = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:same]


def spans_of(text: str, said: Said) -> list[str]:
    """The code spans outside parentheses."""
    outside = re.sub(r"\([^()]*\)| of ⟦\d+⟧", "", text)
    return [said.spans[int(number)] for number in re.findall(r"⟦(\d+)⟧", outside)]
