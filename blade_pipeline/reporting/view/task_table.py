"""The table of tasks: what each did, what it can be found by, and what it opens."""

from blade_pipeline.reporting.blocks import Block, Cell, Paragraph, Row, Text, cells, code, listed, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, plural, points
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.graded import is_graded
from blade_pipeline.reporting.view.reading import Readings
from blade_pipeline.reporting.view.traits import Key, Traits, task_key

WRITTEN_TASKS = 500
"""Rows of the task table in Markdown."""
LISTED_TASKS = 5000
"""Rows of the task table in HTML; further tasks are counted in its caption."""
NAMED_MODES = 2
MODE_NAME = 40
"""Characters of a failure mode's name; its filter and its section hold more."""
PRIORITY = {"sometimes_pass": 0, "always_fail": 1, "indeterminate": 2, "missing": 3, "masked": 4, "always_pass": 5}


def task_table(evidence: Evidence, tasks: list[Json], letters: dict[Key, str], legend: str) -> list[Block]:
    """The tasks, those first that tell most; ``tasks`` come in order of score, ``letters`` say what repeats did."""
    ranked = sorted(tasks, key=lambda task: PRIORITY[task["bucket"]])[:LISTED_TASKS]
    traits, readings, means = Traits(evidence), Readings(evidence), mean_scores(evidence)
    rows = [_row(evidence, traits, task, letters[task_key(task)], readings.place(task), means) for task in ranked]
    caption = plural(len(tasks), "task") if len(ranked) == len(tasks) else f"{len(ranked)} of {len(tasks)} tasks"
    against = "Baseline | Change | " if traits.paired else ""
    share = "Mean score" if means else "Share"
    columns = f"Task | Bucket | Repeats | Passed of measured | {share} | {against}Failure modes | Root cause | Reason"
    made = table(
        caption,
        columns,
        rows,
        f"{share} | {against}",
        traits.filters(ranked),
        readings.reading(len(tasks)),
        WRITTEN_TASKS,
    )
    return [Paragraph(say(f"Repeats are written in order: {legend}.", _against(evidence, traits)), "quiet"), made]


def mean_scores(evidence: Evidence) -> dict[Key, float | None]:
    """The mean score of each task of a run that goes by it; nothing for others."""
    if not is_graded(evidence.inputs):
        return {}
    rows = evidence.inputs.per_task.select(["agent", "stage", "task", "score_mean"]).to_pylist()
    return {task_key(row): row["score_mean"] for row in rows}


def _against(evidence: Evidence, traits: Traits) -> Text:
    if not traits.paired:
        return ()
    return say(" Baseline and change are against ", code(evidence.inputs.comparison["baseline"]), ".")


def _row(
    evidence: Evidence, traits: Traits, task: Json, letters: str, opens: int | None, means: dict[Key, float | None]
) -> Row:
    rate, label = means.get(task_key(task)) if means else share_passed(task), evidence.label_of(task)
    found = f"{clean(label['label'])} ({clean(label['by'])})" if label else ""
    return Row(
        cells(
            Cell(evidence.task_name(task), value=str(task["order"] or 0)),
            Cell(say(evidence.bucket_words[task["bucket"]]), tone=f"bucket {task['bucket']}"),
            Cell(say(letters or "none"), tone="letters"),
            Cell(say(f"{task['passed']} of {task['measured']}"), value=str(task["passed"] or 0)),
            Cell(say("none" if rate is None else decimal(rate) if means else percent(rate)), value=_sortable(rate)),
            *_change(traits, task, graded=bool(means)),
            Cell(_modes(traits, task), tone="modes"),
            found,
            quoted(task["reason"] or "", 200),
        ),
        keys=traits.keys(task),
        opens=opens,
    )


def _change(traits: Traits, task: Json, *, graded: bool) -> tuple[Cell, ...]:
    """What the baseline did on the task, and by how much the share of passed rollouts, or the mean score, changed."""
    if not traits.paired:
        return ()
    pair = traits.paired.get(task_key(task))
    if pair is None:
        absent = Cell(say("none"), value=_sortable(None))
        return absent, absent
    if graded:
        before, now = pair["baseline_score_mean"], pair["score_mean"]
        rise = None if before is None or now is None else now - before
        shown = "none" if rise is None else f"{'+' * (rise > 0)}{decimal(rise)}"
        old = "none" if before is None else decimal(before)
        return Cell(say(old), value=_sortable(before)), Cell(say(shown), value=_sortable(rise))
    difference = pair["difference"]
    change = "none" if difference is None else points(difference)
    passed = f"{pair['baseline_passed']} of {pair['baseline_measured']}"
    return Cell(say(passed), value=str(pair["baseline_passed"])), Cell(say(change), value=_sortable(difference))


def _sortable(value: float | None) -> str:
    """A number that sorts below every share and difference where there is none."""
    return "-9" if value is None else f"{value:.6f}"


def _modes(traits: Traits, task: Json) -> Text:
    found = traits.modes.get(task_key(task))
    if not found:
        return ()
    ranked = sorted(found, key=lambda mode: (-found[mode], mode))
    rest = len(ranked) - NAMED_MODES
    shown = listed([code(clean(mode, MODE_NAME)) for mode in ranked[:NAMED_MODES]])
    return say(shown, f" and {count(rest)} more") if rest > 0 else shown


def share_passed(task: Json) -> float | None:
    """Share of the measured repeats that pass; null where none is measured."""
    return task["passed"] / task["measured"] if task["measured"] else None
