"""Failing rollouts that leave out a tool which passing ones of the run use."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from blade_pipeline.method.arrays import row_numbers
from blade_pipeline.method.patterns import LEAVES_OUT
from blade_pipeline.method.sql import records

Task = tuple[str, int, str]

_LEAVERS = """
    with failed as (
        select * from samples where not passed and steps is not null and not contains(steps, '["omitted"')
    ), called as (
        select position, list(step ->> 1) filter (step ->> 0 = 'tool_call') as tools
        from (select position, unnest(from_json(steps, '["json"]')) as step from failed) group by position
    )
    select agent, stage, task, rollout_id, unnest(list_filter($tools, lambda tool:
        not list_contains(coalesce(tools, []), tool))) as tool
    from failed left join called using (position) order by position
"""


def left_out(aligned: pa.Table, patterns: Sequence[dict[str, Any]]) -> dict[Task, dict[str, str]]:
    """By task, the failed rollouts that leave out a tool of a standing pattern, and the first such tool.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        patterns: of ``trajectory_contrasts``, the clearest first.
    """
    tools = [row["tool"] for row in patterns if row["pattern"] == LEAVES_OUT]
    found: dict[Task, dict[str, str]] = {}
    if not tools:
        return found
    columns = ["agent", "stage", "task", "rollout_id", "steps", "passed"]
    samples = aligned.select(columns).append_column("position", row_numbers(aligned))
    for row in records(_LEAVERS, {"tools": tools}, samples=samples):
        found.setdefault((row["agent"], row["stage"], row["task"]), {}).setdefault(row["rollout_id"], row["tool"])
    return found
