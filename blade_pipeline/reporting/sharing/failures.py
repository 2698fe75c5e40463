"""Dominant Failure Modes and Recommendations of a shareable report."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, absent, cells, code, table
from blade_pipeline.reporting.numbers import count, percent, ratio
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
    rows = [cells(label, CAUSES.get(label, ""), count(n)) for label, n in shared.causes["counts"].items() if n]
    if rows:
        yield table("Root causes of tasks", "Label | Means | Tasks", rows, numeric="Tasks")
    noted = [cells(code(note["task"]), note["label"], note["note"]) for note in shared.notes if note["note"]]
    if noted:
        yield table("Analysts' notes", "Task | Label | Note", noted)


def recommendations(shared: Shared) -> Iterator[Block]:
    """Root causes by the score that they could give back at most."""
    rows = [
        cells(
            str(row["label"]), CAUSES.get(row["label"], "not labelled"), ratio(row["tasks"], row["denominator"]),
            percent(row["recoverable_score"]), f"{count(row['by_analyst'])} / {count(row['by_rule'])}",
        )
        for row in shared.causes["recommendations"]
        if row["tasks"]
    ]  # fmt: skip
    if not rows:
        yield absent("a recommendation. No task lost score for a labelled cause.")
        return
    columns = "Label | Cause | Tasks | pass@1 to recover at most | Labelled by analyst / by rule"
    yield table("What could be recovered", columns, rows)
