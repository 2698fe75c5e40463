"""Anchor facts about slices of the tasks whose score stands apart from the others'."""

from collections.abc import Iterator
from typing import Any

from blade_pipeline import rounding
from blade_pipeline.method.facts import Fact, Scope, is_member, literal, rounded, shown
from blade_pipeline.method.graded import MEAN_REWARD
from blade_pipeline.method.slice_tests import scores_apart
from blade_pipeline.method.slices import json_path

KIND = "slice score"
MOST_FACTS = 2


def slice_score_facts(of: Scope, scores: dict[str, Any]) -> Iterator[Fact]:
    """The clearest slice of each of the first fields whose score stands apart."""
    graded = scores.get("headline_metric") == MEAN_REWARD
    for row in scores_apart(scores.get("slices") or [])[:MOST_FACTS]:
        test = row["against_rest"]
        numbers: dict[str, float | int] = {
            "tasks": row["num_tasks"],
            "score": _rounded(test["score"], graded),
            "rest_tasks": test["rest_tasks"],
            "rest_score": _rounded(test["rest"], graded),
            "q": rounded(test["q"]),
        }
        does, unit = ("earn", "of the score on average") if graded else ("pass", "of attempts")
        form = "{:.3f}" if graded else "{:.1f}%"
        own, others = (form.format(numbers[name]) for name in ("score", "rest_score"))
        sentence = (
            f"Measured tasks with `{row['field']}` = `{row['value']}` ({numbers['tasks']}) {does} {own} {unit}, "
            f"the other {numbers['rest_tasks']} {others} (permutation of tasks, Benjamini-Hochberg q = {numbers['q']})."
        )
        yield Fact(sentence, "high", KIND, numbers, _query(of, row, graded), [row], row["field"])


def _rounded(value: float, graded: bool) -> float:
    return float(rounding.rounded(value, 3) if graded else rounding.rounded(100 * value, 1))


def _query(of: Scope, row: dict[str, Any], graded: bool) -> str:
    value = f"json_extract_string(slices, {literal(json_path(row['field']))})"
    score = "avg(score)" if graded else "100.0 * avg(passed::int)"
    tasks = (
        f"select {value} as part, {score} as score from aligned_samples where {of.where} and outcome = 'measured' "
        "group by agent, stage, task, slices"
    )
    inside, form = f"part = {literal(row['value'])}", ".3f" if graded else ".1f"
    only = " and ".join(is_member(name, row[name]) for name in ("field", "value"))
    q = of.entries(
        "pass_at_k", "$.slices", {"q": shown("(entry.value -> 'against_rest' ->> 'q')::double", ".3g")}, only
    )
    means = {
        name: shown(f"avg(score) filter ({which})", form)
        for name, which in (("score", inside), ("rest_score", f"not {inside}"))
    }
    return (
        f"select count(*) filter ({inside}) as tasks, {means['score']} as score, "
        f"count(*) filter (not {inside}) as rest_tasks, {means['rest_score']} as rest_score, ({q}) as q from ({tasks})"
    )
