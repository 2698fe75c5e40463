"""Scores of a run that goes by its mean score: best of k, counting rules, each repeat; and what passing means there."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Cell, Figure, Paragraph, Text, cells, code, say, table
from blade_pipeline.reporting.figures import curves
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.metrics import total_rollouts
from blade_pipeline.reporting.numbers import count, decimal, plural, ratio

BEST = "best of k"


def best_of_rows(scores: Json) -> list[tuple[Cell, ...]]:
    """The expected best of as many rollouts as every measured task has, and what that adds to one."""
    k, tasks = scores["k"] or 0, plural(scores["num_tasks"], "measured task")
    if k < 2:
        return []
    best, mean = scores["best_of"][str(k)]["value"], scores["mean_reward"]
    words = f"expected best score of {count(k)} rollouts of a task, mean over {tasks}"
    return [
        cells(f"best of {k}", decimal(best, 4), words, ""),
        cells("retry gain", decimal(abs(best - mean), 4), "how much better that is than the mean score", ""),
    ]


def what_passing_means(scores: Json) -> Block:
    """What pass@1, pass@k, consistency and the like count in a run that goes by its mean score."""
    several = (scores["k"] or 0) > 1
    names = "pass@k, pass^k, consistency and retry value count" if several else "pass@1 counts"
    reach = f"{count(scores['passed_rollouts'])} of {count(scores['num_rollouts'])} measured rollouts pass"
    return Paragraph(
        say(
            f"Scores are graded. {names} rollouts that pass all the same: a rollout passes when its score reaches "
            f"{decimal(scores['pass_threshold'], 6)}; {reach}."
        ),
        "quiet",
    )


def best_of_curve(scores: Json) -> Iterator[Block]:
    """The expected best score of k rollouts over k; nothing where no task has two."""
    entries = sorted(((int(k), entry) for k, entry in scores["best_of"].items()), key=lambda item: item[0])
    if len(entries) < 2:
        return
    drawn = [(k, entry["value"], BEST) for k, entry in entries]
    first, last = entries[0][1]["value"], entries[-1][1]["value"]
    alternative = f"from {decimal(first)} for one rollout to {decimal(last)} for the best of {entries[-1][0]}"
    yield Figure(curves(drawn, passes=False), "Expected best score of k rollouts of a task", alternative)
    yield from best_of_table(scores)
    if any(entry["eligible_tasks"] < entry["total_tasks"] for _, entry in entries):
        words = "Where fewer tasks have k repeats, a value speaks of other tasks than its neighbours."
        yield Paragraph(say(words), "quiet")


def best_of_table(scores: Json) -> Iterator[Block]:
    """The expected best score of k rollouts, with the tasks that each k speaks of."""
    rows = [
        cells(k, decimal(entry["value"], 4), f"{count(entry['eligible_tasks'])} of {count(entry['total_tasks'])}")
        for k, entry in sorted(scores["best_of"].items(), key=lambda item: int(item[0]))
    ]
    yield table("Best score of k repeats", "k | Expected best score | Tasks with k measured repeats", rows,
                numeric="k | Expected best score")  # fmt: skip
    words = "Mean over these tasks of the best of k repeats drawn from those measured; scores here are not only 0 and 1"
    yield Paragraph(say(f"{words}, so this is no pass@k."), "quiet")


def rules_table(scores: Json) -> Block:
    """The mean score under each rule for rollouts without a score."""
    worst, best = (decimal(scores["mean_reward_scale"][end]) for end in ("worst", "best"))
    meanings = {
        "observed": "only measured rollouts count",
        "failures_as_zero": f"failed rollouts count as the worst score, {worst}",
        "all_unscored_as_zero": f"every rollout without a score counts as the worst, {worst}",
        "all_as_one": f"every rollout without a score counts as the best, {best}",
    }
    values = scores["mean_reward_accountings"]
    rows = [cells(code(rule), decimal(values.get(rule), 4), words) for rule, words in meanings.items()]
    caption = "Mean score under each rule for rollouts without a score"
    return table(caption, "Rule | Mean score | Means", rows, numeric="Mean score")


def repeats_table(rows: list[Json], names: list[Text], found: list[Json], title: str) -> Iterator[Block]:
    """Each repeat with its mean score and how far its rollouts lie apart.

    Args:
        rows: the accounting of each repeat.
        names: what each is called.
        found: ``mean_reward_repeats``.
        title: the caption.
    """
    means = {(row["agent"], row["repeat"]): row for row in found}
    body = [
        cells(
            name,
            count(total_rollouts(row)),
            ratio(row["measured"], total_rollouts(row)),
            *_mean_and_spread(means.get((row["agent"], row["repeat"]))),
        )
        for row, name in zip(rows, names, strict=False)
    ]
    columns = "Rollouts | With a score | Mean score | Standard deviation"
    yield table(title, f"Repeat | {columns}", body, numeric=columns)
    lost = any(row["measured"] < total_rollouts(row) for row in rows)
    words = "Mean and standard deviation are over the rollouts with a score."
    yield Paragraph(say(words, " Repeats that lost some speak of other tasks than the rest." if lost else ""), "quiet")


def _mean_and_spread(row: Json | None) -> tuple[str, str]:
    if row is None:
        return "none", "none"
    return decimal(row["mean_reward"]), "none" if row["sd"] is None else decimal(row["sd"])
