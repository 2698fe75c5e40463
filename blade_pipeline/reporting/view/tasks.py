"""Task Outcome Buckets: every task in exactly one bucket, and the table of tasks."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.tasks import RELATED
from blade_pipeline.reporting.blocks import Block, Cell, Paragraph, Table, Text, absent, cells, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, plural, ratio, share_range
from blade_pipeline.reporting.view.evidence import BUCKET_LETTERS, Evidence
from blade_pipeline.reporting.view.strip import strip
from blade_pipeline.reporting.view.task_table import mean_scores, share_passed, task_table
from blade_pipeline.reporting.view.traits import Key, task_key

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


def task_outcome_buckets(evidence: Evidence) -> list[Block]:
    """Counts per bucket, a strip of all rollouts, and the task table."""
    document = evidence.inputs.buckets_document
    total = document["total_tasks"]
    if not total:
        return [absent("task outcome buckets. No task was seen.")]
    means = mean_scores(evidence)
    tasks = sorted(evidence.inputs.buckets.to_pylist(), key=lambda task: _by_score(task, means))
    letters = outcome_letters(evidence)
    words = evidence.bucket_words
    return [
        Paragraph(_split(evidence, document["counts"], total)),
        *([Paragraph(_graded(evidence, means))] if any(mean is not None for mean in means.values()) else []),
        _counts(document, words, MEANINGS_ONCE if evidence.repeats == 1 else MEANINGS),
        *([] if document["intervals"] else [Paragraph(say(f"No interval: {RELATED}."), "quiet")]),
        *strip(tasks, letters, words, LEGEND),
        *task_table(evidence, tasks, letters, ", ".join(f"{letter} {meaning}" for letter, meaning in LEGEND)),
    ]


def _split(evidence: Evidence, counts: Json, total: int) -> Text:
    """The split in a sentence, with the facts that prove it."""
    words = evidence.bucket_words
    parts = [f"{count(counts[name])} {_agreeing(words[name], counts[name])}" for name in words if counts[name]]
    cite = evidence.cite("buckets", "undecided", "mean scores of tasks")
    return say(f"Of {plural(total, 'task')}: {', '.join(parts)}.", cite)


def _graded(evidence: Evidence, means: Mapping[Key, float | None]) -> Text:
    """What the buckets rest on in a run that goes by its mean score, and how the scores of its tasks spread."""
    known = sorted(mean for mean in means.values() if mean is not None)
    mark = decimal(evidence.inputs.scores["pass_threshold"], 6)
    words = f"Buckets speak of passing, at a score of {mark}, which says little of graded scores."
    spread = f"from {decimal(known[0])} to {decimal(known[-1])}, with a median of {decimal(median(known))}"
    return say(f"{words} The mean scores of {plural(len(known), 'measured task')} go {spread}.")


def outcome_letters(evidence: Evidence) -> dict[Key, str]:
    """One letter per rollout of each task, in repeat order."""
    found: dict[Key, str] = defaultdict(str)
    rows = evidence.inputs.aligned.select(["agent", "stage", "task", "rank", "outcome", "passed"])
    for row in rows.sort_by([("rank", "ascending")]).to_pylist():
        found[task_key(row)] += rollout_letter(row)
    return found


def rollout_letter(row: Json) -> str:
    """``p`` or ``f`` for a measured rollout, else the letter of its outcome."""
    if row["outcome"] == "measured":
        return "p" if row["passed"] else "f"
    return OUTCOME_LETTERS.get(row["outcome"], "?")


def _by_score(task: Json, means: Mapping[Key, float | None]) -> tuple[Any, ...]:
    rate = means.get(task_key(task)) if means else share_passed(task)
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
            ratio(counts[name], total), share_range(*document["intervals"].get(name, (None, None))), meanings[name],
        )
        for name, words in bucket_words.items()
    ]  # fmt: skip
    summed = sum(counts[name] for name in bucket_words)
    rows.append(cells(Cell(say("sum"), tone="sum"), count(summed), ratio(summed, total), "", ""))
    titles = "Bucket | Tasks | Share | Share of new tasks (95%, Wilson) | Means"
    return table("Tasks by outcome", titles, rows, numeric="Tasks | Share")


def tasks_in(evidence: Evidence, *buckets: str) -> list[Json]:
    """Tasks of these buckets in dataset order."""
    table_ = evidence.inputs.buckets
    mask = pc.is_in(table_["bucket"], value_set=_strings(buckets))
    rows: list[Json] = table_.filter(mask).to_pylist()
    return sorted(rows, key=lambda task: (task["stage"] or 0, task["order"] or 0, str(task["agent"])))


def _strings(values: tuple[str, ...]) -> Any:
    return pa.array(values, pa.string())
