"""What evidence would settle a verdict that is still open."""

from collections.abc import Mapping
from typing import Any

from blade_pipeline.method.comparison.amounts import size
from blade_pipeline.method.comparison.check import Check
from blade_pipeline.method.comparison.checks import factor_of
from blade_pipeline.method.comparison.mixed import MIXED
from blade_pipeline.method.comparison.verdict import Judged
from blade_pipeline.method.facts import joined
from blade_pipeline.statistics import tasks_needed

_OTHER_TASKS = ("task_set", "prompts", "expected_answers")


def settling(judged: Judged) -> list[str]:
    """What to do next, one sentence each; empty for a verdict that rests on nothing unknown."""
    found = [f"Find out why {case['run']} failed: {', '.join(case['missing'])}." for case in judged.cases]
    if judged.headline is not None:
        found += _of_verdict(judged, judged.headline)
    if judged.unknown:
        labels = ", ".join(judged.unknown)
        found.append(f"Keep the resolved config and the job's record beside the rollouts, to show {labels}.")
    return found


def _of_verdict(judged: Judged, head: Check) -> list[str]:
    a, b, difference = judged.a, judged.b, judged.difference
    match judged.verdict.verdict:
        case "not_comparable":
            return _like_with_like(judged, head)
        case "failure_accounting":
            return [
                f"Resume the run that lost rollouts until they are scored ({a}: {head['a']}; {b}: {head['b']}), "
                "or fix beforehand how lost rollouts count in both."
            ]
        case "insufficient_evidence":
            return [_evidence(head)]
        case "no_detectable_change":
            return _more_data(difference)
    return []


def _like_with_like(judged: Judged, head: Check) -> list[str]:
    a, b, difference = judged.a, judged.b, judged.difference
    if head["id"] in _OTHER_TASKS:
        text = f"Run {b} again on the tasks of {a}"
        common = difference["tasks"]
        return [f"{text}; the {common} tasks in common are compared below." if common else f"{text}."]
    if head["id"] == MIXED:
        return [
            "Run again with one model each; if the mix is what you study, compare with --varying model, or "
            "declare mixed_models in the profile."
        ]
    if head["id"] == "score_scale":
        return ["Bring the scores of both runs to one scale in a field of the rows, and name it in the profile."]
    apart = [head, *judged.besides]
    of_a, of_b = (", ".join(str(check[side]) for check in apart) for side in ("a", "b"))
    labels = joined([check["label"] for check in apart])
    found = [f"Run one of them again with {labels} of the other ({a}: {of_a}; {b}: {of_b})."]
    factors = {factor_of(check["id"]) for check in apart}
    factor = factors.pop() if len(factors) == 1 else None
    if factor is not None:
        found.append(f"If that is what you study, compare with --varying {factor}.")
    return found


def _evidence(head: Check) -> str:
    match head["id"]:
        case "task_set":
            return "Keep the materialized inputs beside the rollouts of both runs, to show that the tasks are the same."
        case "overlap":
            return "Score at least two tasks in both runs."
        case "repeat_copies":
            return "Run again with the response cache off, or with a seed per repeat."
    return "Score more tasks in both runs, or declare the range of the score in the benchmark's profile."


def _more_data(difference: Mapping[str, Any]) -> list[str]:
    """How many tasks would find a difference as large as the margin, at this spread."""
    se, tasks, tost = difference["new_tasks"]["se"], difference["tasks"], difference["tost"]
    if tost and tost["margin"] is None:
        return ["Declare the score's reward_range in the benchmark's profile, so that equality can be tested."]
    if not se or not tost:
        return ["Score more tasks or more repeats in both runs."]
    needed = tasks_needed(tost["margin"], se * se * tasks, 0.0, 1, 0.0, 1)
    margin = size(tost["margin"], difference["metric"])
    if needed <= tasks:
        return []
    return [f"To find {margin} with 80% power takes about {needed} tasks at this spread, or more repeats of each."]
