"""What disturbs a run's numbers: each finding names the rows or files, says what it does, and holds its numbers.

They are published with the accounting. None of them changes a score: what the rows say stays what is scored.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from blade_pipeline.gym.bounded import DROPPED
from blade_pipeline.method.failed import failed_in_slices
from blade_pipeline.method.finding import Finding, finding
from blade_pipeline.method.findings_of_files import file_findings
from blade_pipeline.method.findings_of_repeats import repeat_findings
from blade_pipeline.method.findings_of_settings import setting_findings
from blade_pipeline.method.findings_of_verdicts import verdict_findings
from blade_pipeline.method.profile_fields import absent_field_findings
from blade_pipeline.method.sql import records
from blade_pipeline.models import Profile

FULL_ROLLOUTS, FULL_TASKS = 0.9, 0.95
"""Measured shares of rollouts and tasks under which a score is not held against one of a complete run."""

LISTED = 5
"""Rollouts named in a sentence; further ones are counted."""

LONGEST = 80
"""Characters of a field's name that a sentence shows."""

_PLACEHOLDERS = """
    select task || '-' || repeat as rollout, count(*) over () as zeros from aligned
    where outcome = 'measured' and not passed and score = 0 and coalesce(output_items, 0) = 0
        and coalesce(output_tokens, 0) = 0
        and (failure_kind is not null or failure_reason is not null or error_text is not null or attempts > 0)
    order by stage, "order", agent, rank limit $listed
"""

_PARTIAL = """
    with shapes as (
        select agent, map_keys(numbers) as numeric, coalesce(json_keys(verifier), []) as others, count(*) as alike
        from aligned where line is not null group by all
    ), agents as (
        select agent, sum(alike) as total, bool_or(list_contains(others, $dropped)) as bounded
        from shapes group by agent
    ), fields as (
        select agent, total, alike, unnest(list_distinct(list_concat(numeric, if(bounded, [], others)))) as field
        from shapes join agents using (agent)
    )
    select agent, field, sum(alike)::bigint as known, any_value(total)::bigint as total from fields
    where field not in ('failure_kind', 'failure_reason', 'error', 'error_message')
    group by agent, field having sum(alike) < any_value(total) order by known, agent, field
"""


class Evidence(NamedTuple):
    """``ALIGNED_SAMPLES``, ``HEALTH_FINDINGS``, the documents that findings are drawn from, and the profile."""

    aligned: pa.Table
    health: pa.Table
    manifest: dict[str, Any]
    scores: dict[str, Any]
    coverage: dict[str, Any]
    profile: Profile


def findings(evidence: Evidence) -> list[Finding]:
    """``{"kind", "sentence", "numbers"}`` per finding, those that move the score first."""
    return [
        *_low_coverage(evidence),
        *failed_in_slices(evidence.aligned),
        *_imputed_rows(evidence),
        *_mask_texts(evidence.aligned),
        *setting_findings(evidence.aligned),
        *verdict_findings(evidence.aligned, evidence.scores["pass_threshold"]),
        *file_findings(evidence.manifest, evidence.coverage, evidence.scores),
        *absent_field_findings(evidence.aligned, evidence.profile),
        *_health(evidence),
        *repeat_findings(evidence.aligned, evidence.scores, evidence.coverage, evidence.manifest),
        *_glued(evidence.coverage["line_classes"]),
        *_partial_fields(evidence.aligned),
    ]


def _low_coverage(evidence: Evidence) -> Iterator[Finding]:
    counts, scores = evidence.coverage["accounting"], evidence.scores
    measured, expected = counts["measured"], counts["expected"]
    tasks, every = scores["num_tasks"], scores["total_tasks"]
    if expected and (measured < FULL_ROLLOUTS * expected or tasks < FULL_TASKS * every):
        yield finding(
            "low coverage",
            f"Only {measured} of {expected} expected rollouts and {tasks} of {every} tasks have a score: the score is "
            "not comparable with one of a complete run.",
            measured=measured,
            expected=expected,
            tasks=tasks,
            total_tasks=every,
        )


def _imputed_rows(evidence: Evidence) -> Iterator[Finding]:
    columns = "agent stage task repeat order rank outcome passed score output_items output_tokens failure_kind".split()
    columns += ["failure_reason", "error_text", "attempts"]
    found = records(_PLACEHOLDERS, {"listed": LISTED}, aligned=evidence.aligned.select(columns))
    if not found:
        return
    scores = evidence.scores
    zeros, measured, passed = found[0]["zeros"], scores["num_rollouts"], scores["passed_rollouts"]
    rest = f"{passed} of {measured - zeros}" if measured > zeros else "none"
    named = ", ".join(f"`{row['rollout']}`" for row in found)
    more = f" and {zeros - LISTED} more" if zeros > LISTED else ""
    yield finding(
        "imputed zeros",
        f"{zeros} of {measured} measured rollouts hold reward 0, no output and the trace of a failure, as zeros do "
        f"that are written in place of a failed rollout ({named}{more}). They are scored as the rows say: {passed} of "
        f"{measured} rollouts pass with them, {rest} without.",
        zeros=zeros,
        measured=measured,
        passed=passed,
        measured_without=measured - zeros,
        pass_rate=passed / measured,
        pass_rate_without=passed / (measured - zeros) if measured > zeros else None,
    )


def _mask_texts(aligned: pa.Table) -> Iterator[Finding]:
    source = aligned["mask_source"]
    odd = int(pc.sum(pc.ends_with(source, "!")).as_py() or 0)
    nested = int(pc.sum(pc.equal(source, "instance_config.mask_sample")).as_py() or 0)
    if odd:
        yield finding(
            "mask is no boolean",
            f"Rows whose mask is no boolean but, say, a text: {odd}. It masks nothing.",
            rows=odd,
        )
    if nested:
        yield finding(
            "nested mask",
            f"Rows masked by `instance_config.mask_sample` only: {nested}. NeMo Gym's own numbers count them.",
            rows=nested,
        )


def _health(evidence: Evidence) -> Iterator[Finding]:
    stale = pc.value_counts(evidence.health["stale"].drop_null()).to_pylist()
    for entry in sorted(stale, key=lambda entry: str(entry["values"])):
        yield finding(
            "stale health file",
            f"{entry['values']}; it is not used.",
            entries=entry["counts"],
        )
    verdicts = {row["verdict"]: row for row in evidence.coverage["by"]["health"]}
    unhealthy = verdicts.get("unhealthy")
    if unhealthy and unhealthy["measured"]:
        measured = evidence.coverage["accounting"]["measured"]
        yield finding(
            "unhealthy rollouts are scored",
            f"{unhealthy['measured']} of {measured} measured rollouts are unhealthy by NeMo Gym's health check, and "
            f"{unhealthy['passed']} of them pass.",
            unhealthy=unhealthy["measured"],
            measured=measured,
            passed=unhealthy["passed"],
        )


def _glued(classes: list[dict[str, Any]]) -> Iterator[Finding]:
    for entry in classes:
        if entry["class"] == "glued":
            yield finding(
                "glued lines",
                f"Lines that hold the torn start of one row and a whole other row behind it: {entry['count']}. "
                "The whole one could be recovered by hand and is not scored.",
                lines=entry["count"],
            )


def _partial_fields(aligned: pa.Table) -> Iterator[Finding]:
    """Fields that only some of an agent's rows hold: what is counted over them has fewer rows than the run.

    Where some rows held more than was read, only numeric fields, which are all read, can be told to be absent. What
    a failure alone leaves behind is no such field.
    """
    found = records(_PARTIAL, {"dropped": DROPPED}, aligned=aligned.select(["agent", "line", "numbers", "verifier"]))
    if found:
        shares = [
            f"`{row['field'][:LONGEST]}` is known for {row['known']} of {row['total']} rows" for row in found[:LISTED]
        ]
        more = f", and {len(found) - LISTED} more fields" if len(found) > LISTED else ""
        yield finding(
            "fields known on some rows only",
            f"Not every row holds every field: {', '.join(shares)}{more}. A row without a field counts in nothing "
            "that is counted over it.",
            fields=len(found),
            known=found[0]["known"],
            rows=found[0]["total"],
        )
