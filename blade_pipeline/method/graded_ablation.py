"""The within-task counterfactuals of a run that goes by its mean score."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.method.arrays import Counts, Floats, known_mean

_SAME = 1e-12

Chosen = NDArray[np.bool_]


class GradedGroups(NamedTuple):
    """Rollouts of one task and one severity together.

    ``tasks`` is how many there are, ``reward`` the sum of a group's scores and ``best`` its best one, ``lost`` the
    severity of rollouts without a score, ``ends`` the worst and the best possible score.
    """

    tasks: int
    task: Counts
    severity: Counts
    rollouts: Counts
    reward: Floats
    best: Floats
    lost: int
    ends: tuple[float, float]

    def told(self, table: dict[str, Any], severities: Mapping[str, int]) -> dict[str, Any]:
        """The ablation table with what each row says of the mean score.

        A row gets ``mean_reward_gain``: how much better its mean score is than the baseline's;
        ``mean_reward_moved_tasks``: tasks whose mean score differs from the baseline's; and ``mean_reward_if_best``:
        what the mean score would gain if every affected rollout had the best score, a bound, null for the baseline and
        the oracle. A mode's row has ``mean_reward_within_tasks`` too, ``{tasks, with, without, with_mean,
        without_mean}``: measured rollouts that it affects and others of the tasks that hold both, and the means over
        these tasks of their mean scores.

        Args:
            table: of ``ablation``.
            severities: of each mode.
        """
        levels = {code: np.where(self.severity == severity, 1, 0) for code, severity in severities.items()}
        modes = {
            code: row | self._row(row, table, levels[code]) | {"mean_reward_within_tasks": self._within(levels[code])}
            for code, row in table["modes"].items()
        }
        lost = np.where(self.severity == self.lost, 1, 0)
        rows = {"no_score": self._row(table["no_score"], table, lost)}
        rows["all_modes"] = self._row(table["all_modes"], table, self.severity)
        rows["baseline"] = self._row(table["baseline"], table, np.zeros_like(self.severity)) | {
            "mean_reward_if_best": None
        }
        rows["oracle"] = self._of_best(table)
        told = {name: table[name] | row for name, row in rows.items()}
        rest = rows["oracle"]["mean_reward_gain"] - rows["all_modes"]["mean_reward_gain"]
        scale = dict(zip(("worst", "best"), self.ends, strict=True))
        return table | told | {"modes": modes, "scale": scale, "mean_reward_unexplained": rest}

    def _row(self, row: Mapping[str, Any], table: Mapping[str, Any], level: Counts) -> dict[str, Any]:
        least = np.full(self.tasks, np.iinfo(np.int64).max)
        np.minimum.at(least, self.task, level)
        means, affected = self._means(level == least[self.task]), level > 0
        lacking = abs(self.ends[1] * self.rollouts - self.reward)
        rise = np.bincount(self.task[affected], lacking[affected], self.tasks)
        planned = np.bincount(self.task, self.rollouts, self.tasks)
        return {
            "mean_reward_gain": self._better(row["mean_reward"] - table["baseline"]["mean_reward"]),
            "mean_reward_moved_tasks": self._moved(means),
            "mean_reward_if_best": float(np.sort(rise / planned).mean()),
        }

    def _of_best(self, table: Mapping[str, Any]) -> dict[str, Any]:
        pick = np.fmax if self.ends[1] > self.ends[0] else np.fmin
        best = np.full(self.tasks, np.nan)
        pick.at(best, self.task, self.best)
        return {
            "mean_reward_gain": self._better(table["oracle"]["mean_reward"] - table["baseline"]["mean_reward"]),
            "mean_reward_moved_tasks": self._moved(best),
            "mean_reward_if_best": None,
        }

    def _within(self, level: Counts) -> dict[str, Any]:
        """Affected rollouts against the other measured ones of the same tasks."""
        sides = {"with": level > 0, "without": (level == 0) & (self.severity != self.lost)}
        rollouts = {name: np.bincount(self.task[side], self.rollouts[side], self.tasks) for name, side in sides.items()}
        both = (rollouts["with"] > 0) & (rollouts["without"] > 0)
        means = {f"{name}_mean": known_mean(self._means(side)[both]) for name, side in sides.items()}
        return {"tasks": int(both.sum())} | {name: int(values[both].sum()) for name, values in rollouts.items()} | means

    def _means(self, kept: Chosen) -> Floats:
        """The mean score of each task over some of its groups; NaN where it has none of them."""
        sums, rollouts = (
            np.bincount(self.task[kept], values[kept], self.tasks) for values in (self.reward, self.rollouts)
        )
        return np.asarray(np.divide(sums, rollouts, out=np.full(self.tasks, np.nan), where=rollouts > 0))

    def _moved(self, means: Floats) -> int:
        return int((abs(means - self._means(np.ones(len(self.task), dtype=np.bool_))) > _SAME).sum())

    def _better(self, difference: float) -> float:
        return float(difference if self.ends[1] > self.ends[0] else -difference)
