"""What disturbs a run's numbers and shows between its repeats: outages, copies, drift, a repeat that is gone."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from blade_pipeline.method.finding import Finding, finding
from blade_pipeline.method.outages import outages

OUTAGE = "an outage in one repeat"
OUTAGE_IN_TIME = "an outage in one part of the run"

_QUARTERS = ("first", "second", "third", "last")
_LOSSES = "to infrastructure, to a judge or verifier that did not finish or to no row at all"

COPIED = 0.5
"""Share of tasks with equal repeats from which on repeats count as copies of each other."""

SHOCK = 0.01
"""Cochran's p under which one repeat was run under other conditions than the rest."""


def repeat_findings(
    aligned: pa.Table, scores: dict[str, Any], coverage: dict[str, Any], manifest: dict[str, Any]
) -> Iterator[Finding]:
    """Findings about the repeats of a run, those that move the score first."""
    repeats = coverage["by"]["repeat"]
    yield from _outages(aligned)
    yield from _copies(scores["repeats"], manifest)
    yield from _one_differs(scores["repeats"], repeats)
    yield from _lost_repeats(repeats)


def _outages(aligned: pa.Table) -> Iterator[Finding]:
    for found in outages(aligned):
        numbers = {name: value for name, value in found.items() if name not in ("agent", "by_quarter")}
        lost, rest = f"{found['lost']} of {found['rollouts']} rollouts", f"{found['rest_lost']} of {found['rest']}"
        if "repeat" in found:
            sentence = (
                f"Repeat {found['repeat']} of `{found['agent']}` lost {lost} {_LOSSES}, the other repeats {rest} "
                f"(Fisher p = {found['p']:.2g}): its score speaks of the outage, not of the model."
            )
            yield finding(OUTAGE, sentence, **numbers)
        else:
            first, second, third, last = found["by_quarter"]
            sentence = (
                f"In order of creation, the {_QUARTERS[found['quarter'] - 1]} quarter of `{found['agent']}` lost "
                f"{lost} {_LOSSES}, the other quarters {rest} (Fisher p = {found['p']:.2g}; from the first to the last "
                f"{first}, {second}, {third} and {last}): when a rollout ran tells whether it could pass."
            )
            yield finding(OUTAGE_IN_TIME, sentence, **numbers, first=first, second=second, third=third, last=last)


def _copies(found: dict[str, Any], manifest: dict[str, Any]) -> Iterator[Finding]:
    same, tasks, unequal = (found[name] for name in ("identical_tasks", "compared_tasks", "identical_unequal_tasks"))
    temperature = (manifest["values"].get("temperature") or {}).get("value")
    if tasks > 1 and same >= COPIED * tasks and temperature != 0:
        sampled = "at an unknown temperature" if temperature is None else f"at temperature {temperature}"
        yield finding(
            "repeats are copies",
            f"{same} of {tasks} tasks gave the same output in every repeat {sampled}, as cached answers and "
            f"overwritten files do: their repeats are one observation each. {_of_scores(unequal)}",
            identical_tasks=same,
            compared_tasks=tasks,
            identical_unequal_tasks=unequal,
        )


def _one_differs(found: dict[str, Any], repeats: list[dict[str, Any]]) -> Iterator[Finding]:
    if found["cochran_p"] is None or found["cochran_p"] >= SHOCK:
        return
    apart = max((row for row in repeats if row["measured"]), key=lambda row: abs(_rate_apart(row, repeats)))
    passed, measured = _others(apart, repeats)
    yield finding(
        "one repeat differs",
        f"The repeats do not pass equally often (Cochran's Q = {found['cochran_q']:.2f} on {found['cochran_df']} "
        f"degrees of freedom over {found['cochran_tasks']} tasks): one was run under other conditions. Repeat "
        f"{apart['repeat']} stands furthest apart, with {apart['passed']} of {apart['measured']} against {passed} of "
        f"{measured} in the others.",
        q=found["cochran_q"],
        df=found["cochran_df"],
        p=found["cochran_p"],
        tasks=found["cochran_tasks"],
        repeat=apart["repeat"],
        passed=apart["passed"],
        measured=apart["measured"],
        others_passed=passed,
        others_measured=measured,
    )


def _rate_apart(row: dict[str, Any], repeats: list[dict[str, Any]]) -> float:
    passed, measured = _others(row, repeats)
    return float(row["passed"] / row["measured"] - passed / measured) if measured else 0.0


def _others(row: dict[str, Any], repeats: list[dict[str, Any]]) -> tuple[int, int]:
    """Passed and measured rollouts of the other repeats."""
    rest = [other for other in repeats if other is not row]
    return sum(other["passed"] for other in rest), sum(other["measured"] for other in rest)


def _of_scores(unequal: int) -> str:
    if unequal:
        return f"In {unequal} of them the scores differ, so the verifier gives one output several scores."
    return "For them pass@k says no more than pass@1."


def _lost_repeats(repeats: list[dict[str, Any]]) -> Iterator[Finding]:
    agents: dict[str, list[dict[str, Any]]] = {}
    for row in repeats:
        agents.setdefault(row["agent"], []).append(row)
    for agent, rows in agents.items():
        lost = [row for row in rows if (row["expected"] or 0) > 1 and row["missing"] == row["expected"]]
        if lost and len(lost) < len(rows):
            names = ", ".join(str(row["repeat"]) for row in lost)
            yield finding(
                "a repeat is missing",
                f"Of `{agent}` no row of repeat {names} is there, for any task, as when a file was overwritten.",
                repeats=len(lost),
                rollouts=sum(row["missing"] for row in lost),
            )
