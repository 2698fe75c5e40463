"""Anchor facts about the score of a run that goes by its mean score: passing would say little of it."""

from collections.abc import Iterator
from typing import Any

from blade_pipeline import rounding
from blade_pipeline.method.facts import Difficulty, Fact, Scope, at, counted, rounded, shown
from blade_pipeline.method.facts_of_counts import WORTH_RETRYING
from blade_pipeline.method.graded import MEAN_REWARD

_MEASURED = "outcome = 'measured'"


def is_by_mean(scores: dict[str, Any]) -> bool:
    """Whether the facts about passing give way to those of this module."""
    return scores.get("headline_metric") == MEAN_REWARD


def mean_fact(of: Scope, scores: dict[str, Any]) -> Iterator[Fact]:
    """The mean score with its interval for new tasks, and how many rollouts reach the pass mark."""
    interval = scores["intervals"]["mean_reward"]
    numbers = {
        "mean": _round(scores["mean_reward"]),
        "tasks": scores["num_tasks"],
        "reach": scores["passed_rollouts"],
        "measured": scores["num_rollouts"],
        "mark": rounded(scores["pass_threshold"]),
    }
    document = {"mark": shown(at("$.pass_threshold", "double"), ".3g")}
    sentence = f"The mean score over {counted(numbers['tasks'], 'task')} is {numbers['mean']}"
    if interval["low"] is not None:
        ends = {end: _round(interval[end]) for end in ("low", "high")}
        numbers |= ends
        document |= {end: _shown(at(f"$.intervals.mean_reward.{end}", "double")) for end in ends}
        sentence += f", which new tasks of the same kind would put between {ends['low']} and {ends['high']}"
    sentence += f"; {numbers['reach']} of {counted(numbers['measured'], 'measured rollout')} reach {numbers['mark']}."
    columns = {
        "mean": _shown("avg(own)"),
        "tasks": "count(*)",
        "reach": "sum(reach)::bigint",
        "measured": "sum(n)::bigint",
    } | {name: f"({of.document('pass_at_k', {'v': value})})" for name, value in document.items()}
    yield Fact(sentence, "low", "mean score", numbers, _over_tasks(of, columns))


def best_of_fact(of: Scope, scores: dict[str, Any]) -> Iterator[Fact]:
    """What the best of several rollouts adds to one."""
    k = scores.get("k")
    if not k or k < 2:
        return
    mean, best, ends = scores["mean_reward"], scores["best_of"][str(k)]["value"], scores["mean_reward_scale"]
    numbers = {"k": k, "mean": _round(mean), "best": _round(best)}
    columns = {
        "k": str(k),
        "mean": _shown("avg(own)"),
        "best": _shown(f"avg({_expected_best(k, ends['best'] > ends['worst'])})"),
    }
    sentence = f"One rollout of a task scores {numbers['mean']} on average, the best of {k} {numbers['best']}."
    width = abs(ends["best"] - ends["worst"])
    difficulty: Difficulty = "medium" if abs(best - mean) >= WORTH_RETRYING * width else "low"
    yield Fact(sentence, difficulty, "best of k", numbers, _over_tasks(of, columns))


def spread_fact(of: Scope, scores: dict[str, Any]) -> Iterator[Fact]:
    """How far the mean scores of tasks lie apart."""
    spread = scores["mean_reward_spread"]
    if scores["num_tasks"] < 2:
        return
    numbers = {name: _round(spread[name]) for name in ("low", "median", "high")} | {"tasks": scores["num_tasks"]}
    sentence = (
        f"The mean scores of {numbers['tasks']} tasks go from {numbers['low']} to {numbers['high']}, with a median of "
        f"{numbers['median']}."
    )
    columns = {"low": _shown("min(own)"), "median": _shown("median(own)"), "high": _shown("max(own)")}
    yield Fact(sentence, "low", "mean scores of tasks", numbers, _over_tasks(of, columns | {"tasks": "count(*)"}))


def _round(value: float) -> float:
    return float(rounding.rounded(value, 3))


def _shown(expression: str) -> str:
    return shown(expression, ".3f")


def _over_tasks(of: Scope, columns: dict[str, str]) -> str:
    """One row of expressions over the measured tasks: ``own`` mean, ``n``, ``reach`` and the sorted ``scores``."""
    named = ", ".join(f'{expression} as "{name}"' for name, expression in columns.items())
    tasks = (
        "select avg(score) as own, count(*) as n, count(*) filter (passed) as reach, list(score order by score) as "
        f"scores from aligned_samples where {of.where} and {_MEASURED} group by agent, stage, task"
    )
    return f"select {named} from ({tasks})"


def _expected_best(k: int, higher_is_better: bool) -> str:
    """SQL: the expected best of k scores drawn without replacement from the sorted ``scores``."""
    ordered = "scores" if higher_is_better else "list_reverse(scores)"
    within = f"list_aggregate(list_transform(range({k}), lambda j: greatest(i - j, 0) / (n - j)), 'product')"
    before = within.replace("greatest(i - j, 0)", "greatest(i - 1 - j, 0)")
    return f"list_sum(list_transform(range(1, n + 1), lambda i: {ordered}[i] * ({within} - {before})))"
