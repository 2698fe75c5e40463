"""How much of a run the numbers speak for: every line and every expected rollout in exactly one place."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from blade_pipeline.method.assumptions import assumptions
from blade_pipeline.method.contents import of_one_task
from blade_pipeline.method.failed import failure_messages
from blade_pipeline.method.findings import Evidence, findings
from blade_pipeline.method.lines import line_classes
from blade_pipeline.method.peer import held_against_rows
from blade_pipeline.method.sql import records
from blade_pipeline.method.task_coverage import task_coverage
from blade_pipeline.method.tasks import independent
from blade_pipeline.models import Profile

_FAILURE = ("failure_class", "failure_stage", "failure_status", "failure_message")

OUTCOMES = ("measured", "masked", "unscored", "failed", "missing")
"""The outcomes that sum to what was expected."""

_COUNTS = """
    count(*) filter (outcome = 'measured') as measured,
    count(*) filter (outcome = 'masked') as masked, count(*) filter (outcome = 'unscored') as unscored,
    count(*) filter (outcome = 'failed') as failed, count(*) filter (outcome = 'missing') as missing,
    count(*) filter (outcome = 'unexpected') as unexpected, coalesce(sum(duplicates), 0)::bigint as duplicates,
    count(*) filter (passed) as passed
"""

_BY_IDENTITY = f"""
    select agent, rank as repeat, stage, task, {_COUNTS},
        grouping(agent) as all_agents, grouping(rank) as all_repeats, grouping(task) as all_tasks
    from aligned group by grouping sets ((), (agent), (agent, rank), (agent, stage, task, "order"))
    order by stage, "order", agent, rank
"""

_BY_SLICE = f"""
    select field, value, {_COUNTS} from (
        select entry.key as field, json_extract_string(entry.value, '$') as value, aligned.*
        from aligned, json_each(aligned.slices) as entry where aligned.slices is not null
    ) group by field, value order by field, value
"""

_BY_HEALTH = f"""
    select coalesce(health_verdict, 'no verdict') as verdict, {_COUNTS},
        avg(score order by score) as mean_reward
    from aligned group by 1 order by 1
"""

_HEALTH_CHECKS = """
    select "check", count(*) as rollouts, count(*) filter (outcome = 'measured') as measured,
        count(*) filter (passed) as passed, avg(score order by score) as mean_reward
    from (select unnest(string_split(health_checks, ',')) as "check", outcome, passed, score from aligned)
    where "check" <> '' group by "check" order by rollouts desc, "check"
"""

_FAILURES = f"""
    with attempts as (
        select coalesce(failures.failure_class, 'unnamed') as class, coalesce(terminal, false) as terminal,
            exists (
                select 1 from aligned where aligned.outcome in ('measured', 'masked', 'unscored')
                    and aligned.stage = failures.stage and {of_one_task("aligned", "failures")}
                    and aligned.repeat = failures.repeat and (failures.agent is null or aligned.agent = failures.agent)
            ) as recovered,
            failures.task, failures.repeat, failures.stage, failures.agent
        from failures where failures.line_class = 'row'
    ), lost as (
        select coalesce(failure_class, 'unnamed') as class, count(*) as count
        from aligned where outcome = 'failed' group by all
    )
    select class, count(*) as attempts, count(*) filter (terminal) as terminal,
        count(distinct (stage, task, repeat, agent)) filter (recovered) as recovered,
        coalesce(any_value(lost.count), 0) as count
    from attempts left join lost using (class) group by class order by attempts desc, class
"""


def mask_rate(accounting: Mapping[str, Any]) -> float | None:
    """Masked rollouts as a fraction of those that left a row; None where none did."""
    rows: int = accounting["measured"] + accounting["masked"] + accounting["unscored"]
    return accounting["masked"] / rows if rows else None


def coverage(
    aligned: pa.Table,
    rows: pa.Table,
    failures: pa.Table,
    health: pa.Table,
    manifest: dict[str, Any],
    scores: dict[str, Any],
    profile: Profile,
) -> dict[str, Any]:
    """The accounting of a run, in total and by agent, repeat, slice, task and health verdict, and what disturbs it.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        rows: ``RAW_ROLLOUTS``, for the physical lines.
        failures: ``FAILED_ATTEMPTS``.
        health: ``HEALTH_FINDINGS``.
        manifest: what ``read_manifest`` returns.
        scores: the score document of the run.
        profile: gives the smallest measured share at which a score counts; the fields that it names are looked for.

    Returns:
        The document published as ``coverage.json``. ``expected`` and both shares are null when no materialized
        inputs say what was expected. A lost rollout counts under the class of its last attempt, so that ``count`` of
        ``failures`` sums to ``failed``. ``by.health`` is empty when no current health file speaks of the rows.
    """
    columns = ["agent", "stage", "task", "repeat", "rank", "order", "outcome", "reason", "duplicates", "passed"]
    slim = aligned.select([*columns, "slices", "score", "health_verdict", "health_checks", "file", *_FAILURE])
    known = aligned.num_rows > 0 and aligned["expected"].null_count == 0
    tallies = [_with_shares(row, known) for row in records(_BY_IDENTITY, aligned=slim)]
    total = _named(tallies, ())[0]
    lines = line_classes(rows)
    total |= _line_counts(lines)
    by_task = _named(tallies, ("agent", "stage", "task"))
    document = {
        "schema_version": 1,
        "coverage": total.pop("coverage"),
        "measured_share": total.pop("measured_share"),
        "min_coverage": profile.min_coverage,
        "task_coverage": task_coverage(by_task, known, independent=independent(aligned)),
        "accounting": total,
        "by": {
            "agent": _named(tallies, ("agent",)),
            "repeat": _named(tallies, ("agent", "repeat")),
            "slice": [_with_shares(row, known) for row in _where_known("slices", _BY_SLICE, slim)],
            "task": by_task,
            "health": [_with_shares(row, known) for row in _where_known("health_verdict", _BY_HEALTH, slim)],
        },
        "failures": records(_FAILURES, failures=failures, aligned=slim) if failures.num_rows else [],
        "failure_messages": failure_messages(slim),
        "health_checks": _where_known("health_checks", _HEALTH_CHECKS, slim),
        "unscored_reasons": _unscored_reasons(slim),
        "line_classes": [{"class": name, "count": count} for name, count in lines.items()],
        "aggregates": held_against_rows(manifest["aggregates"], scores["agents"], aligned),
        "assumptions": list(assumptions(aligned, total, known)),
    }
    return document | {"findings": findings(Evidence(aligned, health, manifest, scores, document, profile))}


_GROUPED = {
    (): (1, 1, 1),
    ("agent",): (0, 1, 1),
    ("agent", "repeat"): (0, 0, 1),
    ("agent", "stage", "task"): (0, 1, 0),
}


def _named(tallies: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The tallies of one grouping, with the columns that name the group and no others."""
    marks, others = ("all_agents", "all_repeats", "all_tasks"), {"agent", "repeat", "stage", "task"} - set(names)
    chosen = [row for row in tallies if tuple(row[mark] for mark in marks) == _GROUPED[names]]
    return [{key: value for key, value in row.items() if key not in others and key not in marks} for row in chosen]


def _with_shares(row: dict[str, Any], known: bool) -> dict[str, Any]:
    expected = sum(row[outcome] for outcome in OUTCOMES) if known else None
    completed = row["measured"] + row["masked"] + row["unscored"]
    shares = {
        "coverage": completed / expected if expected else None,
        "measured_share": row["measured"] / expected if expected else None,
    }
    return row | {"expected": expected} | shares


def _line_counts(classes: dict[str, int]) -> dict[str, int]:
    lines, blank, good = sum(classes.values()), classes.get("blank", 0), classes.get("row", 0)
    return {"lines": lines, "blank_lines": blank, "malformed_lines": lines - blank - good}


def _where_known(column: str, statement: str, slim: pa.Table) -> list[dict[str, Any]]:
    """What a statement over the aligned rows says, nothing where no row has a value in the column."""
    return records(statement, aligned=slim) if slim[column].null_count < slim.num_rows else []


def _unscored_reasons(slim: pa.Table) -> list[dict[str, Any]]:
    statement = """
        select reason, count(*) as count from aligned where outcome = 'unscored'
        group by reason order by count desc, reason
    """
    return records(statement, aligned=slim)
