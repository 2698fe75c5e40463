"""The workflow funnel: how many rollouts get through each ordered phase, and where most are lost.

Without a profile the phases are generic, and a phase whose evidence the run does not carry is left out and named. A
rollout that passed counts as through every generic phase, so the last one counts the passed rollouts.
"""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.arrays import rows_where
from blade_pipeline.method.expressions import Mask, evaluate
from blade_pipeline.method.failure_rules import NO_OUTPUT, RULES
from blade_pipeline.method.modes import discriminates, flags, outcome_masks
from blade_pipeline.method.selfcheck import self_checks
from blade_pipeline.method.signals import signals
from blade_pipeline.models import Profile


class _Phase(NamedTuple):
    phase: str
    rule: str
    through: Mask


class _SymptomPhase(NamedTuple):
    phase: str
    families: tuple[str, ...]
    evidence: str
    fields: str
    rule: str


_SYMPTOM_PHASES = (
    _SymptomPhase(
        "responded", ("silent",), "response_known", "a response", "the response holds an output, or a patch was left"
    ),
    _SymptomPhase(
        "not cut short",
        ("infrastructure", "limit"),
        "limits_known",
        "a stop reason, a status, an error or a limit field",
        "no failure of a service and no limit on tokens, context, time or steps ended it",
    ),
    _SymptomPhase(
        "answered",
        ("answer",),
        "answers_known",
        "an extracted answer, a format check or a patch check",
        "an answer was left, and where the verifier looks for it, found in the required format",
    ),
    _SymptomPhase(
        "judged",
        ("verifier",),
        "verifier_known",
        "a field about the verifier's own run",
        "the verifier finished its evaluation",
    ),
)


def funnel(aligned: pa.Table, profile: Profile) -> dict[str, Any]:
    """Count the rollouts through every phase.

    Returns:
        ``{source, phases, largest_drop, total_rollouts, not_observable, self_check, notes}``; ``reached`` never rises
        from one phase to the next, and ``survival`` is ``reached`` over all rollouts. Unexpected rows stay out.
    """
    samples = rows_where(aligned, pc.not_equal(aligned["outcome"], "unexpected"))
    unexpected = aligned.num_rows - samples.num_rows
    not_observable: list[dict[str, str]] = []
    if profile.funnel:
        masks = evaluate(samples, [phase.when for phase in profile.funnel])
        phases = [_Phase(p.phase, p.when, mask) for p, mask in zip(profile.funnel, masks, strict=True)]
    else:
        phases, not_observable = _generic(samples)
    counted = _counted(phases, samples.num_rows)
    return {
        "source": "profile" if profile.funnel else "generic",
        "phases": counted,
        "largest_drop": _largest_drop(counted),
        "total_rollouts": samples.num_rows,
        "not_observable": not_observable,
        "self_check": self_checks(samples),
        "notes": [f"{unexpected} unexpected rows are outside the funnel."] if unexpected else [],
    }


def _counted(phases: list[_Phase], total: int) -> list[dict[str, Any]]:
    alive = np.ones(total, dtype=np.bool_)
    counted = []
    for phase in phases:
        entered = int(alive.sum())
        alive = alive & phase.through
        reached = int(alive.sum())
        counted.append(
            {
                "phase": phase.phase,
                "entered": entered,
                "reached": reached,
                "conditional_drop": (entered - reached) / entered if entered else None,
                "survival": reached / total if total else None,
                "rule": phase.rule,
            }
        )
    return counted


def _largest_drop(counted: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The phase that loses most rollouts, the earlier one when two lose the same; null when none is lost."""
    lost = [phase["entered"] - phase["reached"] for phase in counted]
    if not any(lost):
        return None
    worst = counted[int(np.argmax(lost))]
    return {"phase": worst["phase"], "lost": max(lost), "entered": worst["entered"]}


def _generic(samples: pa.Table) -> tuple[list[_Phase], list[dict[str, str]]]:
    marks = signals(samples)
    _, passed = outcome_masks(marks)
    outcome = samples["outcome"]
    written = _among(outcome, ["measured", "masked", "unscored"])
    phases = [
        _Phase("started", "the rollout left a row or a failure record", ~_among(outcome, ["missing"])),
        _Phase("completed", "the rollout left a row", written),
    ]
    absent = []
    for wanted in _SYMPTOM_PHASES:
        shown, not_counted = _shown(wanted, marks)
        known = bool(pc.any(marks[wanted.evidence]).as_py()) or bool(shown.any())
        if not known:
            absent.append({"phase": wanted.phase, "reason": f"no row carries {wanted.fields}"})
        elif not_counted and not shown.any():
            reason = f"passed rollouts lack it as well: {', '.join(not_counted)}"
            absent.append({"phase": wanted.phase, "reason": reason})
        else:
            phases.append(_Phase(wanted.phase, _rule_words(wanted.rule, not_counted), ~shown | passed))
    phases += [
        _Phase("measured", "the reward is a valid measurement", _among(outcome, ["measured"])),
        _Phase("passed", "the score reaches the pass threshold", passed),
    ]
    return phases, absent


def _rule_words(rule: str, not_counted: list[str]) -> str:
    if not not_counted:
        return rule
    return f"{rule}; not counted, as passed rollouts show it as well: {', '.join(not_counted)}"


def _shown(wanted: _SymptomPhase, marks: pa.Table) -> tuple[Mask, list[str]]:
    """Rows that show a symptom of the phase, and the symptoms that tell nothing about failure in this run."""
    failed, passed = outcome_masks(marks)
    rules = [rule for rule in (*RULES, NO_OUTPUT) if rule.family in wanted.families]
    found = np.zeros(marks.num_rows, dtype=np.bool_)
    not_counted = []
    for rule, hits in zip(rules, flags(marks, rules), strict=True):
        if not rule.soft or discriminates(hits, failed, passed):
            found |= hits
        elif (hits & failed).any():
            not_counted.append(f"{rule.label} ({(hits & failed).sum()} failed, {(hits & passed).sum()} passed)")
    return found, not_counted


def _among(column: pa.ChunkedArray, values: list[str]) -> Mask:
    return np.asarray(pc.is_in(column, value_set=pa.array(values, pa.string())), dtype=np.bool_)
