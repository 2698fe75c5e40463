"""The root-cause labels of a run's tasks: who decided them, and what stands behind each."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Bullets,
    Cell,
    Fold,
    Paragraph,
    Text,
    cells,
    code,
    foreign,
    quoted,
    say,
    table,
)
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count
from blade_pipeline.reporting.view.evidence import is_decided, names

MOST_PROPOSED = 60
"""Rules' proposals in the list; an analyst's labels all stand there."""


def task_labels(causes: Json) -> Iterator[Block]:
    """Labels by the rule that proposed them, those that a later one replaced, then task by task.

    The list has stale labels first, then all others of an analyst.
    """
    found = [label for label in causes["labels"] if is_decided(label)]
    if not found:
        return
    yield _by_decider(found)
    yield from _replaced(causes["stale_labels"])
    read = sorted((label for label in found if label["by"] == "analyst"), key=lambda label: not label.get("stale"))
    shown = [*read, *[label for label in found if label["by"] != "analyst"][:MOST_PROPOSED]]
    title = f"Labels task by task, {count(len(shown))} of {count(len(found))}"
    columns = "Task | Label | Decided by | Evidence (rollouts) | Note"
    yield Fold(title, (table(title, columns, [_row(label) for label in shown]),))


def _by_decider(labels: list[Json]) -> Block:
    grouped: dict[tuple[str, Text, str], list[Json]] = {}
    for label in labels:
        key = (str(label["label"]), _decided(label), str(label.get("confidence") or ""))
        grouped.setdefault(key, []).append(label)
    rows = [
        cells(quoted(name), decided, quoted(confidence), count(len(members)), names(x["task"] for x in members))
        for (name, decided, confidence), members in sorted(grouped.items(), key=lambda item: -len(item[1]))
    ]
    caption = "Who decided each label: a rule proposes, an analyst decides"
    return table(caption, "Label | Decided by | Confidence | Tasks | Which", rows, numeric="Tasks")


def _replaced(stale: list[Json]) -> Iterator[Block]:
    """Labels that stand in no list, as a later one of the same task holds."""
    items = [
        say(code(old["task"]), f": {old['label']}", _line(old), ", ", quoted(old["reason"]), f": {old['replaced_by']}")
        for old in stale
        if old.get("replaced_by")
    ]
    if items:
        yield Paragraph(say("Stale labels that another entry of the label file replaces:"))
        yield Bullets(tuple(items))


def _line(label: Json) -> str:
    return f" in line {label['line']}" if label["line"] else ""


def _row(label: Json) -> tuple[Cell, ...]:
    who = say("analyst ", foreign(label.get("analyst") or "", 60)) if label["by"] == "analyst" else "rule"
    return cells(code(label["task"]), quoted(label["label"]), who, names(label["evidence"], 4), _note(label))


def _note(label: Json) -> Text:
    note = (foreign if label["by"] == "analyst" else quoted)(label.get("note") or "", 200)
    return say("stale label: ", quoted(label["stale"], 200), ". ", note) if label.get("stale") else say(note)


def _decided(label: Json) -> Text:
    if label["by"] == "analyst":
        return say("analyst")
    return say("proposed by rule: ", quoted(label.get("rule") or "unnamed"))
