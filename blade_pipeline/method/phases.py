"""The ordered phases of a workflow, and which rollouts get through each one.

The first two say which rollouts ran at all, from the accounting: an outage is no phase of the workflow. The others are
the profile's, or generic ones; a phase whose evidence the run does not carry is left out and named. A rollout
that passed counts as through every generic phase, so the last one counts the passed rollouts. Where a run goes by its
mean score there is no such last phase.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.expressions import Mask, evaluate
from blade_pipeline.method.failure_rules import NO_OUTPUT, RULES
from blade_pipeline.method.graded import MEAN_REWARD, headline_metric
from blade_pipeline.method.modes import discriminates, flags, outcome_masks
from blade_pipeline.method.profile_fields import phases_without_fields
from blade_pipeline.method.signals import signals
from blade_pipeline.method.sql import query
from blade_pipeline.models import Profile

_WORK_COLUMNS = ["tool_calls", "tool_errors", "steps", "checked", "score", "passed"]


class Phase(NamedTuple):
    """A phase; ``through`` marks the rows for which its rule holds, whatever the phases before it say."""

    phase: str
    rule: str
    source: str  # accounting | profile | generic
    through: Mask


class _SymptomPhase(NamedTuple):
    phase: str
    families: tuple[str, ...]
    evidence: str
    fields: str
    rule: str


class _WorkPhase(NamedTuple):
    """A step of the work: ``lacks`` and ``known`` are SQL, whether a row does without it and whether a row has it."""

    phase: str
    lacks: str
    known: str
    rule: str


_WORK_PHASES = (
    _WorkPhase("used a tool", "tool_calls = 0", "tool_calls > 0", "a tool was called"),
    _WorkPhase(
        "a tool answered",
        "tool_calls > 0 and tool_errors >= tool_calls",
        "tool_errors > 0 and tool_errors < tool_calls",
        "not every call of a tool gave an error",
    ),
    _WorkPhase("changed a file", "steps is not null and checked is null", "checked is not null", "a file was changed"),
    _WorkPhase(
        "checked the change",
        "not checked",
        "checked",
        "tests, a checker or a program ran after the last change of a file",
    ),
)
_SOME_CREDIT = _WorkPhase("some credit", "score <= 0", "score > 0 and not passed", "the score is above 0")

_RESPONDED = _SymptomPhase(
    "responded", ("silent",), "response_known", "a response", "the response holds an output, or a patch was left"
)
_SYMPTOM_PHASES = (
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


_NO_FIELD = "no row holds a field that its rule names, and no row gets through"

Found = tuple[list[Phase], list[dict[str, str]]]
"""Phases, and those that are left out with the reason."""


def phases_of(samples: pa.Table, profile: Profile) -> tuple[list[Phase], list[dict[str, str]]]:
    """The phases in order, and those that cannot be observed, each with the reason.

    Args:
        samples: ``ALIGNED_SAMPLES`` without unexpected rows.
        profile: declares phases, or none.
    """
    if not profile.funnel:
        generic, absent = _generic(samples)
        if headline_metric(samples, profile) == MEAN_REWARD:
            generic = generic[:-1]
        return [*_accounted(samples, set()), *generic], absent
    void = phases_without_fields(samples, profile)
    declared = [phase for phase in profile.funnel if phase.phase not in void]
    masks = evaluate(samples, [phase.when for phase in declared])
    own = [Phase(p.phase, p.when, "profile", mask) for p, mask in zip(declared, masks, strict=True)]
    absent = [{"phase": p.phase, "reason": _NO_FIELD} for p in profile.funnel if p.phase in void]
    return [*_accounted(samples, {phase.phase for phase in own}), *own], absent


def _accounted(samples: pa.Table, taken: set[str]) -> list[Phase]:
    """The phases that say which rollouts ran; a name that the profile uses is told apart."""
    outcome = samples["outcome"]
    written = _among(outcome, ["measured", "masked", "unscored"])
    found = [
        Phase("started", "the rollout left a row or a failure record", "accounting", ~_among(outcome, ["missing"])),
        Phase("completed", "the rollout left a row", "accounting", written),
    ]
    return [phase._replace(phase=f"{phase.phase} (accounting)") if phase.phase in taken else phase for phase in found]


def _generic(samples: pa.Table) -> Found:
    marks = signals(samples)
    _, passed = outcome_masks(marks)
    measured = _among(samples["outcome"], ["measured"])
    parts = [
        _symptomatic((_RESPONDED,), marks),
        _worked(_WORK_PHASES, samples, marks),
        _symptomatic(_SYMPTOM_PHASES, marks),
        ([Phase("measured", "the reward is a valid measurement", "generic", measured)], []),
        _worked((_SOME_CREDIT,), samples, marks),
        ([Phase("passed", "the score reaches the pass threshold", "generic", passed)], []),
    ]
    return [phase for phases, _ in parts for phase in phases], [entry for _, absent in parts for entry in absent]


def _symptomatic(phases_wanted: tuple[_SymptomPhase, ...], marks: pa.Table) -> Found:
    """Phases that a symptom tells a rollout did not get through."""
    _, passed = outcome_masks(marks)
    phases: list[Phase] = []
    absent = []
    for wanted in phases_wanted:
        shown, not_counted = _shown(wanted, marks)
        known = bool(pc.any(marks[wanted.evidence]).as_py()) or bool(shown.any())
        if not known:
            absent.append({"phase": wanted.phase, "reason": f"no row carries {wanted.fields}"})
        elif not_counted and not shown.any():
            reason = f"passed rollouts lack it as well: {', '.join(not_counted)}"
            absent.append({"phase": wanted.phase, "reason": reason})
        else:
            phases.append(Phase(wanted.phase, _rule_words(wanted.rule, not_counted), "generic", ~shown | passed))
    return phases, absent


def _worked(wanted: tuple[_WorkPhase, ...], samples: pa.Table, marks: pa.Table) -> Found:
    """Steps of the work that some rollout takes, unless passed ones do without as often; these with the reason."""
    failed, passed = outcome_masks(marks)
    phases, absent = [], []
    chosen = ", ".join(f"coalesce({way.lacks}, false), coalesce({way.known}, false)" for way in wanted)
    columns = query(f"select {chosen} from s", s=samples.select(_WORK_COLUMNS)).columns
    for way, lacks, known in zip(wanted, map(_mask, columns[::2]), map(_mask, columns[1::2]), strict=True):
        if not known.any():
            continue
        if discriminates(lacks, failed, passed):
            phases.append(Phase(way.phase, way.rule, "generic", ~lacks | passed))
        else:
            counts = f"{(lacks & failed).sum()} failed, {(lacks & passed).sum()} passed"
            reason = f"passed rollouts do without it as well ({counts})"
            absent.append({"phase": way.phase, "reason": reason})
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


def _mask(column: pa.ChunkedArray) -> Mask:
    return np.asarray(column, dtype=np.bool_)


def _among(column: pa.ChunkedArray, values: list[str]) -> Mask:
    return np.asarray(pc.is_in(column, value_set=pa.array(values, pa.string())), dtype=np.bool_)
