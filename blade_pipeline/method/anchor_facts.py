"""Anchor facts: findings of a run that nobody could guess, each with the query and rows that prove it."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method import facts_of_contrasts as contrasting
from blade_pipeline.method import facts_of_counts as counts
from blade_pipeline.method import facts_of_failures as failures
from blade_pipeline.method import facts_of_grades as grades
from blade_pipeline.method import facts_of_slices as slices
from blade_pipeline.method import facts_of_tasks as tasks
from blade_pipeline.method.facts import HARDEST_FIRST, Scope


def anchor_facts(
    benchmark: str,
    run: str,
    model: str | None,
    coverage: dict[str, Any],
    scores: dict[str, Any],
    buckets: pa.Table,
    modes: dict[str, Any],
    funnel: dict[str, Any],
    contrasts: dict[str, Any],
    causes: dict[str, Any],
) -> dict[str, Any]:
    """Collect the facts that the documents support; what they do not support is left out.

    Every number of a sentence stands in its ``evidence.numbers``, rounded as printed, and ``evidence.query`` gives
    the same numbers from the store; names stand in backticks. The hardest to guess come first, facts of one
    difficulty in a fixed order of kinds, so that equal documents give equal facts. A length leads only where no
    pattern, slice or mode with a symptom stands out: it says how rollouts fail, and not what goes wrong. Of a run that
    goes by its mean score nothing is said of passing, which would call nearly all of it failed.

    Returns:
        ``{benchmark, model, facts: [{id, fact, difficulty, evidence: {kind, query, numbers, about?, rows?}}]}``.
    """
    of, graded = Scope(benchmark, run), grades.is_by_mean(scores)
    telling = [
        *slices.slice_score_facts(of, scores),
        *failures.concentration_fact(of, modes),
        *failures.infrastructure_fact(of, modes),
        *contrasting.act_facts(of, contrasts),
        *failures.mode_facts(of, modes, graded=graded),
    ]
    found = [
        *telling,
        *failures.shared_symptom_fact(of, modes),
        *tasks.drop_fact(of, funnel),
        *failures.cause_fact(of, causes, graded=graded),
        *contrasting.difference_facts(of, contrasts, leads=all(fact.difficulty == "low" for fact in telling)),
        *contrasting.length_facts(of, contrasts),
        *([] if graded else [*tasks.never_fact(of, buckets), *counts.retry_fact(of, scores)]),
        *(grades.best_of_fact(of, scores) if graded else tasks.undecided_fact(of, buckets)),
        *counts.coverage_fact(of, coverage),
        *counts.recovery_fact(of, coverage),
        *counts.line_fact(of, coverage),
        *failures.absence_facts(of, modes),
        *(grades.mean_fact(of, scores) if graded else counts.score_fact(of, coverage, scores)),
        *(grades.spread_fact(of, scores) if graded else tasks.bucket_fact(of, buckets)),
    ]
    ranked = sorted(found, key=lambda fact: HARDEST_FIRST.index(fact.difficulty))
    return {
        "benchmark": benchmark,
        "model": model,
        "facts": [fact.as_dict(number) for number, fact in enumerate(ranked, start=1)],
    }
