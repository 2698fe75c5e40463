"""What tables say of outcomes, buckets and modes: each row a part of a whole, and the row that sums them up."""

import re
from collections.abc import Iterator

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.new_tasks import interval_claims
from blade_pipeline.method.verification.ratios import ratios
from blade_pipeline.method.verification.records import Pair
from blade_pipeline.method.verification.subjects import Subjects
from blade_pipeline.method.verification.truths import BUCKETS, OUTCOMES

_BUCKET_WORDS = {
    "never_pass": "always_fail",
    "never_passes": "always_fail",
    "passed_its_only_rollout": "always_pass",
    "failed_its_only_rollout": "always_fail",
}


def part_of_whole(cell: Cell, pair: Pair | None, what: str) -> Iterator[Claim]:
    """A cell that gives a part of a whole as a ratio, a percentage or a count."""
    if pair is None:
        return
    found = list(ratios(cell.said.text, cell.figures))
    for ratio in found:
        yield from claim(ratio.part, exactly(pair.part, what))
        yield from claim(ratio.whole, exactly(pair.whole, f"{what}, of all"))
    figure = cell.lone
    if found or figure is None:
        return
    if figure.unit == "%":
        yield from claim(figure, exactly(100 * pair.part / pair.whole if pair.whole else None, what))
    else:
        yield from claim(figure, exactly(pair.part, what))


def all_outcomes(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The row that sums up the outcomes."""
    every = subjects.truths.counts["rollouts"]
    if cell.heading in ("rollouts", "share", "share of what was seen"):
        yield from part_of_whole(cell, Pair(every, every), "rollouts of every outcome")
    elif cell.heading == "means" and cell.said.text.startswith("equals the") and cell.lone is not None:
        yield from claim(cell.lone, exactly(every, "expected rollouts"))


def all_buckets(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The row that sums up the buckets."""
    every = subjects.truths.counts["tasks"]
    if cell.heading in ("tasks", "share"):
        yield from part_of_whole(cell, Pair(every, every), "tasks of every bucket")


def all_modes(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The row that sums up the primary failure modes."""
    every = subjects.truths.evidence.modes.num_rows
    if cell.heading == "of failed":
        yield from part_of_whole(cell, Pair(every, every), "failed rollouts")


def outcome_row(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """Rollouts of an outcome, of all."""
    truths = subjects.truths
    if cell.name in OUTCOMES:
        yield from part_of_whole(
            cell, Pair(truths.counts[cell.name], truths.counts["rollouts"]), f"{cell.name} rollouts"
        )


def bucket_row(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """Tasks of a bucket, of all, with the interval of that share of new tasks."""
    name = re.sub(r"^[ASNIXM]\s+", "", cell.name).replace(" ", "_").replace("-", "_").lower()
    name = _BUCKET_WORDS.get(name, name)
    if name in BUCKETS:
        pair, what = Pair(subjects.truths.bucket_counts[name], subjects.truths.counts["tasks"]), f"{name} tasks"
        yield from (interval_claims if cell.heading.startswith("share of new") else part_of_whole)(cell, pair, what)


def tasks_with_row(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """How many of the expected tasks the scores speak for."""
    pair = subjects.truths.tasks_with.get(cell.name)
    if pair is not None:
        what = f"tasks with {cell.name}"
        yield from (interval_claims if cell.heading.startswith("share of new") else part_of_whole)(cell, pair, what)
