"""Dominant Failure Modes and Recommendations of a shareable report."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, absent, cells, code, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, points, ratio
from blade_pipeline.reporting.sharing.ablation import ablation_table
from blade_pipeline.reporting.sharing.shared import Shared
from blade_pipeline.reporting.view.cause_names import CAUSES


def dominant_failures(shared: Shared) -> Iterator[Block]:
    """Primary failure modes and root causes, as counts."""
    if not shared.modes:
        yield absent("a failure mode. No measured rollout failed.")
    else:
        rows = [
            cells(
                mode["mode"], ratio(mode["count"], mode["total_failed"]), count(mode["tasks"]),
                "" if mode["passed_with"] is None else ratio(mode["passed_with"], mode["total_passed"]),
            )
            for mode in shared.modes
        ]  # fmt: skip
        yield table("Failure modes", "Mode | Of failed rollouts | Tasks | Of passed rollouts", rows)
    yield from ablation_table(shared)
    rows = [cells(label, CAUSES.get(label, ""), count(n)) for label, n in shared.causes["counts"].items() if n]
    if rows:
        yield table("Root causes of tasks", "Label | Means | Tasks", rows, numeric="Tasks")
    noted = [cells(code(note["task"]), note["label"], note["note"]) for note in shared.notes if note["note"]]
    if noted:
        yield table("Analysts' notes", "Task | Label | Note", noted)


def recommendations(shared: Shared) -> Iterator[Block]:
    """Root causes by the score that they could give back at most, by tasks and by rollouts."""
    yield from _graded_gains(shared)
    repaired = [row for row in shared.causes["recommendations"] if row.get("repair")]
    rows = [
        cells(
            str(row["label"]), CAUSES.get(row["label"], "not labelled"), ratio(row["tasks"], row["denominator"]),
            percent(row["recoverable_score"]), f"{count(row['by_analyst'])} / {count(row['by_rule'])}",
        )
        for row in shared.causes["recommendations"]
        if row["tasks"]
    ]  # fmt: skip
    if not rows and not repaired:
        yield absent("a recommendation. No task lost score for a labelled cause.")
        return
    if repaired:
        columns = "Label | Cause | Lost rollouts that carry it | Of so many tasks | pass@1 if all of them passed"
        yield table("What causes that were seen could give back at most", columns, [_repair(row) for row in repaired])
    if rows:
        columns = "Label | Cause | Tasks | pass@1 to recover at most | Labelled by analyst / by rule"
        yield table("What could be recovered if the tasks of a label always passed", columns, rows)


def _repair(row: Json) -> tuple[Cell, ...]:
    repair = row["repair"]
    rise = "unknown" if repair["score"] is None else points(repair["score"])
    return cells(str(row["label"]), CAUSES[row["label"]], count(repair["rollouts"]), count(repair["tasks"]), rise)


def _graded_gains(shared: Shared) -> Iterator[Block]:
    """What the rollouts with a seen cause lack of the best score, of a run that goes by its mean score."""
    rows = [
        cells(
            str(row["label"]), CAUSES[row["label"]], count(row["rollouts"]), ratio(row["tasks"], row["of"]),
            decimal(row["gain"]),
        )
        for row in shared.causes.get("mean_score_gains") or ()
    ]  # fmt: skip
    if rows:
        columns = "Label | Cause | Rollouts that show it | On tasks | Mean score to gain at most"
        yield table("What the mean score could gain", columns, rows)
