"""What a cell claims in each kind of table, which the heading of its first column tells."""

import re
from collections.abc import Callable, Iterator

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly, share
from blade_pipeline.method.verification.counterfactuals import left_out
from blade_pipeline.method.verification.label_rows import label_cell, which_tasks
from blade_pipeline.method.verification.labelled import decided, repeats_in_note
from blade_pipeline.method.verification.markdown import Table
from blade_pipeline.method.verification.native_numbers import native_of_repeat, native_value
from blade_pipeline.method.verification.pairs_of_rollouts import side_by_side, stratified
from blade_pipeline.method.verification.parts import (
    all_buckets,
    all_modes,
    all_outcomes,
    bucket_row,
    outcome_row,
    part_of_whole,
    tasks_with_row,
)
from blade_pipeline.method.verification.prose import mean_ranges, range_claims
from blade_pipeline.method.verification.ratios import ratios
from blade_pipeline.method.verification.records import Group, Pair
from blade_pipeline.method.verification.repeat_cells import (
    best_of_cell,
    best_of_metric,
    measure_of_repeats,
    part_of_spread,
    score_by_rule,
    score_of_repeat,
)
from blade_pipeline.method.verification.row_names import (
    end_of_bounds,
    k_name,
    lacking_scores,
    level_of_intervals,
    repeat_name,
    repeats_of_metric,
)
from blade_pipeline.method.verification.sliced import slice_of
from blade_pipeline.method.verification.subjects import Subjects
from blade_pipeline.models import LABELS

_METRIC = re.compile(r"^pass(?P<sign>[@^])(?P<k>\d+|k)(?: \((?P<kind>macro|micro)\))?$")


Reader = Callable[[Cell, Subjects], Iterator[Claim]]


def reader_of(table: Table) -> Reader | None:
    """What reads the cells of a table; none where nothing does."""
    first = table.header[0].lower() if table.header else ""
    if first == "outcome" and "reason" in [heading.lower() for heading in table.header]:
        return lambda cell, subjects: subjects.without_score.of_outcome(cell)
    if first == "repeat" and "sample_count" in table.header:
        return native_of_repeat
    if first == "metric" and "worst" in [heading.lower() for heading in table.header]:
        return end_of_bounds
    return _READERS.get(first)


def holds_native(table: Table) -> bool:
    """Whether a table holds NeMo Gym's own numbers under its own names."""
    return reader_of(table) in (native_value, native_of_repeat)


def total_reader_of(table: Table) -> Reader | None:
    """What reads the row of a table that sums up the others."""
    return _SUMS.get(reader_of(table))


def _mode(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    if not subjects.is_mode(cell.name):
        return
    if cell.heading in ("of failed", "rollouts", "count", "%", "share", "failed rollouts"):
        yield from part_of_whole(
            cell, subjects.mode_of_failed(cell.name), f"failed rollouts with primary mode {cell.name}"
        )
    elif cell.heading == "also in passed":
        for pair in subjects.mode_in_passed(cell.name):
            yield from part_of_whole(cell, pair, f"passed rollouts with {cell.name}")
    elif cell.heading == "secondary in":
        yield from part_of_whole(
            cell, subjects.secondary_in(cell.name), f"failed rollouts with secondary mode {cell.name}"
        )
    elif cell.heading == "tasks" and cell.lone is not None:
        yield from claim(cell.lone, subjects.mode_tasks(cell.name))


def _phase(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    phase = subjects.phases.get(cell.name)
    if phase is None:
        return
    if cell.heading.startswith(("reached", "rollouts", "%")):
        yield from part_of_whole(
            cell, Pair(phase.part, subjects.funnels.rollouts), f"rollouts that reached {cell.name}"
        )
    elif cell.heading.startswith("lost"):
        yield from part_of_whole(cell, subjects.lost_at(cell.name), f"rollouts lost at {cell.name}")


def _task(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    yield from subjects.baseline.claims(cell)
    yield from lacking_scores(cell, subjects)
    yield from label_cell(cell, subjects)
    known = subjects.truths.tasks.get(cell.name, [])
    if len(known) != 1:
        return
    task = known[0]
    yield from repeats_in_note(cell, task.passed, task.measured)
    if cell.heading in ("passed of measured", "passed", "pass rate", "pass@1", "share"):
        yield from part_of_whole(cell, Pair(task.passed, task.measured), f"passed repeats of task {cell.name}")
    elif cell.heading == "mean score" and cell.lone is not None:
        yield from claim(cell.lone, exactly(task.mean, f"mean score of task {cell.name}"))


def _group(cell: Cell, group: Group | None, what: str) -> Iterator[Claim]:
    if group is None:
        return
    if cell.heading == "rollouts":
        yield from part_of_whole(cell, Pair(group.rollouts, group.rollouts), f"rollouts of {what}")
    elif cell.heading in ("with a score", "measured"):
        yield from part_of_whole(cell, Pair(group.measured, group.rollouts), f"measured rollouts of {what}")
    elif cell.heading in ("passed of measured", "passed", "pass rate"):
        yield from part_of_whole(cell, Pair(group.passed, group.measured), f"passed rollouts of {what}")


def _slice(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    name = slice_of(cell)
    yield from _group(cell, subjects.truths.slices.get(name), cell.name)
    yield from subjects.sliced.claims(cell)
    if cell.heading.startswith("never pass"):
        yield from part_of_whole(cell, subjects.sliced.never_pass(name), f"tasks of {cell.name} that never pass")


def _part_of_funnel(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    yield from subjects.funnels.claims(cell)


def _repeat(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    yield from _group(cell, subjects.truths.repeats.get(cell.name), f"repeat {cell.name}")
    yield from repeat_name(cell, subjects)
    yield from score_of_repeat(cell, subjects)


def _agent(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    yield from _group(cell, subjects.truths.agents.get(cell.name), f"agent {cell.name}")


def _metric(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    yield from best_of_metric(cell, subjects)
    yield from repeats_of_metric(cell, subjects)
    score = _METRIC.match(cell.name)
    if cell.heading.startswith("interval"):
        metric = {"pass@1": "pass_at_1"}.get(cell.name.split(" (")[0])
        yield from mean_ranges(cell.said.text, cell.figures, subjects) if cell.name == "mean score" else ()
        yield from range_claims(cell.said.text, cell.figures, subjects, metric)
    elif cell.heading in ("value", "score", "result", "this run") and cell.lone is not None:
        if score:
            at = subjects.pass_at(cell.lone, score["k"], score["kind"])
            yield from claim(cell.lone, at if score["sign"] == "@" else subjects.pass_hat(cell.lone, score["k"]))
        else:
            yield from claim(cell.lone, subjects.metric(cell.lone, cell.name.lower()))
    elif cell.name == "pass@1 (micro)":
        counts = subjects.truths.counts
        yield from part_of_whole(cell, Pair(counts["passed"], counts["measured"]), "passed rollouts")


def _curve(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    if not cell.name.isdigit():
        return
    yield from k_name(cell, subjects)
    figure = cell.lone
    if cell.heading == "pass@k" and figure is not None:
        yield from claim(figure, subjects.pass_at(figure, cell.name, "macro"))
    elif cell.heading == "expected best score":
        yield from best_of_cell(cell, subjects)
    elif cell.heading == "pass^k" and figure is not None:
        yield from claim(figure, subjects.pass_hat(figure, cell.name))
    elif cell.heading.startswith("tasks with k"):
        yield from _eligible(cell, subjects)
    elif "could be" in cell.heading:
        yield from range_claims(cell.said.text, cell.figures, subjects, f"{cell.heading[:5]}{cell.name}")


def _eligible(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """Tasks with k measured repeats, of all or of the measured ones."""
    counts = subjects.truths.counts
    for ratio in ratios(cell.said.text, cell.figures):
        yield from claim(ratio.part, exactly(subjects.truths.eligible(int(cell.name)), "eligible tasks"))
        wholes = [option for name in ("tasks", "measured_tasks") for option in exactly(counts[name], "tasks")]
        yield from claim(ratio.whole, wholes)


def _label(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    if cell.name in LABELS and cell.heading == "share":
        labelled = sum(subjects.labels.values())
        for ratio in ratios(cell.said.text, cell.figures):
            yield from claim(ratio.part, subjects.label_counts(cell.name))
            yield from claim(ratio.whole, exactly(labelled, "failed or mixed tasks") if subjects.labels else ())
    yield from decided(cell, subjects)
    yield from which_tasks(cell, subjects)


def _rollout(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    known = subjects.truths.rollouts.get(cell.name, [])
    if len(known) == 1 and cell.heading == "output tokens" and cell.lone is not None:
        yield from claim(cell.lone, exactly(known[0].features["output_tokens"], f"output tokens of {cell.name}"))


def _rule(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    values = subjects.scores.get("accountings") or {}
    if cell.name in values and cell.heading == "pass@1" and cell.lone is not None:
        yield from claim(cell.lone, share(cell.lone, values[cell.name], f"pass@1, {cell.name}"))
    yield from score_by_rule(cell, subjects)


def _feature(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    yield from side_by_side(cell.name, cell.heading, cell.lone, subjects.truths)
    yield from stratified(cell.name, cell.heading, list(cell.figures.values()), subjects.within_tasks)


_READERS: dict[str, Reader] = {
    "outcome": outcome_row,
    "bucket": bucket_row,
    "tasks with": tasks_with_row,
    "mode": _mode,
    "failure mode": _mode,
    "phase": _phase,
    "stage": _phase,
    "task": _task,
    "task id": _task,
    "slice": _slice,
    "rollouts of slice": _part_of_funnel,
    "rollouts of model": _part_of_funnel,
    "repeat": _repeat,
    "agent": _agent,
    "metric": _metric,
    "k": _curve,
    "label": _label,
    "feature": _feature,
    "length": lambda cell, subjects: subjects.lengths.of_cell(cell),
    "rollout": _rollout,
    "part": part_of_spread,
    "measure": measure_of_repeats,
    "rule": _rule,
    "name": native_value,
    "left out": left_out,
    "property": lambda cell, subjects: subjects.inventory.of_cell(cell),
    "file": lambda cell, subjects: subjects.inventory.of_cell(cell),
    "metrics": level_of_intervals,
    "reason": lambda cell, subjects: subjects.without_score.of_reason(cell),
    "failure class": lambda cell, subjects: subjects.without_score.of_class(cell),
}
_SUMS: dict[Reader | None, Reader] = {outcome_row: all_outcomes, bucket_row: all_buckets, _mode: all_modes}
