"""One primary root cause per failed or mixed task, with the rule that proposes it, and the actions that follow.

An analyst's label overrides every rule. Rules read failure records, accounting and failure modes; KG and UK are
candidates that only a reading of the trajectories can confirm. Where no evidence decides, the task stays unlabelled.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.method.analyst import AnalystLabels, rollouts_of, stale_entry, stale_reason
from blade_pipeline.method.evidence import task_evidence
from blade_pipeline.method.failure_rules import MISSING_INPUT, NO_OUTPUT
from blade_pipeline.method.left_out import left_out
from blade_pipeline.method.recommendations import recommendations, without_cause
from blade_pipeline.method.remedies import LEAVES_OUT, SAME_OUTPUT
from blade_pipeline.method.repairs import carried_by, repairs
from blade_pipeline.models import LABELS, Profile

MOST_EVIDENCE = 5

_NAMES_ERROR = re.compile(r"(?:verif\w*|eval\w*|judge\w*|grad\w*|test\w*)_(?:errors?|exception)\b|verifier_failed$")

_OF_PLAN = ("lost", "passes", "reasons", "evident")
"""What recommendations are counted from."""

SOMETIMES = "sometimes passes, and no record names a cause"
NEVER = "never passes, and no record names a cause"
NONE_MEASURED = "no measured repeat passes, and no record names a cause"
ONE_ANSWER = "never passes, and every repeat gives the same answer"
BY_ELIMINATION = (SOMETIMES, NEVER, NONE_MEASURED, ONE_ANSWER)
"""Rules of KG and UK, which rest on nothing but the absence of another cause."""

Proposal = tuple[str, str | None, str | None, str]


def root_causes(
    aligned: pa.Table,
    buckets: pa.Table,
    modes: pa.Table,
    labels: dict[str, Any],
    profile: Profile,
    patterns: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Label every task that did not always pass, and every other task that an analyst labelled.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        buckets: ``OUTCOME_BUCKETS``.
        modes: ``FAILURE_MODES``, one row per failed rollout.
        labels: the analyst's label document, ``{present, file, labels}``.
        profile: names the modes whose root cause the team declares.
        patterns: what failing rollouts leave out, of ``trajectory_contrasts``; a rollout that answered wrongly and
            left out such a tool behaved badly rather than lacked knowledge.

    Returns:
        ``{labels, counts, unmatched_labels, stale_labels, recommendations, without_cause}``; the counts sum to the
        number of failed or mixed tasks, of which alone recommendations speak, and a stale label is an analyst's that no
        longer fits the run, ``{task, line, reason}``; it still holds, unless another one of the same task stands after
        it, ``{task, line, reason, label, replaced_by}``.
    """
    declared = {rule.code for rule in profile.failure_modes if rule.root_cause}
    analyst = AnalystLabels(labels)
    rollouts = rollouts_of(aligned) if analyst else {}
    leavers = left_out(aligned, patterns)
    found, stale, carried = [], [], []
    for task in task_evidence(aligned, buckets, modes):
        task["rollouts"] = _with_behaviour(task, leavers.get((task["agent"], task["stage"], task["task"]), {}))
        own = analyst.of(task["task"], task["dataset_id"])
        if own is not None:
            reason = stale_reason(own, task["bucket"], rollouts)
            found.append(_analyst_entry(task, own) | {"stale": reason})
            stale += [stale_entry(own, reason)] if reason else []
        elif task["bucket"] != "always_pass":
            found.append(_entry(task, *_proposed(task, declared)))
        labelled = own is not None or task["bucket"] != "always_pass"
        carried.append((task, carried_by(task, found[-1] if labelled else None)))
    measured, repeated = (
        bool(pc.any(pc.greater(buckets[name], least)).as_py()) for name, least in (("measured", 0), ("planned", 1))
    )
    lost = [entry for entry in found if entry["bucket"] != "always_pass"]
    return {
        "labels": [{name: value for name, value in entry.items() if name not in _OF_PLAN} for entry in found],
        "counts": {label: sum(entry["label"] == label for entry in lost) for label in LABELS},
        "unmatched_labels": analyst.unmatched(),
        "stale_labels": [*analyst.replaced(), *stale],
        "recommendations": recommendations(
            lost, repairs(carried), buckets.num_rows, measured=measured, repeated=repeated
        ),
        "without_cause": without_cause(lost, buckets.num_rows),
    }


def _entry(task: dict[str, Any], label: str, rule: str | None, confidence: str | None, note: str) -> dict[str, Any]:
    return {
        **{name: task[name] for name in ("agent", "stage", "task", "bucket")},
        "label": label,
        "by": "rule",
        "rule": rule,
        "confidence": confidence,
        "evidence": _rollouts(task, label),
        "note": note,
        "lost": task["lost"],
        "passes": task["passed"] > 0,
        "evident": label != "unlabelled" and rule not in BY_ELIMINATION,
        "reasons": [
            (f"{LEAVES_OUT * bool(row.get('left_out'))}{row['reason']}", row["right"]) for row in _carrying(task, label)
        ],
    }


def _analyst_entry(task: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    note = "; ".join(part for part in (own.get("behaviour"), own.get("note")) if part)
    entry = _entry(task, own["root_cause"], None, None, note)
    evident = own["root_cause"] != "unlabelled"
    return entry | {
        "by": "analyst",
        "analyst": own.get("analyst"),
        "evident": evident,
        "evidence": list(own.get("evidence") or entry["evidence"]),
    }


def _rollouts(task: dict[str, Any], label: str) -> list[str]:
    return [row["rollout"] for row in _carrying(task, label)][:MOST_EVIDENCE]


def _carrying(task: dict[str, Any], label: str) -> list[dict[str, Any]]:
    """Rollouts that carry the cause; those that were lost where none is attributed to it."""
    return [row for row in task["rollouts"] if row["cause"] == label] or list(task["rollouts"])


def _proposed(task: dict[str, Any], declared: set[str]) -> Proposal:
    """The first rule that applies, in the order of how directly the records speak."""
    if task["same_output"]:
        return "TI", SAME_OUTPUT, "high", "One and the same output was scored as pass and as fail."
    if task["conflicts"]:
        note = f"{task['conflicts']} rollouts have several rows of one attempt with different results."
        return "DA", "conflicting rows", "high", note
    measured = [row for row in task["rollouts"] if row["measured"]]
    known = [row for row in task["rollouts"] if row["measured"] or row["cause"]]
    if not task["passed"]:
        known, measured = _without_unreliable(known), _without_unreliable(measured)
    if found := _shared_failure(task) or _dominant(known, declared) or _dominant(measured, declared):
        return found
    if task["measured"] == 0:
        return "unlabelled", None, None, "No repeat has a score, and the records do not say why."
    if task["failed"] == 0:
        return "unlabelled", None, None, "No measured failure, and the records do not say why repeats are not measured."
    return _candidate(task)


def _with_behaviour(task: dict[str, Any], leavers: dict[str, str]) -> list[dict[str, Any]]:
    """The lost rollouts, where those without a symptom that left out a telling tool carry that as their reason."""
    return [
        row | {"cause": "BI", "reason": leavers[row["rollout"]], "left_out": True}
        if row["cause"] is None and row["measured"] and row["rollout"] in leavers
        else row
        for row in task["rollouts"]
    ]


def _without_unreliable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a task that never passes: knowledge that no repeat shows is not unreliable but absent or unknown."""
    return [row | {"cause": None} if row["cause"] == "UK" else row for row in rows]


def _shared_failure(task: dict[str, Any]) -> Proposal | None:
    """What every one of several repeats failed with, where that says more than a single failure would."""
    reasons = {row["reason"] for row in task["rollouts"]}
    if task["passed"] or task["lost_rollouts"] < 2 or len(reasons) != 1:
        return None
    reason = reasons.pop()
    note = f"All {task['lost_rollouts']} repeats: `{reason}`."
    if reason == "judge_failed":
        return "TI", "the judge fails on every repeat", "medium", note
    if reason == NO_OUTPUT.code and task["run_has_output"]:
        return "IR", "no repeat left any output, others did", "low", note
    if task["failed"] and _NAMES_ERROR.match(reason):
        return "TI", "the same error on every repeat", "low", note
    return None


def _dominant(lost: list[dict[str, Any]], declared: set[str]) -> Proposal | None:
    """The cause of more than half of these lost rollouts."""
    causes = Counter(row["cause"] for row in lost if row["cause"])
    if not causes:
        return None
    label, count = causes.most_common(1)[0]
    if 2 * count <= len(lost):
        return None
    own = [row for row in lost if row["cause"] == label]
    reasons = {row["reason"] for row in own if not row.get("left_out")}
    note = f"{count} of {len(lost)} lost rollouts, reason: {', '.join(dict.fromkeys(map(_named, own)))}."
    if reasons == {"no row"}:
        return label, "no row was written", "low", note
    if reasons == {MISSING_INPUT}:
        return label, "every repeat meets the same missing file", "medium", note
    certain = count == len(lost) and (label in ("IR", "DA", "TI") or declared & reasons)
    return label, f"{label} records dominate", "high" if certain and count > 1 else "medium" if certain else "low", note


def _named(row: dict[str, Any]) -> str:
    return f"leaves out `{row['reason']}`" if row.get("left_out") else f"`{row['reason']}`"


def _candidate(task: dict[str, Any]) -> Proposal:
    """KG or UK where most failed rollouts answered and show nothing but the verifier's verdict."""
    measured, passed, failed, clean = task["measured"], task["passed"], task["failed"], task["clean"]
    if measured == 1:
        return "unlabelled", None, None, "One measured repeat, and no symptom in its row decides."
    if 2 * task["right_ones"] > failed:
        return (
            "unlabelled",
            None,
            None,
            f"The answers of {task['right_ones']} of {failed} failed rollouts are right, and the verifier gives "
            "another reason.",
        )
    if 2 * task["partial"] > failed:
        return (
            "unlabelled",
            None,
            None,
            f"{task['partial']} of {failed} failed rollouts earned part of the score, which names no cause.",
        )
    if 2 * clean < failed or (not passed and 2 * clean == failed):
        return (
            "unlabelled",
            None,
            None,
            f"No cause accounts for more than half of the {task['lost_rollouts']} lost rollouts.",
        )
    seen = f"{clean} of {failed} failed ones answered, and nothing in their rows names a cause"
    if passed:
        return "UK", SOMETIMES, "low", f"Passes {passed} of {measured} repeats; {seen}."
    if task["agreed"]:
        note = (
            f"Fails all {measured} measured repeats with one and the same answer, and nothing in their rows names a "
            "cause: the expected answer may be wrong."
        )
        return "KG", ONE_ANSWER, "low", note
    if task["bucket"] == "always_fail":
        return "KG", NEVER, "low", f"Fails all {measured} measured repeats; {seen}."
    rest = task["planned"] - measured
    note = f"Fails all {measured} measured repeats; {seen}, and {rest} of {task['planned']} have no score."
    return "KG", NONE_MEASURED, "low", note
