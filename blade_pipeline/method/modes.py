"""The failure modes that a run can show: the profile's, the generic ones, and clusters of verifier messages."""

from itertools import compress
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.gym.failed_checks import FAILED_CHECK
from blade_pipeline.gym.open_errors import MET_ERROR, TOOL_ERROR
from blade_pipeline.method.clusters import Cluster
from blade_pipeline.method.expressions import Mask, evaluate
from blade_pipeline.method.failure_rules import FALLBACKS, HABITS, LATE_RULES, LIFT, RULES, UNEXPLAINED, Rule
from blade_pipeline.method.kept import while_it_lives
from blade_pipeline.method.responsibility import cause_of
from blade_pipeline.method.sql import query
from blade_pipeline.method.stated_reasons import other_reasons
from blade_pipeline.method.verifier_text import says_little
from blade_pipeline.models import Profile
from blade_pipeline.statistics import fisher_p

CHANCE = 0.05
"""p of Fisher's test up to which a habit, or a soft symptom that passed rollouts show too, is told from theirs."""


REJECTED = "right_answer_rejected"


class Mode(NamedTuple):
    """One failure mode; ``hits`` marks the aligned rows that show it, passed ones included."""

    code: str
    label: str
    rule: str
    root_cause: str | None
    source: str  # profile | rule | verifier
    place: str
    hits: Mask
    standing: str  # primary | fallback | demoted: too frequent among the passed rollouts

    @property
    def fallback(self) -> bool:
        """Whether it only says that nothing else was found."""
        return self.standing == "fallback"


_RIGHT_BESIDE = Mode(
    "right_answer_other_reason",
    "the answer is right, and the verifier names another reason",
    "the extracted answer equals the expected one or one that passed in another repeat, and a message of the "
    "verifier's that other failed rollouts do not carry as often gives another reason",
    None,
    "rule",
    "verifier fields",
    np.zeros(0, dtype=np.bool_),
    "primary",
)
"""Told beside the verifier's reason, which is the primary mode."""


def modes(aligned: pa.Table, marks: pa.Table, profile: Profile, messages: list[Cluster]) -> list[Mode]:
    """Every mode in order of precedence, with those of the verifier's messages; the last one marks every row.

    A message that says little, such as ``error: other``, comes after every symptom.
    """
    own = _of_profile(aligned, profile)
    taken = {mode.code for mode in own} - {UNEXPLAINED.code}
    rules = [rule for rule in (*RULES, *LATE_RULES) if rule.code not in taken]
    hints = [says_little(message.code.partition(":")[2]) for message in messages]
    little = list(compress(messages, hints))
    messages = list(compress(messages, [not hint for hint in hints]))
    otherwise = other_reasons(messages, marks["rejected"], outcome_masks(marks)[0])
    generic = _of_rules(rules, marks, {REJECTED: ~otherwise})
    early = [mode for mode, rule in zip(generic, rules, strict=True) if rule not in LATE_RULES]
    beside = _RIGHT_BESIDE._replace(hits=otherwise)
    late = len(generic) - sum(mode.fallback for mode in generic)
    said, hinted = (_of_verifier(found, taken) for found in (messages, little))
    return [*own, *early, *said, beside, *generic[len(early) : late], *hinted, *generic[late:]]


def flags(marks: pa.Table, rules: list[Rule]) -> list[Mask]:
    """Which rows of the signals table match each rule."""
    masks = _every_flag(marks)
    return [masks[rule.code] for rule in rules]


@while_it_lives
def _every_flag(marks: pa.Table) -> dict[str, Mask]:
    """The rows that match each generic rule, by its code."""
    rules = (*RULES, *LATE_RULES)
    chosen = ", ".join(f"coalesce({rule.when}, false) as {rule.code}" for rule in rules)
    table = query(f"select {chosen} from marks order by position", marks=marks)
    masks = {rule.code: np.asarray(table[rule.code], dtype=np.bool_) for rule in rules}
    for mask in masks.values():
        mask.flags.writeable = False
    return masks


def discriminates(hits: Mask, failed: Mask, passed: Mask) -> bool:
    """Whether a symptom is at least twice as frequent among the failed rollouts as among the passed ones."""
    with_failed, with_passed = int((hits & failed).sum()), int((hits & passed).sum())
    return bool(with_failed * int(passed.sum()) >= LIFT * with_passed * int(failed.sum()))


def _beyond_chance(hits: Mask, failed: Mask, passed: Mask) -> bool:
    """Whether Fisher's test tells the failed rollouts from the passed ones; never without passed ones."""
    counts = [[int((hits & side).sum()), int(side.sum())] for side in (failed, passed)]
    (with_failed, all_failed), (with_passed, all_passed) = counts
    return float(fisher_p([with_failed], [all_failed], [with_passed], [all_passed])[0]) <= CHANCE


def _can_be_told(failed: Mask, passed: Mask) -> bool:
    """Whether the run is large enough for a symptom of all failed rollouts and no passed one to be beyond chance."""
    return _beyond_chance(failed, failed, passed)


def outcome_masks(marks: pa.Table) -> tuple[Mask, Mask]:
    """The failed rollouts (measured, not passed) and the passed ones."""
    return _mask(marks["failed"]), _mask(marks["passing"])


def _mask(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.asarray(column.fill_null(False), dtype=np.bool_)


def _of_profile(aligned: pa.Table, profile: Profile) -> list[Mode]:
    rules = sorted(profile.failure_modes, key=lambda rule: -rule.severity)
    found = evaluate(aligned, [rule.when for rule in rules])
    return [
        Mode(
            rule.code,
            rule.code.replace("_", " "),
            f"{rule.when} ({rule.note})" if rule.note else rule.when,
            None if rule.root_cause == "unlabelled" else rule.root_cause,
            "profile",
            "profile expression",
            hits,
            "primary",
        )
        for rule, hits in zip(rules, found, strict=True)
    ]


def _of_rules(rules: list[Rule], marks: pa.Table, only: dict[str, Mask]) -> list[Mode]:
    """The generic modes; ``only`` narrows the rows of some by code."""
    failed, passed = outcome_masks(marks)
    found = []
    for rule, shown in zip(rules, flags(marks, rules), strict=True):
        hits = shown & only[rule.code] if rule.code in only else shown
        demoted = rule.soft and not discriminates(hits, failed, passed)
        shared = rule.soft and bool((hits & passed).any()) and _can_be_told(failed, passed)
        demoted = demoted or ((rule in HABITS or shared) and not _beyond_chance(hits, failed, passed))
        standing = "fallback" if rule in FALLBACKS else "demoted" if demoted else "primary"
        found.append(Mode(rule.code, rule.label, rule.rule, rule.root_cause, "rule", rule.place, hits, standing))
    return found


def _of_verifier(found: list[Cluster], taken: set[str]) -> list[Mode]:
    return [
        Mode(code, label, rule, _cause(code), "verifier", place, hits, "primary")
        for code, label, hits in found
        if code not in taken
        for rule, place in [_read_at(code.partition(":")[0])]
    ]


def _read_at(field: str) -> tuple[str, str]:
    """Rule and place of a message; errors of tools stand in the trajectory."""
    if field == TOOL_ERROR:
        return "at least two failed rollouts met this error of a tool and did not get over it", "tool output"
    if field == MET_ERROR:
        return "rollouts that met this error of a tool fail more often, although they got over it", "tool output"
    if field == FAILED_CHECK:
        return "rollouts of several tasks failed this one of the verifier's checks", "list of the verifier's checks"
    return "at least two failed rollouts carry this verifier message", f"verifier field {field}"


def _cause(code: str) -> str | None:
    field, _, value = code.partition(":")
    return cause_of(value) if field in ("failure_kind", "failure_reason") else None
