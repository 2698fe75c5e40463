"""What the run would score if every task counted only its least affected rollouts: within tasks, none dropped."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.arrays import Counts, Floats, counts, floats, row_numbers
from blade_pipeline.method.graded import MEAN_REWARD, headline_metric
from blade_pipeline.method.graded_ablation import GradedGroups
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile

UNAFFECTED = 0

_GROUPS = """
    with rollouts as (
        select b.n as task, outcome = 'measured' as measured, passed, score,
            if(outcome = 'measured', coalesce(severities.severity, $unaffected), $lost) as severity
        from samples join b using (agent, stage, task) left join modes using (agent, stage, task, repeat)
        left join severities on severities.mode = modes.mode
        where outcome <> 'unexpected'
    )
    select task, severity, count(*) as rollouts, count(*) filter (measured and passed) as passed,
        sum(score order by score) as score_sum, max(score) as highest, min(score) as lowest
    from rollouts group by task, severity order by task, severity
"""


def ablation(
    aligned: pa.Table, buckets: pa.Table, modes: pa.Table, found: Sequence[dict[str, Any]], profile: Profile
) -> dict[str, Any] | None:
    """The within-task counterfactual table.

    A row takes of each task the rollouts that are least affected, averages them, and averages the tasks, so that every
    row stands on the same tasks. A rollout is affected by its primary failure mode, and by nothing else:

    - ``baseline``: no rollout counts as affected; every planned one counts.
    - a mode: rollouts with that primary mode are affected, all others are not. A task all of whose rollouts are
      affected keeps its own mean: no rollout of it shows what it would be without the mode.
    - ``no_score``: rollouts without a score are affected.
    - ``all_modes``: all of these, a rollout without a score most, then by the severity of its mode.
    - ``oracle``: the best rollout of each task.

    Passed rollouts, and failed ones that show no symptom (wrong, partly right, unexplained), are affected by no mode.
    Rollouts without a score (masked, unscored, failed, missing) count as failed, and with the worst possible reward
    where the range of rewards is declared or every reward lies in [0, 1]; the baseline is therefore
    ``accountings.all_unscored_as_zero``, which is pass@1 where everything planned was measured.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        buckets: ``OUTCOME_BUCKETS``, which say how many repeats of each task were planned.
        modes: ``FAILURE_MODES``.
        found: entries of the document ``failure_modes``: which modes name a symptom, and how severe they are.
        profile: says which end of the rewards is the better one.

    Returns:
        ``{tasks, rollouts, without_score, baseline, modes, no_score, all_modes, oracle, unexplained}``; null where
        nothing was measured; ``modes`` holds a row per code, with the ``within_tasks`` of its entry. A row is
        ``{pass_at_1, task_scores, mean_reward, gain, moved_tasks, stuck_tasks, if_passed}``:
        ``task_scores`` is the sum over tasks whose mean is ``pass_at_1``, ``gain`` is pass@1 minus that of the
        baseline, moved tasks have another mean than in the baseline, stuck ones hold affected rollouts only.
        ``if_passed`` is what pass@1 would rise by if every affected rollout passed, in stuck tasks too: a bound, as
        of a verifier that scores them again; null for the baseline and the oracle.
        ``unexplained`` is the oracle minus all modes. A run that goes by its mean score adds what ``GradedGroups``
        says to each row, and ``scale`` and ``mean_reward_unexplained`` to the table. pass@1 never falls from the
        baseline to a mode, from there to all modes and on to the oracle; the mean reward may, where rollouts with a
        mode score higher than others that failed.
    """
    named = sorted((mode for mode in found if mode["symptom"]), key=lambda mode: -mode["severity"])
    symptoms = [mode["code"] for mode in named]
    groups = _Groups(aligned, buckets, modes, symptoms, profile)
    if not groups.measured:
        return None
    graded = groups.graded() if headline_metric(aligned, profile) == MEAN_REWARD else None
    baseline = groups.row(np.zeros_like(groups.severity))
    lost = len(symptoms) + 1
    rows = {
        mode["code"]: groups.row(groups.severity == lost - 1 - place, baseline) | {"within_tasks": mode["within_tasks"]}
        for place, mode in enumerate(named)
    }
    whole, best = groups.row(groups.severity, baseline), groups.oracle(baseline)
    table = {
        "tasks": groups.tasks,
        "rollouts": int(groups.rollouts.sum()),
        "without_score": int(groups.rollouts[groups.severity == lost].sum()),
        "baseline": baseline,
        "modes": rows,
        "no_score": groups.row(groups.severity == lost, baseline),
        "all_modes": whole,
        "oracle": best,
        "unexplained": best["pass_at_1"] - whole["pass_at_1"],
    }
    return table if graded is None else graded.told(table, {code: lost - 1 - n for n, code in enumerate(symptoms)})


class _Groups:
    """Rollouts of one task and one severity together."""

    def __init__(
        self, aligned: pa.Table, buckets: pa.Table, modes: pa.Table, symptoms: Sequence[str], profile: Profile
    ) -> None:
        lost = len(symptoms) + 1
        severities = pa.table(
            {
                "mode": pa.array(symptoms, pa.string()),
                "severity": pa.array([lost - 1 - place for place in range(len(symptoms))], pa.int64()),
            }
        )
        key = ["agent", "stage", "task"]
        found = query(
            _GROUPS,
            {"unaffected": UNAFFECTED, "lost": lost},
            samples=aligned.select([*key, "repeat", "outcome", "passed", "score"]),
            b=buckets.select(key).append_column("n", row_numbers(buckets)),
            modes=modes.select([*key, "repeat", "mode"]),
            severities=severities,
        )
        self.tasks = buckets.num_rows
        planned = counts(buckets["planned"])
        seen = np.bincount(counts(found["task"]), counts(found["rollouts"]), self.tasks).astype(np.int64)
        unseen = np.flatnonzero(planned > seen)
        self.task: Counts = np.concatenate([counts(found["task"]), unseen])
        self.severity: Counts = np.concatenate([counts(found["severity"]), np.full_like(unseen, lost)])
        self.rollouts: Counts = np.concatenate([counts(found["rollouts"]), (planned - seen)[unseen]])
        self.passed: Counts = np.concatenate([counts(found["passed"]), np.zeros_like(unseen)])
        self._rewards(found, lost, profile)
        self.measured = bool((self.rollouts[self.severity != lost]).sum())
        self._lost = lost

    def _rewards(self, found: pa.Table, lost: int, profile: Profile) -> None:
        """Sum and best of each group's rewards, those of rollouts without a score at the worst end."""
        none = self.severity == lost
        highest, lowest = floats(found["highest"]), floats(found["lowest"])
        low, high = profile.reward_range or _unit(lowest, highest)
        best, worst = (highest, low) if profile.higher_is_better else (lowest, high)
        self._ends = (low, high) if profile.higher_is_better else (high, low)
        unseen = np.full(len(none) - found.num_rows, np.nan)
        own = np.concatenate([floats(found["score_sum"]), unseen])
        self.reward: Floats = np.where(none, worst * self.rollouts, own)
        self._best: Floats = np.where(none, worst, np.concatenate([best, unseen]))
        self._better = np.fmax if profile.higher_is_better else np.fmin

    def row(self, severity: NDArray[Any], baseline: dict[str, Any] | None = None) -> dict[str, Any]:
        """The table's row under a severity of each group, where 0 is unaffected."""
        level = severity.astype(np.int64)
        least = np.full(self.tasks, np.iinfo(np.int64).max)
        np.minimum.at(least, self.task, level)
        kept = level == least[self.task]
        rollouts, passed, reward = (
            np.bincount(self.task[kept], values[kept], self.tasks)
            for values in (self.rollouts, self.passed, self.reward)
        )
        planned, passes = (np.bincount(self.task, values, self.tasks) for values in (self.rollouts, self.passed))
        moved = passed * planned != passes * rollouts
        affected = np.bincount(self.task[level > 0], self.rollouts[level > 0], self.tasks)
        row = _row(passed / rollouts, reward / rollouts, baseline, int(moved.sum()), int((least > 0).sum()))
        return row | {"if_passed": float(np.sort(affected / planned).mean()) if baseline else None}

    def graded(self) -> GradedGroups:
        """The same groups by their scores, of a run whose scale is known."""
        groups = (self.task, self.severity, self.rollouts, self.reward, self._best)
        return GradedGroups(self.tasks, *groups, self._lost, self._ends)

    def oracle(self, baseline: dict[str, Any]) -> dict[str, Any]:
        """The row of each task's best rollout."""
        passes, planned = (np.bincount(self.task, values, self.tasks) for values in (self.passed, self.rollouts))
        best = np.full(self.tasks, np.nan)
        self._better.at(best, self.task, self._best)
        moved = int(((passes > 0) & (passes < planned)).sum())
        return _row((passes > 0).astype(np.float64), best, baseline, moved, 0) | {"if_passed": None}


def _unit(lowest: Floats, highest: Floats) -> tuple[float, float]:
    """[0, 1] where every reward lies in it, else an unknown range."""
    inside = bool(np.nanmin(lowest, initial=0.0) >= 0 and np.nanmax(highest, initial=0.0) <= 1)
    return (0.0, 1.0) if inside else (np.nan, np.nan)


def _row(scores: Floats, rewards: Floats, baseline: dict[str, Any] | None, moved: int, stuck: int) -> dict[str, Any]:
    total, mean = float(np.sort(scores).sum()), float(np.sort(rewards).mean())
    value = total / len(scores)
    return {
        "pass_at_1": value,
        "task_scores": total,
        "mean_reward": mean if np.isfinite(mean) else None,
        "gain": value - baseline["pass_at_1"] if baseline else 0.0,
        "moved_tasks": moved,
        "stuck_tasks": stuck,
    }
