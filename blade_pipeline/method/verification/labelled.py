"""What a report says of root causes: tasks that carry one, who decided it, why their rollouts were lost."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from blade_pipeline.method.verification.ablation import Ablation
from blade_pipeline.method.verification.carried import evident
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.ratios import N
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.subjects import Subjects
from blade_pipeline.models import LABELS

_NAMES = "|".join(LABELS)
_NO_RECORD = re.compile(
    rf"\brecord names a main cause for (?P<part>{N}) of (?P<whole>{N}) tasks?, "
    rf"which lost (?P<lost>{N}) points of pass@1"
    rf"(?:: (?P<passing_lost>{N}) points on (?P<passing>{N}) that pass in some repeat, (?P<rest_lost>{N}) points "
    rf"on (?P<rest>{N}) that)?"
)
_BY_ELIMINATION = re.compile(
    rf"\b(?P<label>KG|UK): [^:]*\bFor (?P<part>{N}) of these (?P<whole>{N}) no record names a main cause"
)
_FIRST_REASON = re.compile(
    rf"⟦(?P<span>\d+)⟧ in (?P<count>{N}) of (?P<total>{N}) lost rollouts of the tasks [a-zA-Z ]+: "
    rf".*\((?P<label>{_NAMES}), {N} of {N} tasks?\.\)"
)
_NO_SCORE = re.compile(rf"\((?P<part>{N}) of (?P<whole>{N}) expected rollouts?\) carry no score\b")
_OF_REPEATS = re.compile(
    rf"^Passes (?P<passed>{N}) of (?P<measured>{N}) repeats?(?:; {N} of (?P<failed>{N}) failed ones? answered)?"
)


def label_sentences(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """Tasks of a root cause with what they could gain, its first reason, and the rollouts that have no score."""
    counts = subjects.truths.counts
    yield from _by_what_was_seen(sentence, subjects)
    for found in _NO_SCORE.finditer(sentence.text):
        right = {"part": counts["without_score"], "whole": counts["rollouts"]}
        yield from named(found, sentence.figures, right, "rollouts without a score")
    for found in _FIRST_REASON.finditer(sentence.text):
        reason = sentence.said.spans[int(found["span"])]
        yield from named(found, sentence.figures, subjects.reasons_of(found["label"]).get(reason, {}), reason)


def _by_what_was_seen(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """Tasks of which no record names a cause, what they lost, and how many of a label rest on that."""
    every, tasks = subjects.truths.ablation, subjects.truths.counts["tasks"]
    for found in _NO_RECORD.finditer(sentence.text):
        own = [row for row in subjects.lossy_rows if not evident(row)]
        parts: dict[str, float | None] = {"part": len(own), "whole": tasks}
        parts |= _lost_parts(own, every, tasks)
        yield from named(found, sentence.figures, parts, "tasks of which no record names a cause")
    for found in _BY_ELIMINATION.finditer(sentence.text):
        own = [row for row in subjects.lossy_rows if row["label"] == found["label"]]
        right = {"part": sum(not evident(row) for row in own), "whole": len(own)}
        yield from named(found, sentence.figures, right, f"tasks labelled {found['label']}")


def _lost_parts(rows: list[dict[str, Any]], every: Ablation | None, tasks: float) -> dict[str, float | None]:
    if every is None:
        return {}
    passing = [row for row in rows if every.passes(row)]
    lost, passing_lost = (100 * every.lost_by(part)[0] / tasks for part in (rows, passing))
    found: dict[str, float | None] = {"lost": lost, "passing_lost": passing_lost, "passing": len(passing)}
    return found | {"rest_lost": lost - passing_lost, "rest": len(rows) - len(passing)}


def decided(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """How many tasks carry a label by one rule or by an analyst, in the row that names both."""
    if cell.heading == "tasks" and cell.lone is not None:
        key = (cell.name, cell.beside("decided by"), cell.beside("confidence"))
        right = _by_who(subjects)[key]
        yield from claim(cell.lone, exactly(right or None, f"tasks labelled {cell.name} so"))


def repeats_in_note(cell: Cell, passed: int, measured: int) -> Iterator[Claim]:
    """What the note of a task's label says of its repeats."""
    found = _OF_REPEATS.match(cell.said.text)
    if found and cell.heading == "note":
        right = {"passed": passed, "measured": measured, "failed": measured - passed}
        yield from named(found, cell.figures, right, f"repeats of task {cell.name}")


def _by_who(subjects: Subjects) -> Counter[tuple[str, str, str]]:
    return Counter(
        (
            str(row["label"]),
            "analyst" if row.get("by") == "analyst" else f"proposed by rule: {row.get('rule') or 'unnamed'}",
            str(row.get("confidence") or ""),
        )
        for row in subjects.label_rows
    )
