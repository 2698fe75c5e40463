"""The scores of a run: estimates, intervals, curves over k, and the same score under other accountings."""

from collections.abc import Callable, Iterator

from blade_pipeline.reporting.blocks import (
    Block,
    Cell,
    Figure,
    Fold,
    Paragraph,
    Text,
    absent,
    cells,
    code,
    quoted,
    say,
    table,
)
from blade_pipeline.reporting.figures import curves, interval_plot
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, distance, level, percent, plural
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.graded import is_by_mean
from blade_pipeline.reporting.view.graded_scores import best_of_curve, best_of_rows, rules_table, what_passing_means
from blade_pipeline.reporting.view.repeats import repeat_blocks
from blade_pipeline.reporting.view.run_scores import MEAN, PASS, run_score
from blade_pipeline.reporting.view.summary import QUESTIONS, interval_for

ACCOUNTINGS = {
    "observed": "only measured rollouts count",
    "failures_as_zero": "failed rollouts count as zero",
    "all_unscored_as_zero": "every rollout without a score counts as zero",
    "all_as_one": "every rollout without a score counts as one",
}


def score_blocks(evidence: Evidence) -> Iterator[Block]:
    """Scores with intervals, pass@k and pass^k, accountings and bounds, what the repeats say."""
    if not evidence.measured:
        yield absent("any score. No rollout has a valid one.")
        return
    scores = evidence.inputs.scores
    yield from _intervals(scores)
    yield from _estimates(evidence, scores)
    yield from _graded_curves(scores) if is_by_mean(scores) else _curves(scores)
    yield from _accountings(evidence, scores)
    yield from repeat_blocks(evidence)


def _intervals(scores: Json) -> Iterator[Block]:
    found, score = plotted(scores), run_score([scores])
    if found:
        ends = ((label, score.form(low), score.form(high)) for label, _, low, high, _ in found)
        alternative = "; ".join(f"{label}: {low} to {high}" for label, low, high in ends)
        drawing = interval_plot(found, shares=score is PASS)
        yield Figure(drawing, f"{score.title} and how far it can be trusted", alternative)


def plotted(scores: Json) -> list[tuple[str, float | None, float, float, str]]:
    """Rows of the interval plot of the score by which the run goes: label, estimate, low, high, question."""
    rows: list[tuple[str, float | None, float, float, str]] = []
    labels, metric = {"new_tasks": "new tasks", "these_tasks": "these tasks"}, run_score([scores]).key
    for question, label in labels.items():
        interval = interval_for(scores, metric, question)
        if interval:
            rows.append((label, scores[metric], interval["low"], interval["high"], label))
    bounds = scores["bounds"].get(metric)
    if bounds and bounds["low"] is not None and bounds["high"] is not None and bounds["low"] < bounds["high"]:
        rows.append(("bounds", None, bounds["low"], bounds["high"], "bounds"))
    return rows


def _estimates(evidence: Evidence, scores: Json) -> Iterator[Block]:
    tasks = plural(scores["num_tasks"], "measured task")
    passed = f"{count(scores['passed_rollouts'])} of {count(scores['num_rollouts'])} measured rollouts pass"
    first = f"mean over {tasks} of each task's share of passed rollouts"
    rows = [
        cells("pass@1 (macro)", percent(scores["pass_at_1"]), first, interval_words(scores, "pass_at_1")),
        cells("pass@1 (micro)", percent(scores["pass_at_1_micro"]), passed, ""),
    ]
    if scores.get("score_is_binary") is False:
        words = f"mean score over {tasks}; a rollout passes at {decimal(scores['pass_threshold'], 6)}"
        mean = cells("mean score", decimal(scores["mean_reward"], 4), words, interval_words(scores, "mean_reward"))
        rows = [mean, *best_of_rows(scores), *rows] if run_score([scores]) is MEAN else [*rows, mean]
    if (scores["k"] or 0) > 1 and scores["pass_at_k"] is not None:
        rows += _repeat_rows(evidence, scores)
    yield table("Scores", f"Metric | Value | Is | {interval_title(scores)}", rows, numeric="Value")
    meaning = "; ".join(f"{question.replace('_', ' ')}: {words}" for question, words in QUESTIONS.items())
    yield Paragraph(say(f"An interval answers one question. {meaning.capitalize()}."), "quiet")
    if is_by_mean(scores):
        yield what_passing_means(scores)
    if evidence.repeats == 1:
        yield absent("consistency, retry value and the variance between repeats. Each task ran once.")
    elif scores["k"] == 1:
        yield absent("consistency and retry value. A task has only one measured repeat, which cannot disagree.")


def _repeat_rows(evidence: Evidence, scores: Json) -> list[tuple[Cell, ...]]:
    k = scores["k"]
    some, every = _counted_tasks(evidence, k)
    return [
        cells(f"pass@{k}", percent(scores["pass_at_k"]), some, interval_words(scores, f"pass@{k}")),
        cells("consistency", percent(scores["consistency"]), every, interval_words(scores, f"pass^{k}")),
        cells("retry value", distance(scores["retry_value"]), f"pass@{k} minus pass@1", ""),
    ]


def _counted_tasks(evidence: Evidence, k: int) -> tuple[str, str]:
    """What pass@k and consistency are a share of; a mean of chances where tasks have more than k repeats."""
    tasks = plural(evidence.inputs.scores["num_tasks"], "measured task")
    repeats = evidence.inputs.per_task.select(["measured", "passed"]).to_pylist()
    measured = [row for row in repeats if row["measured"]]
    if any(row["measured"] != k for row in measured):
        chance = "chance that {} of {} repeats {}, mean over {}"
        return chance.format("at least one", k, "passes", tasks), chance.format("all", k, "pass", tasks)
    some, every = (sum(row["passed"] >= least for row in measured) for least in (1, k))
    return f"{count(some)} of {tasks} pass in at least one of {k} repeats", f"{count(every)} of {tasks} pass in all {k}"


def interval_words(scores: Json, metric: str) -> Text:
    """A metric's intervals with the question each answers, or why there is none; raw scores are no percentages."""
    form = _raw if metric == "mean_reward" else percent
    known = (scores["intervals"].get(name) for name in (metric, f"{metric}_these_tasks"))
    words = "; ".join(_one_interval(interval, form) for interval in known if interval)
    return quoted(words or "none given")


def _one_interval(interval: Json, form: Callable[[float | None], str]) -> str:
    question = interval["question"].replace("_", " ")
    if interval["low"] is None or interval["high"] is None:
        return f"none for {question}: {interval['reason']}"
    return f"{form(interval['low'])} to {form(interval['high'])} ({question})"


def interval_title(scores: Json) -> str:
    """The heading of a column of ``interval_words``, with the level that all intervals share."""
    return f"Interval at {level(scores['intervals']['pass_at_1']['level'])} (speaks of)"


def _graded_curves(scores: Json) -> Iterator[Block]:
    """The best of k first; what the same k say of passing stays closed."""
    yield from best_of_curve(scores)
    told = tuple(block for block in _curves(scores) if not isinstance(block, Figure))
    if told:
        yield Fold(f"pass@k and pass^k count passing, at a score of {decimal(scores['pass_threshold'], 6)}", told)


def _curves(scores: Json) -> Iterator[Block]:
    at, hat = scores["pass_at"], scores["pass_hat"]
    repeats = sorted((int(k) for k in at), key=int)
    if len(repeats) < 2:
        return
    points = [(k, at[str(k)]["value"], "pass@k") for k in repeats]
    points += [(k, hat[str(k)]["value"], "pass^k") for k in repeats]
    drawn = [(k, value, name) for k, value, name in points if value is not None]
    last = str(repeats[-1])
    alternative = f"pass@k from {percent(at['1']['value'])} to {percent(at[last]['value'])} at k = {last}; "
    alternative += f"pass^k from {percent(hat['1']['value'])} to {percent(hat[last]['value'])}"
    yield Figure(curves(drawn), "At least one pass, and all pass, in k repeats", alternative)
    rows = [_curve_row(k, at[str(k)], hat[str(k)]) for k in _thinned(repeats)]
    columns = "k | pass@k | pass@k could be | pass^k | pass^k could be | Tasks with k measured repeats"
    numeric = columns.rpartition(" | ")[0]
    caption = "pass@k and pass^k; the ranges cover every rollout without a score"
    yield table(caption, columns, rows, numeric)
    if any(at[str(k)]["eligible_tasks"] < at[str(k)]["total_tasks"] for k in repeats):
        words = (
            "Where fewer tasks are eligible, a value speaks of another set of tasks than its neighbours and its range"
        )
        headline = f"the headline uses k = {scores['k']}, the largest k for all measured tasks."
        yield Paragraph(say(f"{words}; {headline}"), "quiet")


def _curve_row(k: int, at: Json, hat: Json) -> tuple[Cell, ...]:
    eligible = f"{count(at['eligible_tasks'])} of {count(at['total_tasks'])}"
    return cells(str(k), percent(at["value"]), _range(at), percent(hat["value"]), _range(hat), eligible)


def _raw(value: float | None) -> str:
    return decimal(value, 4)


def _range(entry: Json) -> str:
    low, high = entry.get("low"), entry.get("high")
    return "unknown" if low is None or high is None else f"{percent(low)} to {percent(high)}"


def _thinned(repeats: list[int]) -> list[int]:
    """At most 16 of the ks: all when few, else the powers of two and the last."""
    if len(repeats) <= 16:
        return repeats
    return [k for k in repeats if k & (k - 1) == 0 or k == repeats[-1]]


def _accountings(evidence: Evidence, scores: Json) -> Iterator[Block]:
    open_rollouts = sum(evidence.accounting[name] for name in ("masked", "unscored", "failed", "missing"))
    values = scores["accountings"]
    if not open_rollouts:
        words = "Every rollout has a score, so no rule for absent ones could change these numbers."
        if not evidence.expected_known:
            words = "Every rollout that was seen has a score; whether others were expected is unknown."
        yield Paragraph(say(words), "quiet")
        return
    if is_by_mean(scores):
        yield rules_table(scores)
    rows = [cells(code(rule), percent(values.get(rule)), words) for rule, words in ACCOUNTINGS.items()]
    yield table("pass@1 under each rule for rollouts without a score", "Rule | pass@1 | Means", rows, numeric="pass@1")
    bounds = [
        cells(code(metric), *((_raw if metric == "mean_reward" else percent)(pair[end]) for end in ("low", "high")))
        for metric, pair in sorted(scores["bounds"].items())
    ]
    if bounds:
        caption = "Worst and best case over the rollouts without a score"
        yield table(caption, "Metric | Worst | Best", bounds, numeric="Worst | Best")
