"""Anchor facts: findings of a run that nobody could guess, each with the numbers and rows that prove it."""

from typing import Any

import pyarrow as pa

from blade_pipeline.method import facts_of_counts as counts
from blade_pipeline.method import facts_of_failures as failures


def anchor_facts(
    benchmark: str,
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

    Every number of a sentence stands in its ``evidence.numbers``, rounded as printed; names stand in backticks. Ids
    follow a fixed order of kinds, so that equal documents give equal facts.

    Returns:
        ``{benchmark, model, facts: [{id, fact, difficulty, evidence: {kind, rows?, query?, numbers}}]}``.
    """
    found = [
        *counts.coverage_fact(coverage, benchmark),
        *counts.line_fact(coverage),
        *counts.recovery_fact(coverage),
        *counts.score_fact(coverage, scores),
        *counts.bucket_fact(buckets, benchmark),
        *counts.never_fact(buckets, benchmark),
        *counts.retry_fact(scores),
        *counts.undecided_fact(buckets),
        *counts.drop_fact(funnel),
        *failures.mode_facts(modes, benchmark),
        *failures.concentration_fact(modes),
        *failures.infrastructure_fact(modes),
        *failures.difference_facts(contrasts),
        *failures.shared_symptom_fact(modes),
        *failures.cause_fact(causes),
        *failures.absence_facts(modes),
    ]
    return {
        "benchmark": benchmark,
        "model": model,
        "facts": [fact.as_dict(number) for number, fact in enumerate(found, start=1)],
    }
