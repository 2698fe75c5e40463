"""From checks and numbers to one verdict, one sentence a manager can read and one paragraph an engineer can check."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blade_pipeline.method.comparison.checks import Check, conditions, first_blocking

DECIDED = "{factor}_change"


@dataclass(frozen=True)
class Verdict:
    """What may be said of a difference, and the check that decided."""

    verdict: str
    headline_check: str | None
    conditional_on: list[str]


def decide(checks: Sequence[Check], difference: Mapping[str, Any], varying: str) -> Verdict:
    """The verdict of two runs.

    A blocking difference of code, benchmark or method ends the question; then missing overlap, then accounting;
    only then do the paired interval for new tasks and the equivalence test speak.
    """
    blocked = first_blocking(check for check in checks if check["group"] in ("code", "benchmark", "method"))
    if blocked is not None:
        return Verdict("not_comparable", blocked["id"], [])
    lacking = _lacking(checks, difference)
    if lacking is not None:
        return Verdict("insufficient_evidence", lacking, [])
    accounting = first_blocking(check for check in checks if check["group"] == "accounting")
    if accounting is not None:
        return Verdict("failure_accounting", accounting["id"], [])
    name, headline = _statistical(difference, varying)
    return Verdict(name, headline, [name for name in conditions(checks) if name not in ("task_set", "overlap")])


def _lacking(checks: Sequence[Check], difference: Mapping[str, Any]) -> str | None:
    """The check without which nothing can be said: task identity, or an overlap of scored tasks."""
    for check in checks:
        if check["id"] == "task_set" and check["status"] == "unknown":
            return "task_set"
        if check["id"] == "overlap" and check["status"] != "same":
            return "overlap"
    return "noise" if difference["new_tasks"] is None or difference["new_tasks"]["low"] is None else None


def _statistical(difference: Mapping[str, Any], varying: str) -> tuple[str, str | None]:
    interval = difference["new_tasks"]
    if interval["low"] > 0 or interval["high"] < 0:
        return DECIDED.format(factor=varying), None
    if difference["tost"] and difference["tost"]["equivalent"]:
        return "equivalent", "noise"
    return "no_detectable_change", "noise"


def sentence(a: str, b: str, verdict: Verdict, checks: Sequence[Check], difference: Mapping[str, Any]) -> str:
    """One sentence for a manager."""
    by_id = {check["id"]: check for check in checks}
    head = by_id.get(verdict.headline_check or "")
    amount = _amount(difference)
    match verdict.verdict:
        case "not_comparable":
            assert head is not None
            return f"{a} and {b} are not comparable: {head['label']} differs ({_values(head)})."
        case "failure_accounting":
            assert head is not None
            return f"Whether {b} differs from {a} depends on how lost rollouts are counted: {head['note']}."
        case "insufficient_evidence":
            return f"{a} and {b} cannot be compared yet: {_missing(head)}."
        case "equivalent":
            text = (
                f"{b} scores {amount} against {a}, which is equivalent within {_points(difference['tost']['margin'])}"
            )
        case "no_detectable_change":
            text = f"{b} scores {amount} against {a}, which is within what chance on new tasks would show"
        case _:
            text = f"{b} scores {amount} against {a}, more than chance on new tasks would show"
    return text + _provided(verdict.conditional_on, by_id) + "."


def paragraph(checks: Sequence[Check], difference: Mapping[str, Any]) -> str:
    """The figures behind the sentence, for an engineer."""
    parts = [_check_summary(checks)]
    if difference["value"] is not None:
        parts.append(
            f"On {difference['tasks']} common task{'s' * (difference['tasks'] != 1)} the mean difference in "
            f"{difference['metric']} is "
            f"{_points(difference['value'])}."
        )
    for name, question in (("new_tasks", "new tasks of this kind"), ("these_tasks", "a rerun on these tasks")):
        interval = difference[name]
        if interval and interval["low"] is not None:
            parts.append(
                f"The {interval['level']:.0%} interval for {question} is {_points(interval['low'])} to "
                f"{_points(interval['high'])} ({interval['method']})."
            )
        elif interval:
            parts.append(f"There is no interval for {question}: {interval['reason']}.")
    if difference["mde"]["value"] is not None:
        parts.append(
            f"The smallest difference that this design finds with {difference['mde']['power']:.0%} power is "
            f"{_points(difference['mde']['value'])}."
        )
    return " ".join(parts)


def _check_summary(checks: Sequence[Check]) -> str:
    counts = {status: sum(check["status"] == status for check in checks) for status in ("same", "different", "unknown")}
    return (
        f"Of {len(checks)} checks {counts['same']} agree, {counts['different']} differ "
        f"and {counts['unknown']} are unknown."
    )


def _amount(difference: Mapping[str, Any]) -> str:
    value = difference["value"]
    return "no common score" if value is None else f"{value * 100:+.1f} points"


def _points(value: float) -> str:
    return f"{value * 100:+.1f} points"


def _values(check: Mapping[str, Any]) -> str:
    if check["note"] and check["id"] in ("task_set", "prompts", "expected_answers"):
        return str(check["note"])
    return f"{check['a']} against {check['b']}"


def _missing(check: Mapping[str, Any] | None) -> str:
    if check is None:
        return "nothing measured on common tasks"
    return str(check["note"] or f"{check['label']} is unknown")


def _provided(unknown: Sequence[str], by_id: Mapping[str, Check]) -> str:
    if not unknown:
        return ""
    names = [by_id[name]["label"] for name in unknown]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f", provided that {shown} did not change (unknown)"
