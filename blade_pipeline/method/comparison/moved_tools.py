"""Tools that rollouts call more or less often in one of two runs: what the model does otherwise."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Counts
from blade_pipeline.method.comparison.amounts import PERCENT, listed, signed
from blade_pipeline.method.comparison.shares import OnTasks, beyond_chance, corrected, mid_p, share_of
from blade_pipeline.method.comparison.values import Values
from blade_pipeline.method.sql import query, records
from blade_pipeline.method.undisturbed import undisturbed

MOST_TOOLS = 40
"""The tools that most rollouts call; what only a few call, among them names that a model made up, is not tested."""

_USES = """
    with whole as (
        select row_number() over () as position, agent, stage, task, steps from samples
        where outcome = 'measured' and steps is not null and not contains(steps, '["omitted"')
    ), called as (
        select distinct position, step ->> 1 as tool
        from (
            select position, unnest(from_json(steps, '["json"]')) as step from whole
            where contains(steps, '"tool_call"')
        )
        where step ->> 0 = 'tool_call' and step ->> 1 is not null
    )
    select agent, stage, task, null as tool, count(*) as rollouts from whole group by agent, stage, task
    union all
    select agent, stage, task, tool, count(*) from called join whole using (position) group by agent, stage, task, tool
"""
_PLACED = "select tool, place, rollouts from uses join tasks using (agent, stage, task) order by tool, place"


def tool_uses(aligned: pa.Table, modes: pa.Table) -> pa.Table:
    """Measured rollouts of each task with recorded steps (``tool`` null), and those that call each tool.

    Rollouts that an outage or a limit ended count nowhere: what they did not come to is no choice of the model's.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        modes: ``FAILURE_MODES``.
    """
    samples = undisturbed(aligned.select(["agent", "stage", "task", "repeat", "outcome", "steps"]), modes)
    return query(_USES, samples=samples)


def moved_tools(both: tuple[OnTasks, OnTasks], of_a: pa.Table, of_b: pa.Table) -> dict[str, Any]:
    """In how many rollouts each tool is called in two runs, on the tasks of which both recorded steps.

    A share is the mean over tasks of the rollouts that call the tool among those of ``tool_uses``; its p is the
    mid-p of the sign-flip test over tasks (families where tasks share one), with Holm's correction (1979) over tools.

    Args:
        both: the runs on their common tasks.
        of_a: ``tool_uses`` of the first run.
        of_b: ``tool_uses`` of the second run.

    Returns:
        ``{tasks, tests, rows: [{tool, a, b, change, p, holm_p}], sentence}``, where each side is
        ``{count, measured, share}``; the largest changes first.
    """
    recorded = [_counts(side, uses) for side, uses in zip(both, (of_a, of_b), strict=True)]
    kept = np.logical_and.reduce([counts[None] > 0 for counts in recorded])
    values = both[0].values.only(kept)
    x, y = ({tool: counts[kept] for tool, counts in found.items()} for found in recorded)
    calls = Counter({tool: sum(int(side[tool].sum()) for side in (x, y) if tool in side) for tool in x | y if tool})
    none = np.zeros(int(kept.sum()), dtype=np.int64)
    rows = [
        _row(tool, values, (x.get(tool, none), x[None]), (y.get(tool, none), y[None]))
        for tool, count in sorted(calls.most_common(MOST_TOOLS))
        if count
    ]
    found = {"tasks": int(kept.sum()), "tests": len(rows), "rows": corrected(rows)}
    return found | {"sentence": _sentence(found)}


def _counts(side: OnTasks, uses: pa.Table) -> dict[str | None, Counts]:
    """Rollouts per common task by tool, and under None those with recorded steps."""
    found: dict[str | None, Counts] = {None: np.zeros(side.tasks.num_rows, dtype=np.int64)}
    for row in records(_PLACED, uses=uses, tasks=side.tasks):
        if row["tool"] not in found:
            found[row["tool"]] = np.zeros(side.tasks.num_rows, dtype=np.int64)
        found[row["tool"]][row["place"]] = row["rollouts"]
    return found


def _row(tool: str, values: Values, before: tuple[Counts, Counts], now: tuple[Counts, Counts]) -> dict[str, Any]:
    change = now[0] / now[1] - before[0] / before[1]
    return {
        "tool": tool,
        "a": share_of(*before),
        "b": share_of(*now),
        "change": float(change.mean()),
        "p": mid_p(values.by_family(change)),
    }


def _sentence(found: Mapping[str, Any]) -> str:
    """The tools whose use moved beyond chance; empty where none did."""
    moved = [_one(row) for row in beyond_chance(found["rows"])]
    if not moved:
        return ""
    tests = f"{found['tests']} tool{'s' * (found['tests'] != 1)}"
    return f"Beyond chance in the tools called: {listed(moved, 'tool')} (p after Holm's correction over {tests})."


def _one(row: Mapping[str, Any]) -> str:
    before, now = (f"{row[side]['count']} of {row[side]['measured']}" for side in "ab")
    change = signed(row["change"], PERCENT)
    return f"{row['tool']} in {before} rollouts before and {now} now, {change}, p = {row['holm_p']:.2g}"
