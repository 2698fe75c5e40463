"""What of each published document may be shared."""

from typing import Any, get_args

from blade_pipeline.method.comparison.check import ORDER
from blade_pipeline.models import LABELS, Factor
from blade_pipeline.reporting.metrics import ACCOUNTING, BUCKETS, SIZES
from blade_pipeline.reporting.sharing.allow import (
    Shape,
    each,
    fields,
    keyed,
    known,
    number,
    numbered,
    numbers,
    pattern,
    task,
    word,
)
from blade_pipeline.reporting.sharing.names import Names

FACTORS = get_args(Factor)
WORDS = r"[A-Za-z][A-Za-z0-9 ,'^@_-]{0,79}"
"""Words that the method itself writes into fields that hold nothing else."""

_OUTCOMES = "measured masked unscored failed missing unexpected duplicates passed expected coverage measured_share"
METRIC = pattern(r"(?:mean_reward|pass_at_1|pass[@^]\d{1,6})(?:_(?:new|these)_tasks)?")
_STATISTIC = r"(?:mean|max|min|median|std_dev|[a-z]+_low_95|[a-z]+_high_95|(?:[a-z_0-9]+)_across_repeats)"
NATIVE = pattern(
    r"(?:pass@\d{1,6}(?:\[avg-of-\d{1,6}\])?|majority@\d{1,6})/(?:accuracy|no_answer)(?:/(?:avg_sample_std_dev|std_\w{1,30}))?"
    rf"|(?:{_STATISTIC}/){{1,2}}(?:reward|input_tokens|output_tokens|total_tokens)"
)
VERDICT = word(
    "no_detectable_change",
    "equivalent",
    "not_comparable",
    "failure_accounting",
    "insufficient_evidence",
    "no_baseline",
    *(f"{factor}_change" for factor in FACTORS),
)

INTERVAL = fields(
    dict.fromkeys(("df", "estimate", "high", "level", "low", "n", "p", "se"), number)
    | {"method": pattern(WORDS), "question": word("new_tasks", "these_tasks")}
)
_AT_K = keyed(pattern(r"\d{1,6}"), numbers("value eligible_tasks total_tasks low high failures_as_zero"))
_COUNTS = numbers(" ".join(ACCOUNTING))
_RULES = numbers("observed failures_as_zero all_unscored_as_zero all_as_one")
_SCORES: dict[str, Shape] = {
    **dict.fromkeys(("pass_threshold", "pass_at_1", "pass_at_1_micro", "pass_at_k", "k", "consistency"), number),
    **dict.fromkeys(("retry_value", "mean_reward", *SIZES, "total_tasks", "total_rollouts"), number),
    "intervals": keyed(METRIC, INTERVAL),
    "bounds": keyed(METRIC, numbers("low high")),
    "pass_at": _AT_K,
    "pass_hat": _AT_K,
    "accountings": _RULES,
    "variance": numbers("between design_effect icc n_eff share_sampling_noise sigma2_within var_task_means"),
    "accounting": _COUNTS,
}
HEADLINE = word("pass_at_1", "mean_reward")
METRICS = fields(
    {
        "schema_version": number,
        "headline_metric": HEADLINE,
        "benchmark": known("benchmark"),
        "run": known("run"),
        "model": known("model"),
        "model_name": known("model"),
        **_SCORES,
        **{f"{bucket}_tasks": number for bucket in BUCKETS},
        **dict.fromkeys(("dominant_failure_count", "dominant_failure_fraction", "coverage", "measured_share"), number),
        "agents": keyed(numbered("agent"), fields(_SCORES | {"native": keyed(NATIVE, number)})),
    }
)

COVERAGE = fields(
    {
        "schema_version": number,
        "coverage": number,
        "measured_share": number,
        "min_coverage": number,
        "accounting": _COUNTS,
        "by": fields(
            {
                "agent": each(fields({"agent": numbered("agent"), **dict.fromkeys(_OUTCOMES.split(), number)})),
                "repeat": each(
                    fields({"agent": numbered("agent"), "repeat": number, **dict.fromkeys(_OUTCOMES.split(), number)})
                ),
                "task": each(
                    fields({"task": task, "agent": numbered("agent"), "stage": number}
                           | dict.fromkeys(_OUTCOMES.split(), number))
                ),
            }
        ),
        "failures": each(numbers("attempts terminal recovered count")),
    }
)  # fmt: skip

CHECK = fields(
    {
        "id": pattern(r"[a-z][a-z0-9_]{0,39}"),
        "group": word(*ORDER),
        "label": pattern(WORDS),
        "status": word("same", "different", "unknown"),
        "blocking": number,
    }
)
DIFFERENCE = fields(
    {
        **dict.fromkeys("a b value tasks moved higher_is_better sign_flip_p sign_flip_mid_p".split(), number),
        "metric": word("pass@1", "mean score"),
        "new_tasks": INTERVAL,
        "these_tasks": INTERVAL,
        "bounds": numbers("low high sign_identified"),
        "accountings": _RULES,
        "mde": numbers("alpha power value clamped omega2 at_least"),
        "noise_floor": numbers("band95 expected_abs sd"),
        "sign_test": numbers("gained lost tied p"),
        "tost": numbers("alpha equivalent low high margin mean p se"),
    }
)
_OF = pattern(r"\d{1,9} of \d{1,9}")
PAIR = fields(
    {
        "run_a": known("run"),
        "run_b": known("run"),
        "varying": word(*FACTORS),
        "verdict": VERDICT,
        "headline_check": pattern(r"[a-z][a-z0-9_]{0,39}"),
        "conditional_on": each(pattern(r"[a-z][a-z0-9_]{0,39}")),
        "checks": each(CHECK),
        "difference": DIFFERENCE,
        "flips": fields(
            {
                **dict.fromkeys("gained lost unchanged surviving".split(), number),
                "candidates": each(
                    fields({"task": task, "a": _OF, "b": _OF, **dict.fromkeys(("p", "q", "survives"), number)})
                ),
            }
        ),
        "pairing": numbers("common only_a only_b changed_content"),
    }
)  # fmt: skip

_AMOUNTS = "tasks numerator denominator by_analyst by_rule recoverable_score reachable_score evident_tasks evident"
CAUSES = fields(
    {
        "counts": keyed(word(*LABELS), number),
        "recommendations": each(
            fields({"label": word(*LABELS), "repair": numbers("rollouts tasks numerator score")}
                   | dict.fromkeys(_AMOUNTS.split(), number))
        ),
        "mean_score_gains": each(
            fields({"label": word(*LABELS)} | dict.fromkeys("rollouts tasks of gain".split(), number))
        ),
    }
)  # fmt: skip

_OF_PASSES = "pass_at_1 task_scores gain moved_tasks stuck_tasks if_passed mean_reward"
_OF_MEANS = "mean_reward_gain mean_reward_moved_tasks mean_reward_if_best"
ABLATION_ROW = fields(
    dict.fromkeys(f"{_OF_PASSES} {_OF_MEANS}".split(), number)
    | {
        "within_tasks": numbers("tasks with with_passed without without_passed difference"),
        "mean_reward_within_tasks": numbers("tasks with without with_mean without_mean"),
    }
)
ABLATION = fields(
    dict.fromkeys("tasks rollouts without_score unexplained mean_reward_unexplained".split(), number)
    | dict.fromkeys("baseline no_score all_modes oracle".split(), ABLATION_ROW)
    | {"scale": numbers("worst best")}
)
"""The table but for its modes, whose names are not all our own."""

STAGES = word("admission", "seed", "agent", "verification", "cleanup")
"""NeMo Gym's own names for where a rollout failed."""


def http_status(value: Any, names: Names) -> int | None:
    """A status of HTTP; another number may mean anything."""
    found = number(value, names)
    return int(found) if found is not None and 100 <= found <= 599 else None


FAILED = each(fields({"stage": STAGES, "status": http_status, "count": number, "tasks": number}))
REPRESENTATIVES = fields(
    {
        "compared": number,
        "compared_steps": number,
        "groups": each(
            fields(
                {
                    "rollouts": number,
                    "compared": number,
                    "likeness": number,
                    "shown": each(fields({"roles": each(word("typical", "shortest", "longest")), "steps": number})),
                }
            )
        ),
    }
)
LEADERBOARD = fields(
    {"run": known("run"), "model": known("model"), "models": number, "gone": number}
    | dict.fromkeys(
        "pass_at_1 low high mean_reward mean_reward_low mean_reward_high num_tasks num_rollouts coverage "
        "measured_share rank_low rank_high".split(),
        number,
    )
    | {"headline_metric": HEADLINE}
)
