"""The failure modes of a run as a document: counts, rules, examples, and what could not be blamed."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.method.example_evidence import ExampleEvidence
from blade_pipeline.method.failure_rules import UNEXPLAINED
from blade_pipeline.method.modes import Mode, outcome_masks
from blade_pipeline.method.sql import query
from blade_pipeline.method.task_numbers import task_numbers
from blade_pipeline.method.with_and_without import with_and_without

MOST_EXAMPLES = 5

_EXAMPLES = """
    with ranked as (
        select *, row_number() over (partition by mode, stage, agent, task order by rank, position) as nth from failed
    )
    select * from ranked
    qualify row_number() over (partition by mode order by nth, "order", agent, rank, position) <= $most
    order by mode, nth, "order", agent, rank, position
"""

_NOT_MEASURED = """
    select outcome, reason, count(*) as count, count(distinct (agent, stage, task)) as tasks
    from samples where outcome <> 'measured' group by outcome, reason order by outcome, count desc, reason
"""


def modes_document(
    aligned: pa.Table,
    marks: pa.Table,
    found: list[Mode],
    places: NDArray[np.int64],
    primary: NDArray[np.int64],
    causing: NDArray[np.int64],
) -> dict[str, Any]:
    """Describe the modes.

    ``places`` are the rows of the failed rollouts, ``primary`` their modes by number, ``causing`` the modes that
    propose their root causes, -1 without one.
    """
    failed, passed = outcome_masks(marks)
    columns = ["agent", "stage", "task", "repeat", "order", "rank", "rollout_id", "file", "line"]
    table = aligned.select(columns).take(pa.array(places))
    table = table.append_column("mode", pa.array(primary, pa.int64()))
    table = table.append_column("position", pa.array(places, pa.int64()))
    examples = _examples(table, aligned, marks, found)
    every = task_numbers(aligned)
    tasks, measured = every[places], failed | passed
    entries = [
        _entry(
            mode,
            tasks[primary == n],
            len(places),
            examples.get(n, []),
            int((mode.hits & passed).sum()),
            int(passed.sum()),
        )
        | {"severity": len(found) - n}
        | {"within_tasks": _within(mode, measured, passed, every)}
        for n, mode in enumerate(found)
        if (primary == n).any()
    ]
    counted = {entry["code"]: entry["count"] for entry in entries}
    return {
        "modes": sorted(entries, key=lambda entry: -entry["count"]),
        "not_discriminating": _demoted(found, failed, passed),
        "not_measured": query(_NOT_MEASURED, samples=aligned.select([*columns[:3], "outcome", "reason"])).to_pylist(),
        "infrastructure": _suspects(found, causing, int(passed.sum())),
        "unexplained": counted.get(UNEXPLAINED.code, 0),
        "total_failed": len(places),
        "total_passed": int(passed.sum()),
    }


def _entry(
    mode: Mode,
    tasks: NDArray[np.int64],
    total: int,
    examples: list[dict[str, Any]],
    passed_with: int,
    total_passed: int,
) -> dict[str, Any]:
    return {
        "code": mode.code,
        "label": mode.label,
        "count": len(tasks),
        "total_failed": total,
        "share": len(tasks) / total,
        "tasks": len(np.unique(tasks)),
        "passed_with": None if mode.fallback else passed_with,
        "total_passed": total_passed,
        "rule": mode.rule,
        "root_cause": mode.root_cause,
        "source": mode.source,
        "symptom": not mode.fallback,
        "examples": examples,
    }


def _within(
    mode: Mode, measured: NDArray[np.bool_], passed: NDArray[np.bool_], tasks: NDArray[np.int64]
) -> dict[str, Any] | None:
    """Rollouts with the symptom against those without, in the same tasks; null where the mode names no symptom."""
    return None if mode.fallback else with_and_without(mode.hits[measured], passed[measured], tasks[measured])


def _examples(
    failed: pa.Table, aligned: pa.Table, marks: pa.Table, found: list[Mode]
) -> dict[int, list[dict[str, Any]]]:
    """Up to five rollouts per mode, of different tasks as far as there are any."""
    if failed.num_rows == 0:
        return {}
    chosen = query(_EXAMPLES, {"most": MOST_EXAMPLES}, failed=failed).to_pylist()
    positions = sorted({row["position"] for row in chosen})
    evidence = ExampleEvidence(aligned, marks, positions, {found[row["mode"]].code for row in chosen})
    examples: dict[int, list[dict[str, Any]]] = {}
    for row in chosen:
        mode = found[row["mode"]]
        examples.setdefault(row["mode"], []).append(
            {
                "agent": row["agent"],
                "stage": row["stage"],
                "task": row["task"],
                "repeat": row["repeat"],
                "rollout": row["rollout_id"],
                "file": row["file"],
                "line": row["line"],
                "excerpt_kind": mode.place,
                "evidence": evidence.of(mode, row["position"]),
            }
        )
    return examples


def _demoted(found: list[Mode], failed: NDArray[np.bool_], passed: NDArray[np.bool_]) -> list[dict[str, Any]]:
    return [
        {
            "code": mode.code,
            "label": mode.label,
            "failed_with": int((mode.hits & failed).sum()),
            "total_failed": int(failed.sum()),
            "passed_with": int((mode.hits & passed).sum()),
            "total_passed": int(passed.sum()),
        }
        for mode in found
        if mode.standing == "demoted" and (mode.hits & failed).any() and (mode.hits & passed).any()
    ]


def _suspects(found: list[Mode], causing: NDArray[np.int64], passed: int) -> dict[str, Any] | None:
    """The pass rate with and without the failed rollouts that look like infrastructure, and its bounds over them."""
    suspicious = [n for n, mode in enumerate(found) if mode.root_cause == "IR"]
    suspects = int(np.isin(causing, suspicious).sum())
    if suspects == 0:
        return None
    measured = len(causing) + passed
    return {
        "suspects": suspects,
        "failed": len(causing),
        "passed": passed,
        "measured": measured,
        "score_shown": passed / measured,
        "score_without": passed / (measured - suspects) if measured > suspects else None,
        "low": passed / measured,
        "high": (passed + suspects) / measured,
    }
