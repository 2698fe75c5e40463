"""The score by which runs side by side are told: pass@1, or the mean score where some run goes by it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blade_pipeline.method.graded import MEAN_SCORE, any_by_mean_score
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import decimal, percent


class RunScore(NamedTuple):
    """Keys of a run's score and of its interval for new tasks, what a reader calls it, and how it is written."""

    key: str
    low: str
    high: str
    name: str
    form: Callable[[float | None], str]

    def of(self, row: Json) -> str:
        """The score."""
        return self.form(row.get(self.key))

    def span(self, row: Json) -> str:
        """The interval; ``none`` where there is none."""
        low, high = row.get(self.low), row.get(self.high)
        return "none" if low is None or high is None else f"{self.form(low)} to {self.form(high)}"

    @property
    def title(self) -> str:
        """The name as a heading."""
        return self.name[0].upper() + self.name[1:] if self is MEAN else self.name


PASS = RunScore("pass_at_1", "low", "high", "pass@1", percent)
MEAN = RunScore("mean_reward", "mean_reward_low", "mean_reward_high", MEAN_SCORE, decimal)


def run_score(rows: Sequence[Json]) -> RunScore:
    """The score that tells these runs apart."""
    return MEAN if any_by_mean_score(rows) else PASS
