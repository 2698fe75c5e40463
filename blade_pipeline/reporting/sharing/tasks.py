"""Workflow Funnel and Task Outcome Buckets of a shareable report."""

from collections import Counter
from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Figure, Filter, Paragraph, Row, absent, cells, code, say, table
from blade_pipeline.reporting.figures import counts_bar
from blade_pipeline.reporting.metrics import BUCKETS
from blade_pipeline.reporting.numbers import count, decimal, ratio
from blade_pipeline.reporting.sharing.shared import Shared

SHOWN = 500
_LABELS = tuple((name, name.replace("_", " ")) for name in BUCKETS)


def funnel(shared: Shared) -> Iterator[Block]:
    """How many rollouts reach each phase."""
    if not shared.phases or not shared.phases[0]["entered"]:
        yield absent("a workflow funnel. No rollout was seen.")
        return
    total = shared.phases[0]["entered"]
    drawn = [(row["phase"], row["reached"], total) for row in shared.phases]
    alternative = "; ".join(f"{phase}: {reached} of {total}" for phase, reached, _ in drawn)
    yield Figure(counts_bar(drawn), "Rollouts that reach each phase", alternative)
    rows = [
        cells(row["phase"], ratio(row["reached"], total), ratio(row["entered"] - row["reached"], row["entered"]))
        for row in shared.phases
    ]
    yield table("Workflow phases", "Phase | Reached, of all | Lost, of entered", rows)


def representatives(shared: Shared) -> list[Block]:
    """How long the rollouts are that stand for tasks that never pass; nothing where there are none."""
    rows = [
        cells(
            f"group {number}", count(group["rollouts"]), ", ".join(filter(None, shown["roles"])), count(shown["steps"]),
            "" if group["likeness"] is None else decimal(group["likeness"], 2),
        )
        for number, group in enumerate(shared.representatives.get("groups") or (), 1)
        for shown in group["shown"]
    ]  # fmt: skip
    if not rows:
        return []
    columns = "Group | Rollouts of the group | Stands for it as | Steps | Likeness of the typical one to the others"
    words = "Rollouts that stand for tasks that never pass; what they did stays with the team."
    return [Paragraph(say(words), "quiet"), table("Rollouts that stand for others", columns, rows)]


def buckets(shared: Shared) -> Iterator[Block]:
    """How many tasks stand in each bucket, and each task under its pseudonym."""
    counts, total = Counter(task["bucket"] for task in shared.tasks), len(shared.tasks)
    if not total:
        yield absent("a bucket of any task. No task was expected or seen.")
        return
    rows = [cells(label, count(counts[name]), ratio(counts[name], total)) for name, label in _LABELS]
    rows += [cells("sum", count(total), ratio(total, total))]
    yield table("Tasks by bucket", "Bucket | Tasks | Share", rows, numeric="Tasks | Share")
    shown = [
        Row(
            cells(
                code(task["task"]), task["agent"], task["bucket"].replace("_", " "),
                ratio(task["passed"], task["measured"]), count(task["planned"]),
            ),
            keys=((task["bucket"],),),
        )
        for task in shared.tasks[:SHOWN]
    ]  # fmt: skip
    columns = "Task | Agent | Bucket | Passed of measured | Planned"
    yield table(
        "Tasks", columns, shown, filters=(Filter("Bucket", tuple(label for label in _LABELS if counts[label[0]])),)
    )
    if total > SHOWN:
        yield Paragraph(say(f"The other {count(total - SHOWN)} tasks stand in coverage.json."), "quiet")
