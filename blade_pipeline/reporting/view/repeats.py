"""What the repeats of a run say: where the spread comes from, drift and copies among them, the best of several."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, Paragraph, absent, cells, quoted, say, table
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, percent, plural, probability, ratio
from blade_pipeline.reporting.view.evidence import Evidence


def repeat_blocks(evidence: Evidence) -> Iterator[Block]:
    """Variance split, tests over repeats and best of k, each with what it is taken over; nothing for one repeat."""
    scores = evidence.inputs.scores
    if evidence.repeats == 1:
        return
    yield from _variance(scores)
    yield _tests(evidence, scores["repeats"])
    yield from _best_of(scores)


def _variance(scores: Json) -> Iterator[Block]:
    split = scores["variance"]
    if split["icc"] is None:
        reason = split["reason"] or "not computed"
        if scores.get("score_is_binary") is False:
            reason = reason.replace("have the same score", "pass or fail alike, whatever their scores")
        yield absent(say("the split of variance between tasks and repeats: ", quoted(reason), "."))
        return
    tasks, rollouts = plural(scores["num_tasks"], "task"), plural(scores["num_rollouts"], "rollout")
    several = plural(scores["repeats"]["agreement_tasks"], "task") + " with two measured repeats"
    noise = split["share_sampling_noise"]
    by_chance = "; above 100% by chance where the tasks differ no more than that" if (noise or 0) > 1 else ""
    rows = [
        cells("between tasks", decimal(split["between"], 4), tasks, "variance of the tasks' true success rates"),
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


def _tests(evidence: Evidence, repeats: Json) -> Block:
    tasks = plural(evidence.inputs.buckets_document["total_tasks"], "task")
    measured, planned = (_spread(repeats[name]) for name in ("measured_per_task", "planned_per_task"))
    known = f"planned: {'' if evidence.expected_known else 'unknown, taken as '}{planned}"
    rows = [
        cells("measured repeats of a task", measured, tasks, f"least, median and most; {known}"),
        cells(
            "agreement of two repeats",
            percent(repeats["repeat_agreement"]),
            plural(repeats["agreement_tasks"], "task") + " with two measured repeats",
            "chance that two repeats of a task both pass or both fail",
        ),
        cells(
            "tasks with one output",
            ratio(repeats["identical_tasks"], repeats["compared_tasks"]),
            plural(repeats["compared_tasks"], "task") + " with two outputs",
            "every repeat gave the same output, as a cache or an overwritten file does",
        ),
        _cochran(repeats),
    ]
    return table("Agreement of repeats", "Measure | Value | Over | Means", rows, numeric="Value")


def _spread(repeats: Json) -> str:
    return " / ".join(decimal(repeats[name], 1) for name in ("min", "median", "max"))


def _cochran(repeats: Json) -> tuple[Cell, ...]:
    tasks = plural(repeats["cochran_tasks"], "task") + " with all usual repeats measured"
    name = "Cochran's Q over repeats"
    if repeats["cochran_q"] is None:
        return cells(name, "none", tasks, say("nothing to test: ", quoted(repeats["cochran_reason"])))
    value = f"{decimal(repeats['cochran_q'], 2)} ({probability(repeats['cochran_p'])})"
    degrees = plural(repeats["cochran_df"], "degree of freedom", "degrees of freedom")
    return cells(name, value, tasks, f"{degrees}; a small p says that one repeat ran under other conditions")


def _best_of(scores: Json) -> Iterator[Block]:
    best = scores["best_of"]
    if not best:
        return
    rows = [
        cells(k, decimal(entry["value"], 4), f"{count(entry['eligible_tasks'])} of {count(entry['total_tasks'])}")
        for k, entry in sorted(best.items(), key=lambda item: int(item[0]))
    ]
    yield table("Best score of k repeats", "k | Expected best score | Tasks with k measured repeats", rows,
                numeric="k | Expected best score")  # fmt: skip
    words = "Mean over these tasks of the best of k repeats drawn from those measured; scores here are not only 0 and 1"
    yield Paragraph(say(f"{words}, so this is no pass@k."), "quiet")
