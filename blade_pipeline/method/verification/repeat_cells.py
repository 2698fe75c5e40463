"""What tables and sentences claim of repeats, held against the recount of ``Repeats``."""

import math
import re
from collections.abc import Iterator

from scipy.special import chdtrc

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.ratios import ratios
from blade_pipeline.method.verification.repeats import Repeats
from blade_pipeline.method.verification.subjects import Subjects

_PARTS = {
    "between tasks": "between",
    "within tasks": "sigma2_within",
    "noise in the task means": "share_sampling_noise",
    "share between tasks": "icc",
    "independent rollouts": "n_eff",
    "design effect": "design_effect",
}
_TESTS = ("Cochran's Q over repeats", "Friedman's test over repeats")
_BEST = re.compile(r"^best of (\d+)$")


def part_of_spread(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """A row of the split of the variance between tasks and repeats."""
    found, part = subjects.repeats, _PARTS.get(cell.name)
    figures = list(cell.figures.values())
    if part is None or not figures:
        return
    counts = subjects.truths.counts
    if cell.heading == "value":
        value = found.split.get(part)
        scale = 100 if figures[0].unit == "%" else 1
        yield from claim(figures[0], exactly(None if value is None else scale * value, cell.name))
        if part == "n_eff":
            yield from claim(figures[-1], exactly(counts["measured"], "measured rollouts"))
    elif cell.heading == "over":
        of = found.several if "measured repeats" in cell.said.text else counts["measured_tasks"]
        yield from claim(figures[0], exactly(counts["measured"] if "rollout" in cell.said.text else of, "of the split"))


def measure_of_repeats(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """A row of the table of how alike repeats are."""
    found, counts = subjects.repeats, subjects.truths.counts
    figures = list(cell.figures.values())
    if cell.name == "measured repeats of a task":
        kind = {"value": "measured", "means": "planned"}.get(cell.heading)
        for figure, right in zip(figures, found.sizes.get(kind or "", ()), strict=False):
            yield from claim(figure, exactly(right, f"{kind} repeats of a task"))
        yield from _over(cell, counts["tasks"])
    elif cell.name == "agreement of two repeats":
        share = found.agreement if cell.heading == "value" and not found.graded else None
        yield from claim(figures[0], exactly(100 * share, cell.name)) if figures and share is not None else ()
        yield from _over(cell, found.several)
    elif cell.name == "difference of two repeats":
        within = found.split.get("sigma2_within") if cell.heading == "value" and found.graded else None
        yield from (
            claim(figures[0], exactly(math.sqrt(2 * within), cell.name)) if figures and within is not None else ()
        )
        yield from _over(cell, found.several)
    elif cell.name == "tasks with one output":
        for ratio in ratios(cell.said.text, cell.figures) if cell.heading == "value" else ():
            for figure, right in zip((ratio.part, ratio.whole), found.copies, strict=True):
                yield from claim(figure, exactly(right, cell.name))
        yield from _over(cell, found.copies[1])
    elif cell.name in _TESTS:
        yield from _of_drift(cell, figures, found)


def _over(cell: Cell, right: float) -> Iterator[Claim]:
    if cell.heading == "over" and cell.figures:
        yield from claim(next(iter(cell.figures.values())), exactly(right, f"tasks, {cell.name}"))


def _of_drift(cell: Cell, figures: list[Figure], found: Repeats) -> Iterator[Claim]:
    yield from _over(cell, found.complete_tasks)
    if found.drift is None or not figures:
        return
    q, df, _ = found.drift
    if cell.heading == "value":
        for figure, right in zip(figures, (q, float(chdtrc(df, q))), strict=False):
            yield from claim(figure, exactly(right, cell.name))
    elif cell.heading == "means":
        yield from claim(figures[0], exactly(df, "degrees of freedom"))


def best_of_cell(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The expected best score of k in the table over k."""
    if cell.heading == "expected best score" and cell.lone is not None and cell.name.isdigit():
        yield from claim(cell.lone, exactly(subjects.repeats.best_of(int(cell.name)), f"best of {cell.name}"))


def score_of_repeat(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """Mean and standard deviation of the scores in a repeat."""
    if cell.heading not in ("mean score", "standard deviation") or cell.lone is None:
        return
    own = subjects.repeats.of_repeat(re.sub(r"\s+", " ", cell.row.cells[0].plain()))
    if own is not None:
        right = own[0] if cell.heading == "mean score" else own[1]
        yield from claim(cell.lone, exactly(right, f"{cell.heading} of repeat {cell.name}"))


def score_by_rule(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The mean score under a counting rule, and the end of the scale that the rule takes."""
    rules, scale = subjects.repeats.rules, subjects.scores.get("mean_reward_scale") or {}
    if cell.name not in rules or cell.lone is None:
        return
    if cell.heading == "mean score":
        yield from claim(cell.lone, exactly(rules[cell.name], f"mean score, {cell.name}"))
    elif cell.heading == "means" and "mean score" in map(str.lower, cell.table.header):
        yield from claim(
            cell.lone, exactly(scale["best" if cell.name == "all_as_one" else "worst"], "end of the scale")
        )


def best_of_metric(cell: Cell, subjects: Subjects) -> Iterator[Claim]:
    """The best of k and what it adds, in the table of scores."""
    found = subjects.repeats
    if cell.heading == "value" and cell.lone is not None and found.graded:
        best, mean = found.best_of(subjects.truths.headline_k), subjects.truths.mean_reward.get("macro")
        if named := _BEST.match(cell.name):
            yield from claim(cell.lone, exactly(found.best_of(int(named[1])), cell.name))
        elif cell.name == "retry gain" and best is not None and mean is not None:
            yield from claim(cell.lone, exactly(abs(best - mean), cell.name))
    elif _BEST.match(cell.name) and cell.heading == "is":
        figures, counts = list(cell.figures.values()), subjects.truths.counts
        for figure, right in zip(figures, (float(cell.name.split()[-1]), counts["measured_tasks"]), strict=False):
            yield from claim(figure, exactly(right, cell.name))
