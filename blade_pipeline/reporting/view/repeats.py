"""What the repeats of a run say: where the spread comes from, drift and copies among them, the best of several."""

import math
from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, absent, cells, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, plural, probability, ratio
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.graded import is_by_mean, is_graded
from blade_pipeline.reporting.view.graded_scores import best_of_table


def repeat_blocks(evidence: Evidence) -> Iterator[Block]:
    """Variance split, tests over repeats and best of k, each with what it is taken over; nothing for one repeat."""
    scores = evidence.inputs.scores
    if evidence.repeats == 1:
        return
    yield from _variance(scores)
    yield _tests(evidence, scores)
    if scores["best_of"] and not is_graded(evidence.inputs):
        yield from best_of_table(scores)


def _variance(scores: Json) -> Iterator[Block]:
    graded = scores.get("mean_reward_variance")
    split, rates = (graded, "mean scores") if graded else (scores["variance"], "success rates")
    if split["icc"] is None:
        reason = split["reason"] or "not computed"
        if scores.get("score_is_binary") is False and not graded:
            reason = reason.replace("have the same score", "pass or fail alike, whatever their scores")
        yield absent(say("the split of variance between tasks and repeats: ", quoted(reason), "."))
        return
    tasks, rollouts = plural(scores["num_tasks"], "task"), plural(scores["num_rollouts"], "rollout")
    several = plural(scores["repeats"]["agreement_tasks"], "task") + " with two measured repeats"
    noise = split["share_sampling_noise"]
    by_chance = "; above 100% by chance where the tasks differ no more than that" if (noise or 0) > 1 else ""
    rows = [
        cells("between tasks", decimal(split["between"], 4), tasks, f"variance of the tasks' true {rates}"),
        cells("within tasks", decimal(split["sigma2_within"], 4), several, "variance between repeats of one task"),
        cells(
            "noise in the task means",
            percent(noise),
            tasks,
            f"share of their variance that is luck of the repeats{by_chance}",
        ),
        cells(
            "share between tasks",
            decimal(split["icc"]),
            rollouts,
            "intraclass correlation: 1 means repeats add nothing, 0 that every rollout counts as a new task",
        ),
        cells(
            "independent rollouts",
            f"{decimal(split['n_eff'], 1)} of {count(scores['num_rollouts'])}",
            rollouts,
            "how many independent rollouts would be worth the same",
        ),
        cells(
            "design effect",
            decimal(split["design_effect"], 2),
            rollouts,
            "how many times larger the variance is than for independent rollouts",
        ),
    ]
    yield table("Where the spread of scores comes from", "Part | Value | Over | Means", rows, numeric="Value")


def _tests(evidence: Evidence, scores: Json) -> Block:
    repeats = scores["repeats"]
    tasks = plural(evidence.inputs.buckets_document["total_tasks"], "task")
    measured, planned = (_spread(repeats[name]) for name in ("measured_per_task", "planned_per_task"))
    known = f"planned: {'' if evidence.expected_known else 'unknown, taken as '}{planned}"
    rows = [
        cells("measured repeats of a task", measured, tasks, f"least, median and most; {known}"),
        _agreement(scores),
        cells(
            "tasks with one output",
            ratio(repeats["identical_tasks"], repeats["compared_tasks"]),
            plural(repeats["compared_tasks"], "task") + " with two outputs",
            "every repeat gave the same output, as a cache or an overwritten file does",
        ),
        _drift(scores),
    ]
    return table("Agreement of repeats", "Measure | Value | Over | Means", rows, numeric="Value")


def _agreement(scores: Json) -> tuple[Cell, ...]:
    """How alike two repeats are: in passing, or of graded scores by their difference, whose variance is twice one's."""
    over = plural(scores["repeats"]["agreement_tasks"], "task") + " with two measured repeats"
    if not is_by_mean(scores):
        share = percent(scores["repeats"]["repeat_agreement"])
        return cells(
            "agreement of two repeats", share, over, "chance that two repeats of a task both pass or both fail"
        )
    within = scores["mean_reward_variance"]["sigma2_within"]
    apart = None if within is None else math.sqrt(2 * within)
    return cells("difference of two repeats", decimal(apart), over, "standard deviation, of two repeats of one task")


def _spread(repeats: Json) -> str:
    return " / ".join(decimal(repeats[name], 1) for name in ("min", "median", "max"))


def _drift(scores: Json) -> tuple[Cell, ...]:
    """Whether one repeat is unlike the others: Cochran's test on passes, Friedman's on graded scores."""
    if not is_by_mean(scores):
        return _cochran(scores["repeats"])
    drift = scores["mean_reward_drift"]
    tasks = plural(drift["tasks"], "task") + " with all usual repeats measured"
    if drift["q"] is None:
        return cells(
            "Friedman's test over repeats", "none", tasks, "nothing to test: hardly any of these tasks' repeats differ"
        )
    return _tested("Friedman's test over repeats", drift["q"], drift["p"], drift["df"], tasks)


def _tested(name: str, q: float, p: float, df: int, tasks: str) -> tuple[Cell, ...]:
    degrees = plural(df, "degree of freedom", "degrees of freedom")
    words = f"{degrees}; a small p says that one repeat ran under other conditions"
    return cells(name, f"{decimal(q, 2)} ({probability(p)})", tasks, words)


def _cochran(repeats: Json) -> tuple[Cell, ...]:
    tasks = plural(repeats["cochran_tasks"], "task") + " with all usual repeats measured"
    name = "Cochran's Q over repeats"
    if repeats["cochran_q"] is None:
        return cells(name, "none", tasks, say("nothing to test: ", quoted(repeats["cochran_reason"])))
    return _tested(name, repeats["cochran_q"], repeats["cochran_p"], repeats["cochran_df"], tasks)
