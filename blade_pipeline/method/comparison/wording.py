"""A verdict in one sentence for a manager and one paragraph for an engineer."""

from collections.abc import Mapping, Sequence
from typing import Any

from blade_pipeline.method.comparison.amounts import PERCENT, signed, size
from blade_pipeline.method.comparison.check import ORDER, Check
from blade_pipeline.method.comparison.checks import STUDIED
from blade_pipeline.method.comparison.difference import beyond_chance
from blade_pipeline.method.comparison.mixed import MIXED
from blade_pipeline.method.comparison.settings import SETTINGS
from blade_pipeline.method.comparison.verdict import Judged

_TOLD = {"lost_on_hard_tasks": "Lost rollouts", "truncation": "Truncated answers"}
_SPOKEN = ("task_set", "prompts", "expected_answers", *SETTINGS)


def sentence(judged: Judged, mixed: Sequence[str] = ()) -> str:
    """One sentence for a manager; ``mixed`` are clauses on runs whose rows disagree among themselves."""
    return "; ".join([_main_clause(judged), *mixed]) + "."


def _main_clause(judged: Judged) -> str:
    a, b, head, difference = judged.a, judged.b, judged.headline, judged.difference
    amount = signed(difference["value"], difference["metric"])
    other_way = "" if difference.get("higher_is_better", True) else " (lower is better)"
    match judged.verdict.verdict:
        case "not_comparable":
            assert head is not None
            return f"{a} and {b} are not comparable: {_apart(head)}{_differing_too(judged.besides)}"
        case "failure_accounting":
            assert head is not None
            return f"Whether {b} differs from {a} depends on how lost rollouts are counted: {head['note']}"
        case "insufficient_evidence":
            return f"{a} and {b} cannot be compared yet: {_lacking(head, judged.cases)}"
        case "equivalent":
            margin = size(difference["tost"]["margin"], difference["metric"])
            text = f"{_scores(b, amount, a)}{other_way}, which is equivalent within {margin}"
        case "no_detectable_change":
            text = f"{_scores(b, amount, a)}{other_way}, which is within what chance on new tasks would show"
        case _:
            text = f"{_scores(b, amount, a)}{other_way}, more than chance on new tasks would show"
            text += _besides(judged.checks, judged.verdict.verdict.removesuffix("_change"))
    return text + _provided(judged.unknown)


def _apart(head: Check) -> str:
    if head["id"] == MIXED:
        return str(head["note"])
    verb = "differ" if head["id"] in ("prompts", "expected_answers", "tools") else "differs"
    return f"{head['label']} {verb} ({_values(head)})"


def _differing_too(checks: Sequence[Check]) -> str:
    names = [f"{check['label']} ({_values(check)})" for check in checks]
    return f", and so do{'es' * (len(names) == 1)} {_joined(names)}" if names else ""


def _scores(b: str, amount: str, a: str) -> str:
    if amount.startswith("0"):
        return f"Compared with {a}, {b} scores the same ({amount})"
    return f"{b} scores {amount} against {a}"


def paragraph(checks: Sequence[Check], difference: Mapping[str, Any], mixed: Sequence[str] = ()) -> str:
    """The figures behind the sentence, for an engineer."""
    metric = difference["metric"]
    parts = [_check_summary(checks), *(f"{clause[0].upper()}{clause[1:]}." for clause in mixed)]
    if difference["value"] is not None:
        tasks = f"{difference['tasks']} common task{'s' * (difference['tasks'] != 1)}"
        parts.append(f"On {tasks} the mean difference in {metric} is {signed(difference['value'], metric)}.")
    parts += _intervals(difference)
    if difference["sign_flip_p"] is not None:
        parts.append(_tests(difference))
    if difference["tasks"]:
        parts.append(_power(difference["mde"], metric))
    told = {check["id"]: check["note"] for check in checks if check["status"] == "different"}
    parts += [f"{words}: {told[name]}." for name, words in _TOLD.items() if name in told]
    return " ".join(parts)


def _power(effect: Mapping[str, Any], metric: str) -> str:
    if effect["value"] is None:
        return f"No smallest detectable difference can be named: {effect['reason']}."
    if metric == "pass@1" and effect["value"] > 1:
        return f"This design finds no possible difference with {effect['power']:.0%} power."
    if effect["at_least"]:
        text = f"To find a difference with {effect['power']:.0%} power this design needs one of more than "
        text += f"{size(effect['value'], metric)}, since with so few tasks the sign-flip test must agree as well"
    else:
        text = f"The smallest difference that this design finds with {effect['power']:.0%} power is "
        text += size(effect["value"], metric)
    if effect["omega2"] is None:
        text += "; without two repeats in both runs nobody can say how much smaller more repeats would make it"
    return f"{text}."


def _intervals(difference: Mapping[str, Any]) -> list[str]:
    parts, metric = [], difference["metric"]
    for name, question in (("new_tasks", "new tasks of this kind"), ("these_tasks", "a rerun on these tasks")):
        interval = difference[name]
        if interval["low"] is not None:
            span = f"{signed(interval['low'], metric)} to {signed(interval['high'], metric)}"
            parts.append(f"The {interval['level']:.0%} interval for {question} is {span} ({interval['method']}).")
        else:
            parts.append(f"There is no interval for {question}: {interval['reason']}.")
    return parts


def _tests(difference: Mapping[str, Any]) -> str:
    sign = difference["sign_test"]
    up, down = ("gained", "lost") if difference.get("higher_is_better", True) else ("scored higher", "lower")
    gained = f"{sign['gained']} task{'s' * (sign['gained'] != 1)} {up}"
    text = f"The sign-flip test gives p = {difference['sign_flip_p']:.2g}; {gained}, "
    text += f"{sign['lost']} {down} and {sign['tied']} tied (sign test p = {sign['p']:.2g})"
    single = difference["single_repeat"]
    if single:
        interval = single["bonett_price"]
        text += f"; with one repeat a side McNemar's exact p is {single['p_exact']:.2g} and Bonett and Price's "
        text += f"interval {signed(interval['low'], PERCENT)} to {signed(interval['high'], PERCENT)}"
    tost = difference["tost"]
    if tost and tost["margin"] is None:
        text += f"; equality was not tested, since {tost['reason']}"
    if beyond_chance(dict(difference)) and tost and tost["equivalent"]:
        margin = size(tost["margin"], difference["metric"])
        text += f"; the difference is real and still smaller than the margin of {margin}"
    return f"{text}."


def _check_summary(checks: Sequence[Check]) -> str:
    same, different, unknown = (
        sum(check["status"] == status for check in checks) for status in ("same", "different", "unknown")
    )
    return (
        f"Of {len(checks)} checks {same} agree{'s' * (same == 1)}, {different} differ{'s' * (different == 1)} "
        f"and {unknown} {'is' if unknown == 1 else 'are'} unknown."
    )


def _values(check: Mapping[str, Any]) -> str:
    if check["note"] and check["id"] in _SPOKEN:
        return str(check["note"])
    return f"{check['a']} against {check['b']}"


def _lacking(check: Mapping[str, Any] | None, cases: Sequence[Mapping[str, Any]]) -> str:
    silent = [case["sentence"] for case in cases if case["nothing_measured"]]
    if silent:
        return "; ".join(silent)
    assert check is not None
    return str(check["note"] or f"{check['label']} is unknown")


def _besides(checks: Sequence[Check], factor: str) -> str:
    """What else differs between two runs whose difference is put down to the factor under study."""
    told = STUDIED[factor] | {MIXED, "repeats"}
    found = [check for check in checks if check["status"] == "different" and check["group"] in ORDER[:3]]
    names = [check["label"] for check in found if not check["blocking"] and check["id"] not in told]
    return f", though {_joined(names)} differ{'s' * (len(names) == 1)} too" if names else ""


def _joined(names: list[str]) -> str:
    last = f"{len(names) - 3} more" if len(names) > 3 else names[-1] if len(names) > 1 else ""
    shown = ", ".join(names[:3] if len(names) > 3 else names[:-1] if last else names)
    return shown + (f" and {last}" if last else "")


def _provided(unknown: list[str]) -> str:
    return f", provided that {_joined(unknown)} did not change (unknown)" if unknown else ""
