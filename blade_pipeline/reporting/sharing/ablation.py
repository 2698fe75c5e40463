"""What each failure mode costs, in a shareable report."""

from collections.abc import Iterator

from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.reporting.blocks import Block, Cell, cells, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, points
from blade_pipeline.reporting.sharing.shared import Shared

_OTHERS = {
    "no_score": "rollouts without a score",
    "all_modes": "all modes",
    "oracle": "all but the best rollout (oracle)",
}


def ablation_table(shared: Shared) -> Iterator[Block]:
    """The within-task counterfactuals, by the score by which the run goes; nothing where no task could move."""
    found = shared.metrics["ablation"]
    graded = shared.metrics.get("headline_metric") == MEAN_REWARD
    moved = "mean_reward_moved_tasks" if graded else "moved_tasks"
    if found is None or not found["oracle"][moved]:
        return
    rows = [("nothing (baseline)", found["baseline"]), *found["modes"].items()]
    rows += [(words, found[name]) for name, words in _OTHERS.items() if name != "no_score" or found["without_score"]]
    score, bound = ("Mean score", "Gain at the best score") if graded else ("pass@1", "Gain if they passed")
    columns = f"{score} | Gain | Tasks moved, of {count(found['tasks'])} | {bound}"
    line = _graded if graded else _passing
    yield table("Ablation within tasks", f"Left out | {columns}", [line(*row) for row in rows], numeric=columns)


def _graded(name: str, row: Json) -> tuple[Cell, ...]:
    bound = row["mean_reward_if_best"]
    gain, moved = decimal(row["mean_reward_gain"]), count(row["mean_reward_moved_tasks"])
    return cells(name, decimal(row["mean_reward"]), gain, moved, "" if bound is None else decimal(bound))


def _passing(name: str, row: Json) -> tuple[Cell, ...]:
    bound = row.get("if_passed")
    moved = count(row["moved_tasks"])
    return cells(name, percent(row["pass_at_1"]), points(row["gain"]), moved, "" if bound is None else points(bound))
