"""Whether rows are told from the passed ones: the measures of every mined failure mode."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.failure_rules import LIFT
from blade_pipeline.method.task_numbers import task_numbers
from blade_pipeline.statistics import fisher_p, strata_p

SMALLEST = 2
"""Failed rollouts from which a message is a mode of its own."""

_FEWEST_TASKS = 3
_CHANCE = 0.001
"""p of Fisher's test below which a text of a field that promises no message is told from what passed rollouts carry."""
_LUCK = 0.005
"""The same for a text that passed rollouts carry too, and for a log or a note where passed ones have some as well."""

_WORDS_OF_A_NO = 3
_SHARE_OF_A_NO = 0.95
"""A label of so few words on so many of the failed rollouts, and on no passed one, is another word for no."""


class Outcomes:
    """How many failed and passed rollouts carry a message, against all of them."""

    def __init__(self, aligned: pa.Table) -> None:
        self.passed = np.asarray(aligned["passed"].fill_null(False), dtype=np.bool_)
        self.failed = ~np.asarray(aligned["passed"].fill_null(True), dtype=np.bool_)
        self.tasks = task_numbers(aligned)
        self._totals = int(self.failed.sum()), int(self.passed.sum())
        self._per_task = np.bincount(
            self.tasks[self.failed | self.passed], minlength=int(self.tasks.max(initial=0)) + 1
        )

    def telling(self, rows: NDArray[np.int64]) -> bool:
        """At least two failed rollouts, and at least twice as frequent among failed as among passed ones."""
        failed, passed = self._totals
        with_failed, with_passed = self.counts(rows)
        return with_failed >= SMALLEST and with_failed * passed >= LIFT * with_passed * failed

    def counts(self, rows: NDArray[np.int64]) -> tuple[int, int]:
        """Failed and passed rollouts among the rows."""
        return int(self.failed[rows].sum()), int(self.passed[rows].sum())

    def beyond_chance(self, rows: NDArray[np.int64]) -> bool:
        """Telling by Fisher's test as well, over several tasks."""
        failed, passed = self._totals
        with_failed, with_passed = self.counts(rows)
        told = float(fisher_p([with_failed], [failed], [with_passed], [passed])[0]) <= _CHANCE
        return told and self.of_several_tasks(rows)

    def of_several_tasks(self, rows: NDArray[np.int64]) -> bool:
        """Whether the failed rollouts among the rows are of more than one task."""
        return len(np.unique(self.tasks[rows[self.failed[rows]]])) >= _FEWEST_TASKS

    def beyond_chance_within_tasks(self, rows: NDArray[np.int64]) -> bool:
        """The same inside tasks, so that a text of hard tasks is no sign of failing; true where no task has repeats."""
        if self._per_task.max(initial=0) < 2:
            return True
        marked = np.zeros(len(self.tasks), dtype=np.bool_)
        marked[rows] = True
        counts = (
            np.bincount(self.tasks[side], minlength=len(self._per_task))
            for side in (self.failed & marked, self.failed, self.passed & marked, self.passed)
        )
        return strata_p(*counts) <= _CHANCE

    def beyond_luck(self, rows: NDArray[np.int64]) -> bool:
        """Told by Fisher's test alone: less is asked for, and nothing of a run too small to tell."""
        failed, passed = self._totals
        with_failed, with_passed = self.counts(rows)
        found, best = fisher_p([with_failed, failed], [failed] * 2, [with_passed, 0], [passed] * 2)
        return bool(found <= _LUCK) or not bool(best <= _LUCK)

    def speaks_of_passed(self, rows: NDArray[np.int64]) -> bool:
        """Whether a passed rollout is among the rows."""
        return bool(self.passed[rows].any())

    def only_says_no(self, label: str, rows: NDArray[np.int64]) -> bool:
        """Whether a short label stands on all but a few failed rollouts, and on no passed one."""
        with_failed, with_passed = self.counts(rows)
        short = len(label.replace("_", " ").split()) <= _WORDS_OF_A_NO
        return short and not with_passed and self._totals[1] > 0 and with_failed >= _SHARE_OF_A_NO * self._totals[0]

    def varies(self, rows: NDArray[np.int64]) -> bool:
        """Whether some task has measured rollouts among the rows and others beside: else the text describes tasks."""
        with_text = np.bincount(self.tasks[rows], minlength=len(self._per_task))
        return bool(((with_text > 0) & (with_text < self._per_task)).any())
