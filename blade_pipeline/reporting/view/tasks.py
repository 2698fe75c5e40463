"""Task Outcome Buckets: every task in exactly one bucket, and the table of tasks."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.reporting.blocks import (
    Block,
    Cell,
    Paragraph,
    Row,
    Strip,
    StripTask,
    Table,
    Text,
    absent,
    cells,
    quoted,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, percent, plural, ratio
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.evidence import BUCKET_LETTERS, Evidence

SHOWN_TASKS = 500
"""Rows of the task table; further tasks are counted in its caption."""
STRIP_TASKS = 200
"""Columns of the strip; with more tasks each column is a bin of neighbours in score order."""
OUTCOME_LETTERS = {"masked": "m", "unscored": "u", "failed": "x", "missing": "-", "unexpected": "?"}
LEGEND = (
    ("p", "passed"), ("f", "failed the verifier"), ("m", "masked"), ("u", "no valid score"), ("x", "failed to run"),
    ("-", "missing"),
)  # fmt: skip
MEANINGS = {
    "always_pass": "every repeat was measured and passed",
    "sometimes_pass": "at least one measured repeat passed and one did not",
    "always_fail": "every repeat was measured and none passed",
    "indeterminate": "the repeats without a score could still change the bucket",
    "missing": "no repeat has a score: failed, unscored or never ran",
    "masked": "every repeat that ran is masked",
}
MEANINGS_ONCE = MEANINGS | {
    "always_pass": "one rollout, measured and passed; whether another would pass is unknown",
    "sometimes_pass": "cannot be seen in one rollout",
    "always_fail": "one rollout, measured and not passed; whether another would pass is unknown",
}
PRIORITY = {"sometimes_pass": 0, "always_fail": 1, "indeterminate": 2, "missing": 3, "masked": 4, "always_pass": 5}


def task_outcome_buckets(evidence: Evidence) -> list[Block]:
    """Counts per bucket, a strip of all rollouts, and the task table."""
    document = evidence.inputs.buckets_document
    total = document["total_tasks"]
    if not total:
        return [absent("task outcome buckets. No task was seen.")]
    tasks = sorted(evidence.inputs.buckets.to_pylist(), key=_by_score)
    letters = outcome_letters(evidence, tasks[:0] if len(tasks) > SHOWN_TASKS else tasks)
    words = evidence.bucket_words
    return [
        Paragraph(_split(evidence, document["counts"], total)),
        _counts(document, words, MEANINGS_ONCE if evidence.repeats == 1 else MEANINGS),
        *_strip(tasks, letters, words),
        *_task_table(evidence, tasks),
    ]


def _split(evidence: Evidence, counts: Json, total: int) -> Text:
    """The split in a sentence, with the facts that prove it."""
    words = evidence.bucket_words
    parts = [f"{count(counts[name])} {_agreeing(words[name], counts[name])}" for name in words if counts[name]]
    cite = evidence.cite("buckets", "undecided")
    return say(f"Of {plural(total, 'task')}: {', '.join(parts)}.", cite)


def outcome_letters(evidence: Evidence, tasks: list[Json]) -> dict[tuple[Any, ...], str]:
    """One letter per rollout of each task, in repeat order."""
    found: dict[tuple[Any, ...], str] = defaultdict(str)
    for row in evidence.rollouts(task["task"] for task in tasks):
        found[_key(row)] += rollout_letter(row)
    return found


def rollout_letter(row: Json) -> str:
    """``p`` or ``f`` for a measured rollout, else the letter of its outcome."""
    if row["outcome"] == "measured":
        return "p" if row["passed"] else "f"
    return OUTCOME_LETTERS.get(row["outcome"], "?")


def _key(row: Json) -> tuple[Any, ...]:
    return row["agent"], row["stage"], row["task"]


def _rate(task: Json) -> float | None:
    return task["passed"] / task["measured"] if task["measured"] else None


def _by_score(task: Json) -> tuple[Any, ...]:
    rate = _rate(task)
    return (-1.0 if rate is None else rate, task["stage"] or 0, task["order"] or 0, str(task["agent"]))


def _agreeing(words: str, number: int) -> str:
    if number == 1:
        return words.replace(" pass", " passes") if words.endswith(" pass") else words
    return words.replace("its only", "their only")


def _counts(document: Json, bucket_words: dict[str, str], meanings: dict[str, str]) -> Table:
    counts, total = document["counts"], document["total_tasks"]
    rows = [
        cells(
            Cell(say(f"{BUCKET_LETTERS[name]}  {words}"), tone=f"bucket {name}"), count(counts[name]),
            ratio(counts[name], total), " to ".join(map(percent, document["intervals"][name])), meanings[name],
        )
        for name, words in bucket_words.items()
    ]  # fmt: skip
    summed = sum(counts[name] for name in bucket_words)
    rows.append(cells(Cell(say("sum"), tone="sum"), count(summed), ratio(summed, total), "", ""))
    titles = "Bucket | Tasks | Share | Share of new tasks (95%, Wilson) | Means"
    return table("Tasks by outcome", titles, rows, numeric="Tasks | Share")


def _strip(tasks: list[Json], letters: dict[tuple[Any, ...], str], bucket_words: dict[str, str]) -> list[Block]:
    if len(tasks) > STRIP_TASKS:
        columns, title = (
            _bins(tasks, bucket_words),
            f"{count(len(tasks))} tasks in bins, sorted by share of passed rollouts",
        )
        legend = tuple((BUCKET_LETTERS[name], words) for name, words in bucket_words.items())
    else:
        columns = tuple(_column(task, letters[_key(task)], bucket_words) for task in tasks)
        title, legend = "Every rollout: one column per task, one cell per repeat, sorted by score", LEGEND
    alternative = "The task table below holds the same, one row per task."
    return [Strip(title, alternative, columns, legend)]


def _column(task: Json, outcomes: str, bucket_words: dict[str, str]) -> StripTask:
    name = clean(task["task"])
    bucket = task["bucket"]
    note = f"task {name}: {bucket_words[bucket]}, {task['passed']} of {task['measured']} measured pass"
    return StripTask(name, BUCKET_LETTERS[bucket], bucket, tuple(outcomes), note)


def _bins(tasks: list[Json], bucket_words: dict[str, str]) -> tuple[StripTask, ...]:
    """Neighbours in score order together; a column holds one cell per bucket that occurs in its bin."""
    width = -(-len(tasks) // STRIP_TASKS)
    bins = [tasks[start : start + width] for start in range(0, len(tasks), width)]
    return tuple(_bin(members, bucket_words) for members in bins)


def _bin(members: list[Json], bucket_words: dict[str, str]) -> StripTask:
    found = [task["bucket"] for task in members]
    largest = min(set(found), key=lambda name: (-found.count(name), PRIORITY[name]))
    passed, measured = sum(t["passed"] for t in members), sum(t["measured"] for t in members)
    note = f"{len(members)} tasks: {passed} of {measured} measured rollouts pass; mostly {bucket_words[largest]}"
    return StripTask("", BUCKET_LETTERS[largest], largest, (), note)


def _task_table(evidence: Evidence, tasks: list[Json]) -> list[Block]:
    ranked = sorted(tasks, key=lambda task: (PRIORITY[task["bucket"]], *_by_score(task)))[:SHOWN_TASKS]
    letters = outcome_letters(evidence, ranked)
    rows = [_task_row(evidence, task, letters[_key(task)]) for task in ranked]
    caption = f"{plural(len(tasks), 'task')}" if len(ranked) == len(tasks) else f"{len(ranked)} of {len(tasks)} tasks"
    present = {task["bucket"] for task in ranked}
    groups = tuple((name, words) for name, words in evidence.bucket_words.items() if name in present)
    note = say("Repeats are written in order: " + ", ".join(f"{letter} {words}" for letter, words in LEGEND) + ".")
    columns = "Task | Bucket | Repeats | Passed of measured | Share | Root cause | Reason"
    return [Paragraph(note, "quiet"), table(caption, columns, rows, groups=groups)]


def _task_row(evidence: Evidence, task: Json, letters: str) -> Row:
    rate, label = _rate(task), evidence.label_of(task)
    found = f"{clean(label['label'])} ({clean(label['by'])})" if label else ""
    return Row(
        cells(
            Cell(evidence.task_name(task), value=f"{task['order'] or 0:09d}"),
            Cell(say(evidence.bucket_words[task["bucket"]]), tone=f"bucket {task['bucket']}"),
            Cell(say(letters or "none"), tone="letters"),
            Cell(say(f"{task['passed']} of {task['measured']}"), value=f"{task['passed'] or 0:09d}"),
            Cell(say(percent(rate) if rate is not None else "none"), value=f"{-1 if rate is None else rate:.6f}"),
            found,
            quoted(task["reason"] or "", 200),
        ),
        group=task["bucket"],
    )


def tasks_in(evidence: Evidence, *buckets: str) -> list[Json]:
    """Tasks of these buckets in dataset order."""
    table_ = evidence.inputs.buckets
    mask = pc.is_in(table_["bucket"], value_set=_strings(buckets))
    rows: list[Json] = table_.filter(mask).to_pylist()
    return sorted(rows, key=lambda task: (task["stage"] or 0, task["order"] or 0, str(task["agent"])))


def _strings(values: tuple[str, ...]) -> Any:
    return pa.array(values, pa.string())
