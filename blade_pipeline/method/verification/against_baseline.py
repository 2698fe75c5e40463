"""What the table of tasks says of the baseline: its passed repeats of each task, and the change since."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.evidence import Evidence
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.ratios import ratios

_PARTS = ("never passes", "sometimes passes", "always passes")
_COUNTS = ("baseline_measured", "baseline_passed", "measured", "passed")


def _part(passed: int, measured: int) -> str:
    return _PARTS[0] if not passed else _PARTS[2] if passed == measured else _PARTS[1]


class Before(NamedTuple):
    """Measured and passed repeats of one task, first in the baseline and then in this run."""

    baseline_measured: int
    baseline_passed: int
    measured: int
    passed: int
    baseline_score_mean: float | None
    score_mean: float | None

    @property
    def change(self) -> float | None:
        """Rise of the share of passed repeats; null where a side measured none."""
        if not self.measured or not self.baseline_measured:
            return None
        return self.passed / self.measured - self.baseline_passed / self.baseline_measured

    @property
    def rise(self) -> float | None:
        """Rise of the mean score; null where a side measured none."""
        if self.score_mean is None or self.baseline_score_mean is None:
            return None
        return self.score_mean - self.baseline_score_mean


class Baseline:
    """The tasks that a run has in common with its baseline, by the names under which a report may cite them."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    @cached_property
    def tasks(self) -> Mapping[str, list[Before]]:
        """Both counts of every task in common."""
        found: dict[str, list[Before]] = defaultdict(list)
        paired = self._evidence.paired
        if paired is not None and {*Before._fields} <= {*paired.column_names}:
            columns = [paired[name].to_pylist() for name in ("task", *Before._fields)]
            for task, *counts in zip(*columns, strict=True):
                for form in {task, bare(task)}:
                    found[form].append(Before(*counts))
        return found

    def of_square(self, cell: Cell) -> Iterator[Claim]:
        """How many tasks went from one part to another: never, sometimes and always passing, before and now."""
        before, now = cell.heading.removesuffix(" in the baseline"), cell.name.removesuffix(" in this run")
        if cell.lone is not None and before in _PARTS and now in _PARTS and cell.table.header[0] == "Tasks":
            yield from claim(cell.lone, exactly(self._square[before, now], f"tasks that went from {before} to {now}"))

    @cached_property
    def _square(self) -> Counter[tuple[str, str]]:
        paired = self._evidence.paired
        if paired is None or not {*_COUNTS} <= {*paired.column_names}:
            return Counter()
        rows = zip(*(paired[name].to_pylist() for name in _COUNTS), strict=True)
        return Counter((_part(c0, n0), _part(c1, n1)) for n0, c0, n1, c1 in rows if n0 and n1)

    def claims(self, cell: Cell) -> Iterator[Claim]:
        """A cell of the columns ``Baseline`` and ``Change``, where one task only has this name."""
        known = self.tasks.get(cell.name, [])
        if len(known) != 1:
            return
        before, what = known[0], f"task {cell.name}"
        if (self._evidence.documents.get("pass_at_k") or {}).get("headline_metric") == MEAN_REWARD:
            right = {"baseline": before.baseline_score_mean, "change": before.rise}
            if cell.lone is not None and cell.heading in right:
                yield from claim(cell.lone, exactly(right[cell.heading], f"mean score, {cell.heading}, {what}"))
        elif cell.heading == "baseline":
            for ratio in ratios(cell.said.text, cell.figures):
                yield from claim(ratio.part, exactly(before.baseline_passed, f"passed repeats of {what} before"))
                yield from claim(ratio.whole, exactly(before.baseline_measured, f"measured repeats of {what} before"))
        elif cell.heading == "change" and cell.lone is not None and before.change is not None:
            yield from claim(cell.lone, exactly(100 * before.change, f"change of {what}"))
