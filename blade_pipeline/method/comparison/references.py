"""A run held against a published score: a target to aim at, and a contract only with a config and a date."""

import math
import re
from collections.abc import Mapping
from typing import Any

from blade_pipeline.method.arrays import counts
from blade_pipeline.method.comparison.amounts import is_share, score_text, signed
from blade_pipeline.method.comparison.check import ORDER, Check, check, first_blocking, status_of
from blade_pipeline.method.comparison.checks import COMPARABLES, DECIDING, STUDIED
from blade_pipeline.method.comparison.code import COMPARED as CODE
from blade_pipeline.method.comparison.code import REFS, name_status
from blade_pipeline.method.comparison.debugging import debugging_cases
from blade_pipeline.method.comparison.side import Side
from blade_pipeline.models import Factor, Profile, Reference
from blade_pipeline.statistics import welch_of_means, wilson

_AT_K = re.compile(r"pass([@^])(\d+)")
_MEANS = frozenset({"mean_reward", "mean reward", "mean/reward", "reward", "mean score", "mean_score"})
ROUGH = "a rough target, not a contract"


def against_reference(
    run: Side, reference: Reference, profile: Profile, *, varying: Factor | None = None
) -> dict[str, Any]:
    """A run's score beside a published one, with what can be checked of code and method.

    The tasks behind a published score are never shown, so the best verdict is ``insufficient_evidence``; a config that
    contradicts the run's gives ``not_comparable``, a lost rollout that could close or open the gap
    ``failure_accounting``. The gap has an interval only when the reference has a sample size.

    Returns:
        The reference's own fields, and ``{run, score_fraction, own, own_interval, bounds, difference, interval, rough,
        rough_because, checks, verdict, headline_check, conditional_on, sentence, paragraph, settle, debugging}``.
    """
    factor = varying or profile.varying
    score = reference.score / 100 if reference.scale == "percent" else reference.score
    own, own_interval, bounds = _own(run, reference.metric)
    gap = None if own is None else own - score
    checks = [*_config_checks(run, reference, factor), _task_check(run, reference)]
    checks.append(_rows_check(bounds, score, reference.metric))
    checks.sort(key=lambda found: ORDER.index(found["group"]))
    because = _rough(reference)
    verdict, headline = _verdict(checks)
    found: dict[str, Any] = reference.model_dump(mode="json") | {
        "run": run.run,
        "varying": factor,
        "score_fraction": score,
        "own": own,
        "own_interval": own_interval,
        "bounds": bounds,
        "difference": gap,
        "interval": _interval(own, own_interval, score, reference.sample_size),
        "rough": bool(because),
        "rough_because": because,
        "checks": checks,
        "verdict": verdict,
        "headline_check": headline,
        "conditional_on": [],
        "debugging": debugging_cases([run]),
    }
    return found | {"sentence": _sentence(found), "paragraph": _paragraph(found), "settle": _settle(found)}


def _own(run: Side, metric: str) -> tuple[float | None, dict[str, Any] | None, dict[str, Any] | None]:
    """The run's own value of a metric, its interval for new tasks, and its bounds over lost rollouts."""
    scores = run.scores
    if metric == "pass@1":
        return scores["pass_at_1"], scores["intervals"].get("pass_at_1"), scores["bounds"].get("pass_at_1")
    if metric in _MEANS:
        return scores["mean_reward"], scores["intervals"].get("mean_reward"), scores["bounds"].get("mean_reward")
    named = _AT_K.fullmatch(metric)
    if named is None:
        return _native(run, metric), None, None
    sign, k = named.groups()
    entry = scores["pass_at" if sign == "@" else "pass_hat"].get(k) or {}
    bounds = {"low": entry["low"], "high": entry["high"]} if entry else None
    return entry.get("value"), scores["intervals"].get(metric), bounds


def _native(run: Side, metric: str) -> float | None:
    """A metric under the tool's own name; its pass and majority metrics are percentages."""
    agents = list(run.scores.get("agents", {}).values())
    value = agents[0].get("native", {}).get(metric) if len(agents) == 1 else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return value / 100 if is_share(metric) else float(value)


def _config_checks(run: Side, reference: Reference, factor: str) -> list[Check]:
    """Every value that the reference's config states, and every blocking one that it does not."""
    config = reference.config or {}
    known = {item.key: item for item in (*CODE, *COMPARABLES)}
    checks = []
    for key, item in known.items():
        if key not in config and not item.blocking:
            continue
        stated, value = config.get(key), run.value(key)
        status = name_status(stated, value) if item.key in REFS else status_of(_plain(value), _plain(stated))
        decides = item.blocking or (key in DECIDING and status == "different")
        blocking = decides and key not in STUDIED[factor]
        source = "the reference's config" if key in config else "the reference does not state it"
        checks.append(
            check(
                key, item.group, status, a=stated, b=value, source_a=source, source_b=run.source(key),
                blocking=blocking, label=item.label,
            )
        )  # fmt: skip
    return checks


def _plain(value: Any) -> Any:
    """Numbers as numbers, however they were written down."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value.strip()
    return value if value is None or isinstance(value, bool) else float(value)


def _task_check(run: Side, reference: Reference) -> Check:
    measured = int((counts(run.per_task["measured"]) > 0).sum())
    stated = reference.sample_size
    return check(
        "task_set",
        "benchmark",
        "unknown",
        a=None if stated is None else f"{stated} samples",
        b=f"{measured} measured task{'s' * (measured != 1)}",
        source_a="the reference's sample_size" if stated else "the reference does not state it",
        source_b="the rows",
        label="the task set",
        note="a published score does not show its tasks",
    )


def _rows_check(bounds: Mapping[str, Any] | None, score: float, metric: str) -> Check:
    """Whether lost rollouts could bring the run's score to the other side of the reference."""
    low, high = (bounds or {}).get("low"), (bounds or {}).get("high")
    if low is None or high is None:
        note = "the lost rollouts have no bounds"
        return check("accounting_rules", "accounting", "unknown", blocking=False, label="lost rollouts", note=note)
    decides = low < score < high
    span = f"{score_text(low, metric)} and {score_text(high, metric)}"
    note = f"over the lost rollouts the run's score lies between {span}"
    status = "different" if decides else "same"
    return check("accounting_rules", "accounting", status, a=score, b=low, label="lost rollouts", note=note)


def _rough(reference: Reference) -> list[str]:
    missing = {"a config": reference.config, "a date": reference.date_read}
    return [name for name, value in missing.items() if not value]


def _verdict(checks: list[Check]) -> tuple[str, str]:
    blocked = first_blocking(checks)
    if blocked is None:
        return "insufficient_evidence", "task_set"
    return ("failure_accounting" if blocked["group"] == "accounting" else "not_comparable"), blocked["id"]


def _interval(
    own: float | None, interval: Mapping[str, Any] | None, score: float, size: int | None
) -> dict[str, Any] | None:
    """Interval of the gap for new tasks: the run's standard error with the reference's own from its sample size."""
    se = (interval or {}).get("se")
    if own is None or interval is None or se is None or size is None or not 0 <= score <= 1:
        return None
    low, high = wilson(score * size, size)
    theirs = math.sqrt(score * (1 - score) / size) or (high - low) / 4
    found = welch_of_means(own - score, se, interval["n"], theirs, size)
    return found.as_dict()


def _sentence(found: Mapping[str, Any]) -> str:
    name, run = found["name"], found["run"]
    silent = [case["sentence"] for case in found["debugging"] if case["nothing_measured"]]
    if silent:
        return f"{silent[0]}; there is no score to hold against {name}."
    if found["difference"] is None:
        return f"{run} has no {found['metric']} to hold against {name}."
    text = f"{run} lies {signed(found['difference'], found['metric'])} from {name}"
    interval = found["interval"]
    if interval is not None:
        low, high = (signed(interval[end], found["metric"]).removesuffix(" points") for end in ("low", "high"))
        text += f" (95% interval {low} to {high})"
    head = next(entry for entry in found["checks"] if entry["id"] == found["headline_check"])
    if found["verdict"] == "not_comparable":
        return f"{text}, and is not comparable with it: {head['label']} differs ({head['a']} against {head['b']})."
    if found["verdict"] == "failure_accounting":
        return f"{text}, but that depends on how lost rollouts are counted: {head['note']}."
    if found["rough"]:
        return f"{text}, {ROUGH}: it comes without {' or '.join(found['rough_because'])}."
    return f"{text} (read {found['date_read']}); whether the tasks are the same has not been shown."


def _paragraph(found: Mapping[str, Any]) -> str:
    where = ", ".join(str(found[key]) for key in ("source", "section") if found[key])
    text = f"The reference says {found['score']:g} ({found['scale']}) for {found['metric']}"
    text += f", read from {where}" if where else ", and not where that was read"
    text += f" on {found['date_read']}." if found["date_read"] and where else "."
    if found["own"] is not None:
        text += f" The run scores {score_text(found['own'], found['metric'])}"
        own = found["own_interval"]
        if own and own["low"] is not None:
            low, high = (score_text(own[end], found["metric"]) for end in ("low", "high"))
            text += f" ({own['level']:.0%} interval for new tasks {low} to {high})"
        text += "."
    if found["interval"] is None:
        text += f" The gap has no interval, since {_without_interval(found)}."
    stated = [entry for entry in found["checks"] if entry["source_a"] == "the reference's config"]
    agree = sum(entry["status"] == "same" for entry in stated)
    return text + f" Of {len(stated)} values that its config states {agree} are the same in the run."


def _without_interval(found: Mapping[str, Any]) -> str:
    if found["sample_size"] and not 0 <= found["score_fraction"] <= 1:
        return "a sample size says nothing of the spread of scores outside 0 to 1"
    return "the reference states no sample size or the run has no spread"


def _settle(found: Mapping[str, Any]) -> list[str]:
    steps = [f"Find out why {case['run']} failed: {', '.join(case['missing'])}." for case in found["debugging"]]
    if found["verdict"] == "not_comparable":
        head = next(entry for entry in found["checks"] if entry["id"] == found["headline_check"])
        steps.append(f"Run again with {head['label']} of the reference ({head['a']}).")
    if found["rough"]:
        steps.append(f"Find {' and '.join(found['rough_because'])} for the published score and write it down.")
    if found["sample_size"] is None:
        steps.append("Find the number of tasks behind the published score, for an interval of the gap.")
    return [*steps, "Run the reference's own model on these tasks: only two runs on the same tasks can be compared."]
