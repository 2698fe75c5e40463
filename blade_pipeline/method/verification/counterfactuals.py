"""What the ablation table claims, the sentences around it, and the score that a recommendation says is to recover."""

import re
from collections.abc import Iterator

from blade_pipeline.method.verification.ablation import Row
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, named
from blade_pipeline.method.verification.ratios import N, ratios
from blade_pipeline.method.verification.sentences import Sentence
from blade_pipeline.method.verification.subjects import Subjects
from blade_pipeline.models import LABELS

_BETWEEN = re.compile(
    rf"Between the baseline and each task's best rollout lie (?P<oracle>{N}) points\. The modes (?:and the rollouts "
    rf"without a score )?account for (?P<all_modes>{N}) points of them; (?P<rest>{N}) points"
)
_BASELINE = re.compile(rf"\bthe baseline is (?P<baseline>{N})%")
_RECOVER = re.compile(
    rf"\b(?P<label>{'|'.join(LABELS)}): {N} of {N} tasks?, at most (?P<most>{N}) of {N} task scores? \({N}%\) to "
    rf"recover(?:; (?P<reach>{N}) of {N} task scores?)?"
)
_LOST = re.compile(r"\bLost rollouts: (?P<list>[^.]*)\.")
_REASON = re.compile(rf"(?P<count>{N}) of (?P<total>{N}) ⟦(?P<span>\d+)⟧")

_NAMES = {
    "nothing (baseline)": "baseline",
    "rollouts without a score": "no_score",
    "all modes": "all_modes",
    "all but the best rollout (oracle)": "oracle",
}
"""Rows that are no failure mode, by what the table calls them."""


def left_out(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """A cell of the ablation table, whose rows are named by what they leave out."""
    found = subjects.truths.ablation
    within = subjects.mode_within_tasks(cell.name)
    if cell.heading.startswith("pass with") and within is not None:
        side = within[cell.heading.startswith("pass without")]
        for ratio in ratios(cell.said.text, cell.figures):
            yield from claim(ratio.part, exactly(side.part, f"passed rollouts of the same tasks, {cell.name}"))
            yield from claim(ratio.whole, exactly(side.whole, f"rollouts of the same tasks, {cell.name}"))
    yield from _reference(cell, subjects)
    graded = subjects.truths.graded_ablation
    if graded.known and cell.heading != "pass@1":
        yield from graded.of_cell(cell, _NAMES.get(cell.name, f"modes/{cell.name}"))
        return
    row = _row(cell.name, subjects)
    if found is None or row is None:
        return
    what = f"ablation, {cell.name}"
    if cell.heading == "pass@1":
        for ratio in ratios(cell.said.text, cell.figures):
            yield from claim(ratio.part, exactly(row.pass_at_1 * found.tasks, what))
            yield from claim(ratio.whole, exactly(found.tasks, f"{what}, tasks"))
            yield from claim(ratio.percent, exactly(100 * row.pass_at_1, what)) if ratio.percent else ()
    elif cell.lone is not None:
        right: dict[str, float] = {
            "gain": 100 * row.gain,
            "tasks moved": row.moved,
            "tasks with nothing else": row.stuck,
        }
        if row.if_passed is not None:
            right["gain if they passed"] = 100 * row.if_passed
        yield from claim(cell.lone, exactly(right.get(cell.heading), f"{what}, {cell.heading}"))


def _reference(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """A published score beside the rows."""
    comparison = subjects.truths.evidence.documents.get("run_comparison") or {}
    scores = {f"reference {row['name']}": row["score_fraction"] for row in comparison.get("references") or []}
    if cell.lone is None or cell.name not in scores or subjects.truths.ablation is None:
        return
    base = subjects.truths.ablation.rows["baseline"].pass_at_1
    right = {"pass@1": 100 * scores[cell.name], "gain": 100 * (scores[cell.name] - base)}
    yield from claim(cell.lone, exactly(right.get(cell.heading), cell.name))


def _row(name: str, subjects: Subjects) -> Row | None:
    found = subjects.truths.ablation
    return None if found is None else found.rows.get(_NAMES.get(name, f"modes/{name}"))


def counterfactual_claims(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """The sentences around the table, and what a recommendation's tasks lost."""
    found = subjects.truths.ablation
    if found is None:
        return
    yield from subjects.truths.graded_ablation.of_sentence(sentence)
    for said in _BETWEEN.finditer(sentence.text):
        rows = {name: found.rows[name].gain for name in ("oracle", "all_modes")}
        rows["rest"] = rows["oracle"] - rows["all_modes"]
        points = {name: 100 * value for name, value in rows.items()}
        yield from named(said, sentence.figures, points, "ablation")
    for said in _BASELINE.finditer(sentence.text):
        baseline = {"baseline": 100 * found.rows["baseline"].pass_at_1}
        yield from named(said, sentence.figures, baseline, "ablation")
    yield from _reasons(sentence, subjects)
    for said in _RECOVER.finditer(sentence.text):
        lost = dict(zip(("most", "reach"), found.lost(said["label"]), strict=True))
        yield from named(said, sentence.figures, lost, f"lost by tasks labelled {said['label']}")


def _reasons(sentence: Sentence, subjects: Subjects) -> Iterator[Claim]:
    """Why the rollouts were lost of the tasks whose root cause a recommendation names before."""
    for said in _LOST.finditer(sentence.text):
        label = next((found["label"] for found in _RECOVER.finditer(sentence.text[: said.start()])), None)
        counted = subjects.reasons_of(label) if label is not None else {}
        for found in _REASON.finditer(sentence.text, said.start("list"), said.end("list")):
            reason = sentence.said.spans[int(found["span"])]
            right = counted.get(reason, {})
            yield from named(found, sentence.figures, right, f"lost rollouts with {reason}, {label}")
