"""What each slice of the tasks scored, and which failure modes it shows."""

from collections.abc import Iterator, Sequence

from blade_pipeline.method.concentrations import stands_out
from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.slice_tests import FALSE_SHARE, FEWEST_UNITS, stands_apart
from blade_pipeline.reporting.blocks import (
    Block,
    Cell,
    Figure,
    Fold,
    Paragraph,
    Text,
    cells,
    code,
    joined,
    link,
    say,
    table,
)  # fmt: skip
from blade_pipeline.reporting.figures import share_bars
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, level, percent, plural, ratio, share_range
from blade_pipeline.reporting.text import clean
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.slice_words import apart_words

LONGEST = 40
"""Slices of a table; further ones are counted."""
DRAWN = 24
"""Slices that are drawn."""
MODES = 4
"""Failure modes named per slice; the others are summed."""


def slice_name(row: Json) -> Text:
    """``field`` = ``value``."""
    return say(code(row["field"]), " = ", code(row["value"]))


def caption_of(words: str, rows: Sequence[Json]) -> str:
    """The caption of a table of slices, with how many of them it holds where it does not hold all."""
    return words if len(rows) <= LONGEST else f"{words}: the first {LONGEST} of {len(rows)}"


def left_out(fields: Sequence[Json], published: str) -> Iterator[Block]:
    """Fields that are not broken down for their number of values, and where long tables go on."""
    names = joined([say(code(row["field"]), f" ({plural(row['values'], 'value')})") for row in fields])
    parts = [say("Not broken down, for so many values: ", names, ".")] if fields else []
    parts += [say("All slices stand in ", link(published, published), ".")] if published else []
    if parts:
        yield Paragraph(joined(parts, " "), "quiet")


def slice_blocks(evidence: Evidence) -> Iterator[Block]:
    """A row per slice: tasks, rollouts, pass@1 with its interval, tasks that never pass; nothing for a single slice."""
    scores = evidence.inputs.scores
    rows: list[Json] = scores["slices"]
    if len(rows) < 2:
        yield from left_out(scores["slices_left_out"], "")
        return
    yield from _bars(rows, scores)
    titles = {
        "Slice": [slice_name(row) for row in rows],
        **(_mean_scores(rows) if scores.get("headline_metric") == MEAN_REWARD else _pass_rates(rows)),
        "Stands apart": [apart_words(scores, row) for row in rows],
        "Passed of measured": [ratio(row["passed_rollouts"], row["num_rollouts"]) for row in rows],
        "Never pass, of measured tasks": [ratio(row["never_pass_tasks"], row["num_tasks"]) for row in rows],
        "Tasks": [count(row["total_tasks"]) for row in rows],
        "With a score": [ratio(row["num_rollouts"], row["total_rollouts"]) for row in rows],
    }
    if all(row["num_rollouts"] == row["total_rollouts"] for row in rows):
        del titles["With a score"]
    if evidence.repeats == 1:
        del titles["Never pass, of measured tasks"]
    if not any(titles["Stands apart"]):
        del titles["Stands apart"]
    body = [cells(*values) for values in list(zip(*titles.values(), strict=True))[:LONGEST]]
    numeric = [title for title in list(titles)[1:] if title != "Stands apart"]
    yield table(caption_of("By slice", rows), tuple(titles), body, numeric=" | ".join(numeric))
    yield from left_out(scores["slices_left_out"], "metrics.json" if len(rows) > LONGEST else "")
    yield from _reading(rows, evidence.inputs.modes["slices"])


def _pass_rates(rows: list[Json]) -> dict[str, Sequence[str]]:
    return {
        "pass@1": [percent(row["pass_at_1"]) if row["num_tasks"] else "none" for row in rows],
        _interval_title(rows): [share_range(row["interval"]["low"], row["interval"]["high"]) for row in rows],
    }


def _mean_scores(rows: list[Json]) -> dict[str, Sequence[str]]:
    ends = [[row["mean_reward_interval"][end] for end in ("low", "high")] for row in rows]
    return {
        "Mean score": [decimal(row["mean_reward"]) if row["num_tasks"] else "none" for row in rows],
        _interval_title(rows): ["none" if None in pair else " to ".join(map(decimal, pair)) for pair in ends],
    }


def _interval_title(rows: list[Json]) -> str:
    return f"Interval at {level(rows[0]['interval']['level'])}, new tasks"


def _reading(rows: list[Json], tested: list[Json]) -> Iterator[Block]:
    """Which slices have no interval, and whether a slice's score or failures stand out."""
    parts = []
    if any(0 < row["interval"]["n"] < FEWEST_UNITS for row in rows):
        parts.append(say(f"A slice of fewer than {FEWEST_UNITS} measured tasks or families has no interval."))
    held = [row for row in rows if row.get("against_rest")]
    if held:
        apart = [row for row in held if stands_apart(row)]
        found = f"{count(len(apart)) if apart else 'no'} score{'s stand' if len(apart) > 1 else ' stands'} apart"
        parts.append(
            say(
                f"Of many intervals some miss by chance: of {plural(len(held), 'slice')} held against the other tasks "
                f"(permutation of tasks, Benjamini-Hochberg q of at most {FALSE_SHARE}), {found}."
            )
        )
    if any(map(stands_out, tested)):
        where = link("Dominant Failure Modes", "#dominant-failure-modes")
        parts.append(say("Failures that concentrate in a slice stand under ", where, "."))
    if parts:
        yield Paragraph(joined(parts, " "), "quiet")


def _bars(rows: list[Json], scores: Json) -> Iterator[Block]:
    graded = scores.get("headline_metric") == MEAN_REWARD
    drawn = [
        (
            f"{row['field']} = {row['value']}",
            row["mean_reward"] if graded else row["passed_rollouts"] / row["num_rollouts"],
        )
        for row in rows
        if row["num_rollouts"]
    ][:DRAWN]
    if drawn:
        alternative = "; ".join(f"{clean(label)}: {(decimal if graded else percent)(value)}" for label, value in drawn)
        title = "Mean score by slice" if graded else "Share of measured rollouts that pass, by slice"
        yield Figure(share_bars(drawn, passes=not graded), title, alternative)


def modes_by_slice(document: Json) -> Iterator[Block]:
    """The mix of failure modes in each slice, folded; nothing where there is one slice or one mode."""
    rows = [row for row in document["by_slice"] if row["failed"]]
    if len(rows) < 2 or len(document["modes"]) < 2:
        return
    body = [cells(slice_name(row), _mix(row)) for row in rows[:LONGEST]]
    caption = caption_of("Failure modes by slice", rows)
    columns = "Slice | Primary failure modes, of its failed rollouts"
    more = left_out([], "metrics.json" if len(rows) > LONGEST else "")
    yield Fold(caption, (table(caption, columns, body), *more))


def _mix(row: Json) -> Cell:
    shown = [say(code(mode["code"]), f" {count(mode['count'])} of {count(row['failed'])}") for mode in row["modes"]]
    rest = sum(mode["count"] for mode in row["modes"][MODES:])
    others = [say(f"others {count(rest)} of {count(row['failed'])}")] if rest else []
    return Cell(joined([*shown[:MODES], *others]))
