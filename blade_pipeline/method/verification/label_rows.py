"""What the list of labels says task by task, recounted from the labels and, where it counts repeats, from the rows."""

import re
from collections.abc import Iterator
from typing import Any

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.restated import restated
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.subjects import Subjects

_LIST = re.compile(rf"^Labels task by task, {N} of (?P<labels>{N})")
_NO_LABEL = re.compile(rf"\((?P<part>{N}) of (?P<whole>{N}) failed or mixed tasks?\) carr(?:y|ies) no label\b")
_FAILS = re.compile(rf"^Fails all (?P<measured>{N}) measured repeats(?:; {N} of (?P<failed>{N}) failed ones answered)?")
_MORE = re.compile(rf" and (?P<more>{N}) more$")
_ONE = r"⟦\d+⟧"


def label_counts(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """How many labels the list is of, and how many tasks have none."""
    rows = subjects.label_rows
    if rows and (found := _LIST.match(sentence.text)):
        decided = [row for row in rows if row["label"] != "unlabelled" or row.get("by") == "analyst"]
        yield from named(found, sentence.figures, {"labels": len(decided)}, "of decided tasks")
    if rows and (found := _NO_LABEL.search(sentence.text)):
        open_ = sum(row["label"] == "unlabelled" and row.get("by") != "analyst" for row in rows)
        whole = sum(subjects.labels.values()) if subjects.labels else len(rows)
        yield from named(found, sentence.figures, {"part": open_, "whole": whole}, "failed or mixed tasks")


def label_cell(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """A cell of the list: how many rollouts prove a label beside those named, and what its note says."""
    if cell.heading not in ("evidence (rollouts)", "note"):
        return
    own = subjects.labels_of.get(cell.name, [])
    if cell.heading == "evidence (rollouts)":
        yield from _further(cell, [len(row.get("evidence") or ()) for row in own], f"rollouts that prove {cell.name}")
        return
    yield from _repeats(cell, subjects)
    notes = [row.get("note") for row in own if row.get("by") != "analyst"]
    yield from restated(cell.said.text, cell.figures, notes, f"the note on task {cell.name}")


def which_tasks(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """How many tasks carry a label by one rule or by an analyst beside those named."""
    if cell.heading == "which":
        who = cell.beside("decided by").removeprefix("proposed by rule: ")
        own = [row for row in subjects.label_rows if row["label"] == cell.name and _by(row) == who]
        found = [row for row in own if str(row.get("confidence") or "") == cell.beside("confidence")]
        yield from _further(cell, [len(found)], f"tasks labelled {cell.name} so")


def _by(row: dict[str, Any]) -> str:
    return "analyst" if row.get("by") == "analyst" else str(row.get("rule") or "unnamed")


def _further(cell: Cell, sizes: list[int], what: str) -> Iterator[Claim]:
    """The rest of a list that is cut off: what it holds in all less what is named."""
    found = _MORE.search(cell.said.text)
    figure = cell.figures.get(found.start("more")) if found else None
    if figure is not None:
        shown = len(re.findall(_ONE, cell.said.text))
        yield from claim(figure, [option for size in sizes for option in exactly(size - shown, f"further {what}")])


def _repeats(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    known, found = subjects.truths.tasks.get(cell.name, []), _FAILS.match(cell.said.text)
    if found and len(known) == 1:
        right = {"measured": known[0].measured, "failed": known[0].measured - known[0].passed}
        yield from named(found, cell.figures, right, f"repeats of task {cell.name}")
