"""Proposals for the single fields of a profile, each with the counts that it rests on."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow.compute as pc

from blade_pipeline.gym.shape import DESCRIPTIONS, ID_FIELDS
from blade_pipeline.method.draft.seen import Field, Run, Seen
from blade_pipeline.method.draft.yaml_text import listed, named, scalar, usable
from blade_pipeline.method.sql import records
from blade_pipeline.method.verifier_text import priority

_ENOUGH = 10
"""Scores from which two values are taken for a binary scale that is not 0 and 1."""

_ANSWERS = ("extracted_answer", "predicted_answer", "parsed_answer", "final_answer", "predicted_value", "parsed_option")
_SCORES = ("score", "accuracy", "success", "resolved", "correct", "is_correct", "passed")
_ID_ENDINGS = ("id", "uuid", "uid", "_name", "_key")

_REWARDS = """
    select reward as value, count(*) as rows from samples where line is not null and reward is not null
    group by reward order by reward
"""
_REPEATS = "select count(distinct repeat) as repeats from samples group by agent, stage, task"


class Proposal(NamedTuple):
    """One line of the profile with its reasons; ``active`` is false where a person must decide first."""

    key: str
    value: str
    reasons: Sequence[str]
    active: bool = True


def score(runs: Sequence[Run], seen: Seen) -> list[Proposal]:
    """The score field, its range and the threshold."""
    counts = Counter[float]()
    for run in runs:
        for row in records(_REWARDS, samples=run.aligned.select(["line", "reward"])):
            counts[row["value"]] += row["rows"]
    total = sum(counts.values())
    found = [_field(total, seen)]
    if not total:
        return found
    low, high = min(counts), max(counts)
    return [*found, _range(low, high, total), _threshold(counts, total)]


def _field(total: int, seen: Seen) -> Proposal:
    said = f"reward is a finite number on {total} of {seen.rows} rows"
    others = [name for name in _SCORES if (known := seen.of_rows.get(name)) and known.kinds <= {"number", "boolean"}]
    if total or not others:
        return Proposal("score", "reward", [said, *([f"other numbers: {', '.join(others)}"] if others else [])])
    rows = ", ".join(f"{name} on {seen.of_rows[name].rows}" for name in others)
    return Proposal("score", others[0], [said, f"numbers that may be the score: {rows}"], active=len(others) == 1)


def _range(low: float, high: float, total: int) -> Proposal:
    said = f"{total} rewards lie between {low:g} and {high:g}"
    if low >= 0 and high <= 1:
        return Proposal("reward_range", "[0, 1]", [said])
    value = f"[{scalar(low)}, {scalar(high if high > low else low + 1)}]"
    reason = "a score outside the range is not scored: give the scale of the benchmark, not what was seen"
    return Proposal("reward_range", value, [said, reason], active=False)


def _threshold(counts: Counter[float], total: int) -> Proposal:
    binary = len(counts) == 2
    shown = ", ".join(f"{value:.10g} on {rows}" for value, rows in counts.most_common(5))
    kind = "binary" if binary else "one value" if len(counts) == 1 else f"not binary, {len(counts)} different values"
    reasons = [f"{kind}: {shown}{'' if len(counts) <= 5 else ' and others'}"]
    at_one = sum(rows for value, rows in counts.items() if value >= 1 - 1e-6)
    reasons.append(f"{at_one} of {total} rewards reach 1")
    if set(counts) <= {0.0, 1.0} or not binary:
        return Proposal("pass_threshold", "1", reasons, active=set(counts) <= {0.0, 1.0})
    return Proposal("pass_threshold", scalar(max(counts)), reasons, active=total >= _ENOUGH)


def answer_field(seen: Seen) -> str | None:
    """The field with the extracted answer: that of most rows among those named so; null without one."""
    best = max(
        _answer_fields(seen), key=lambda known: (known.rows, known.name == _ANSWERS[0], known.name), default=None
    )
    return best.name if best else None


def answer_key(seen: Seen) -> Proposal:
    """The field with the extracted answer."""
    best = answer_field(seen)
    if best is None:
        return Proposal("answer_key", "extracted_answer", ["no field is named like an extracted answer"], active=False)
    rows = [f"{named(known.name)} on {known.rows} of {seen.rows} rows" for known in _answer_fields(seen)]
    return Proposal("answer_key", scalar(best), ["; ".join(rows[:5])])


def _answer_fields(seen: Seen) -> list[Field]:
    fields = (known for name, known in seen.of_rows.items() if name in _ANSWERS or name.startswith("extracted_"))
    return [known for known in fields if usable(known.name) and known.kinds <= {"text", "number"}]


def task_fields(seen: Seen) -> dict[str, Field]:
    """Fields that describe the task: of the inputs, else those of the rows that look like one.

    Such a field is the same in all repeats of a task, no yes or no, and not named like a verdict or an error.
    """
    if seen.of_tasks:
        return seen.of_tasks
    steady = {name: known for name, known in seen.of_rows.items() if known.steady and not known.flag}
    return {name: known for name, known in steady.items() if priority(name) is None}


def slices(seen: Seen) -> tuple[Proposal, list[Field]]:
    """Categorical fields of the task with few values, each shared by several tasks."""
    repeated = any(known.rows > known.tasks for known in seen.of_rows.values())
    found = [known for known in task_fields(seen).values() if _is_slice(known)]
    certain = [known for known in found if seen.of_tasks or repeated or known.name in DESCRIPTIONS]
    reasons = [f"{named(known.name)}: {known.distinct} values over {known.tasks} tasks" for known in found[:12]]
    if not certain:
        return Proposal("slices", "[]", reasons or ["no field of the task has few values"], active=False), []
    return Proposal("slices", listed(known.name for known in certain), reasons), certain


def _is_slice(known: Field) -> bool:
    kinds = known.kinds in ({"text"}, {"boolean"})
    shared = known.few and known.distinct >= 2 and known.tasks >= 2 * known.distinct
    no_answer = "answer" not in known.name and known.name not in ("prompt", "question", "problem", "failure_reason")
    return kinds and shared and no_answer and known.steady and usable(known.name)


def family(seen: Seen, taken: Sequence[Field]) -> Proposal:
    """Fields that several tasks share without being categories; a person must say whether that is a source."""
    names = {known.name for known in taken}
    found = [
        known
        for known in task_fields(seen).values()
        if known.name not in names and known.kinds <= {"text", "number"} and known.steady and usable(known.name)
        if 2 < known.distinct <= known.tasks / 2 and not known.flag
    ]
    best = max(found, key=lambda known: (known.distinct, known.name), default=None)
    if best is None:
        return Proposal("family_field", "source", ["no field looks like a source that tasks share"], active=False)
    said = f"{named(best.name)}: {best.distinct} values over {best.tasks} tasks; use it if such tasks share a source"
    return Proposal("family_field", scalar(best.name), [said], active=False)


def task_id(seen: Seen) -> Proposal:
    """A field with one value per task; the usual names are found without a profile."""
    fields = task_fields(seen)
    unique = [
        known
        for known in fields.values()
        if known.steady and known.distinct == known.tasks > 1 and known.kinds <= {"text", "number"}
    ]
    usual = next((known for name in ID_FIELDS for known in unique if known.name == name), None)
    others = [known for known in unique if known.name.lower().endswith(_ID_ENDINGS) and usable(known.name)]
    best = usual or max(others, key=lambda known: (known.tasks, known.name), default=None)
    if best is None:
        return Proposal("task_id_field", "task_id", ["no field has one value per task and a name like an id"], False)
    said = f"{named(best.name)}: {best.distinct} values over {best.tasks} tasks"
    return Proposal("task_id_field", scalar(best.name), [said])


def repeats(runs: Sequence[Run], seen: Seen) -> Proposal:
    """The repeats of each task, as planned where inputs say it, else as seen."""
    counts = Counter[int]()
    for run in runs:
        planned = run.expected.num_rows > 0
        table: Any = run.expected.filter(pc.equal(run.expected["line_class"], "row")) if planned else run.aligned
        for row in records(_REPEATS, samples=table.select(["agent", "stage", "task", "repeat"])):
            counts[row["repeats"]] += 1
    if not counts:
        return Proposal("expected_repeats", "1", ["no task was seen"], active=False)
    source = "materialized inputs" if seen.inputs else "rows"
    shown = ", ".join(f"{times} of {tasks} tasks" for times, tasks in sorted(counts.items())[:6])
    most = max(counts)
    return Proposal("expected_repeats", str(most), [f"{source} of all runs, repeats: {shown}"], active=len(counts) == 1)
