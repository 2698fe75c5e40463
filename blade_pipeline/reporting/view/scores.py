"""The scores of a run: estimates, intervals, curves over k, and the same score under other accountings."""

from collections.abc import Iterator

from blade_pipeline.reporting.blocks import Block, Figure, Paragraph, Text, absent, cells, code, quoted, say, table
from blade_pipeline.reporting.figures import curves, interval_plot
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import count, decimal, distance, percent, plural
from blade_pipeline.reporting.view.evidence import Evidence
from blade_pipeline.reporting.view.summary import QUESTIONS, interval_for

ACCOUNTINGS = {
    "observed": "only measured rollouts count",
    "failures_as_zero": "failed rollouts count as zero",
    "all_unscored_as_zero": "every rollout without a score counts as zero",
    "all_as_one": "every rollout without a score counts as one",
}


def score_blocks(evidence: Evidence) -> Iterator[Block]:
    """Scores with intervals, pass@k and pass^k, accountings and bounds, variance."""
    if not evidence.measured:
        yield absent("any score. No rollout has a valid one.")
        return
    scores = evidence.inputs.scores
    yield from _intervals(scores)
    yield from _estimates(evidence, scores)
    yield from _curves(scores)
    yield from _accountings(evidence, scores)
    yield from _variance(evidence, scores)


def _intervals(scores: Json) -> Iterator[Block]:
    found = _plotted(scores)
    if found:
        alternative = "; ".join(f"{label}: {percent(low)} to {percent(high)}" for label, _, low, high, _ in found)
        yield Figure(interval_plot(found), "pass@1 and how far it can be trusted", alternative)


def _plotted(scores: Json) -> list[tuple[str, float | None, float, float, str]]:
    rows: list[tuple[str, float | None, float, float, str]] = []
    labels = {"new_tasks": "new tasks", "these_tasks": "these tasks"}
    for question, label in labels.items():
        interval = interval_for(scores, "pass_at_1", question)
        if interval:
            rows.append((label, scores["pass_at_1"], interval["low"], interval["high"], label))
    bounds = scores["bounds"].get("pass_at_1")
    if bounds and bounds["low"] is not None and bounds["high"] is not None and bounds["low"] < bounds["high"]:
        rows.append(("bounds", None, bounds["low"], bounds["high"], "bounds"))
    return rows


def _estimates(evidence: Evidence, scores: Json) -> Iterator[Block]:
    k, tasks = scores["k"], plural(scores["num_tasks"], "measured task")
    rows = [
        ("pass@1 (macro)", "pass_at_1", f"mean over {tasks} of each task's share of passed rollouts"),
        ("pass@1 (micro)", "pass_at_1_micro", _rollouts_words(scores)),
    ]
    if evidence.repeats > 1 and scores["pass_at_k"] is not None:
        rows += [
            (f"pass@{k}", "pass_at_k", f"chance that at least one of {k} repeats passes, mean over {tasks}"),
            ("consistency", "consistency", _consistent_words(scores)),
            ("retry value", "retry_value", f"pass@{k} minus pass@1"),
        ]
    yield table(
        "Scores",
        "Metric | Value | Is | Intervals",
        [
            cells(
                name,
                distance(scores[key]) if key == "retry_value" else percent(scores[key]),
                words,
                _interval_cell(scores, key),
            )
            for name, key, words in rows
        ],
        numeric="Value",
    )
    if evidence.repeats == 1:
        yield absent("consistency, retry value and the variance between repeats. Each task ran once.")


def _rollouts_words(scores: Json) -> str:
    return f"{count(scores['passed_rollouts'])} of {count(scores['num_rollouts'])} measured rollouts pass"


def _consistent_words(scores: Json) -> str:
    tasks = scores["num_tasks"]
    return f"{count(scores['consistency'] * tasks)} of {plural(tasks, 'measured task')} pass in every measured rollout"


def _interval_cell(scores: Json, metric: str) -> Text:
    words = []
    for question, meaning in QUESTIONS.items():
        interval = interval_for(scores, metric, question)
        if interval:
            method = str(interval["method"])
            words.append(
                say(f"{percent(interval['low'])} to {percent(interval['high'])} on {meaning} (", quoted(method), ")")
            )
    if words:
        return say(*(piece for word in words for piece in (*word, *say(". "))))
    reason = (scores["intervals"].get(metric) or {}).get("reason")
    return say("none: ", quoted(reason)) if reason else say("none given")


def _curves(scores: Json) -> Iterator[Block]:
    at, hat = scores["pass_at"], scores["pass_hat"]
    repeats = sorted((int(k) for k in at), key=int)
    if len(repeats) < 2:
        return
    shown = _thinned(repeats)
    points = [(k, at[str(k)]["value"], "pass@k") for k in repeats] + [
        (k, hat[str(k)]["value"], "pass^k") for k in repeats
    ]
    drawn = [(k, value, name) for k, value, name in points if value is not None]
    last = str(repeats[-1])
    alternative = f"pass@k from {percent(at['1']['value'])} to {percent(at[last]['value'])} at k = {last}; "
    alternative += f"pass^k from {percent(hat['1']['value'])} to {percent(hat[last]['value'])}"
    yield Figure(curves(drawn), "At least one pass, and all pass, in k repeats", alternative)
    rows = [
        cells(str(k), percent(at[str(k)]["value"]), percent(hat[str(k)]["value"]), _eligible(at[str(k)])) for k in shown
    ]
    yield table(
        "pass@k and pass^k", "k | pass@k | pass^k | Tasks with at least k measured repeats", rows, "k | pass@k | pass^k"
    )
    if any(at[str(k)]["eligible_tasks"] < at[str(k)]["total_tasks"] for k in repeats):
        words = "Where fewer tasks are eligible, a value speaks of another set of tasks than its neighbours do"
        yield Paragraph(
            say(f"{words}; the headline uses k = {scores['k']}, the largest k for all measured tasks."), "quiet"
        )


def _thinned(repeats: list[int]) -> list[int]:
    """At most 16 of the ks: all when few, else the powers of two and the last."""
    if len(repeats) <= 16:
        return repeats
    return [k for k in repeats if k & (k - 1) == 0 or k == repeats[-1]]


def _eligible(entry: Json) -> str:
    return f"{entry['eligible_tasks']} of {entry['total_tasks']}"


def _accountings(evidence: Evidence, scores: Json) -> Iterator[Block]:
    open_rollouts = sum(evidence.accounting[name] for name in ("masked", "unscored", "failed", "missing"))
    values = scores["accountings"]
    if not open_rollouts:
        yield Paragraph(
            say("Every rollout has a score, so no rule for absent ones could change these numbers."), "quiet"
        )
        return
    rows = [cells(code(rule), percent(values.get(rule)), words) for rule, words in ACCOUNTINGS.items()]
    yield table("pass@1 under each rule for rollouts without a score", "Rule | pass@1 | Means", rows, numeric="pass@1")
    bounds = [
        cells(code(metric), percent(pair["low"]), percent(pair["high"]))
        for metric, pair in sorted(scores["bounds"].items())
    ]
    if bounds:
        caption = "Worst and best case over the rollouts without a score"
        yield table(caption, "Metric | Worst | Best", bounds, numeric="Worst | Best")


def _variance(evidence: Evidence, scores: Json) -> Iterator[Block]:
    split = scores["variance"]
    if split["icc"] is None:
        if evidence.repeats != 1:
            yield absent(
                say("the split of variance between tasks and repeats: ", quoted(split["reason"] or "not computed"), ".")
            )
        return
    yield table(
        "Where the spread of scores comes from",
        "Part | Value | Means",
        [
            cells("between tasks", decimal(split["between"], 4), "variance of the tasks' true success rates"),
            cells("within tasks", decimal(split["sigma2_within"], 4), "variance between repeats of one task"),
            cells("share between tasks", decimal(split["icc"]), "intraclass correlation: 1 means repeats add nothing"),
            cells(
                "design effect",
                decimal(split["design_effect"], 2),
                "how much wider intervals are than for independent rollouts",
            ),
        ],
        numeric="Value",
    )
