"""Passing minus failing, within tasks: features averaged per task and verdict, then over tasks of equal weight."""

from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.arrays import Floats, floats
from blade_pipeline.method.sql import query
from blade_pipeline.statistics import benjamini_hochberg, paired_difference, sign_flip_p

FALSE_SHARE = 0.05
"""q up to which a difference is beyond chance (Benjamini and Hochberg 1995)."""
FEWEST_TASKS = 6
"""Tasks from which a sign-flip test can reach p below 0.05 (2 of 2^6)."""
MOST_TOOLS = 12
MOST_FLIPPED = 200
"""Tasks up to which signs are flipped; beyond, the t test gives the same p at a hundredth of the cost."""

_LONG = """
    with counted as (
        select position, 'calls of ' || coalesce(step ->> 1, 'an unnamed tool') as feature, count(*) as calls
        from (select position, unnest(from_json(steps, '["json"]')) as step from mixed where steps is not null)
        where step ->> 0 = 'tool_call' group by position, feature
    ), tools as (
        select feature from counted group by feature order by count(distinct position) desc, feature limit $tools
    ), used as (
        select mixed.position, tools.feature, coalesce(counted.calls, 0) as value
        from mixed cross join tools left join counted using (position, feature) where mixed.steps is not null
    ), process as (
        select position, replace(entry.key, '_', ' ') as feature, entry.value as value from (
            select position, unnest(map_entries(numbers)) as entry from mixed
            union all select position, unnest(map_entries(perf)) as entry from mixed
        ) where regexp_matches(entry.key, '(^|_)(turns?|steps?|latency|seconds|duration|run_time|ms)(_|$)')
    ), plain as (
        unpivot (select position, output_items as steps, tool_calls as "tool calls", tool_errors as "tool errors",
            output_tokens as "output tokens", reasoning_tokens as "reasoning tokens",
            answer_length as "answer characters", if(incomplete_reason is null, 0, 1) as "cut short" from (
                select position, output_items, tool_calls, tool_errors, output_tokens, reasoning_tokens,
                    answer_length, incomplete_reason from mixed))
        on columns(* exclude (position)) into name feature value value
    )
    select position, feature, cast(value as double) as value from used
    union all select position, feature, value from process
    union all select position, feature, cast(value as double) as value from plain
"""

_DIFFERENCES = """
    with per_task as (
        select feature, agent, stage, task, avg(value order by rank) filter (passed) as passing,
            avg(value order by rank) filter (not passed) as failing
        from long join mixed using (position) group by feature, agent, stage, task
    )
    select feature, passing, failing, passing - failing as difference from per_task
    where passing is not null and failing is not null order by feature, stage, task, agent
"""


def stratified(mixed: pa.Table) -> list[dict[str, Any]]:
    """Mean within-task differences of every feature that some rollouts carry.

    Args:
        mixed: measured rollouts of the sometimes-pass tasks, with a ``position`` column.

    Returns:
        ``{feature, difference, passing, failing, tasks, standard_error, p, q}`` per feature, the clearest difference
        first: by ``difference`` over its standard error over tasks. ``p`` is the sign-flip test (Fisher 1935), beyond
        200 tasks Student's paired t test; both are null for fewer than two tasks. ``q`` corrects p over all features
        of at least six tasks (Benjamini and Hochberg 1995); it is null for the others. Features that never differ
        are left out.
    """
    if mixed.num_rows == 0:
        return []
    parameters: dict[str, object] = {"tools": MOST_TOOLS}
    long = query(_LONG, parameters, mixed=mixed)
    slim = mixed.select(["position", "agent", "stage", "task", "rank", "passed"])
    differences = query(_DIFFERENCES, long=long, mixed=slim)
    names = np.asarray(differences["feature"].to_pylist(), dtype=np.str_)
    columns = {name: floats(differences[name]) for name in ("passing", "failing", "difference")}
    found = [
        _feature(name, {key: values[names == name] for key, values in columns.items()})
        for name in differences["feature"].unique().to_pylist()
    ]
    kept = [entry for entry in found if entry["difference"] != 0 or entry["standard_error"]]
    return sorted(_corrected(kept), key=lambda entry: (-_clearness(entry), entry["feature"]))


def _corrected(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    tested = [entry["feature"] for entry in entries if entry["tasks"] >= FEWEST_TASKS]
    p = [entry["p"] for entry in entries if entry["feature"] in tested]
    q = dict(zip(tested, benjamini_hochberg(p).tolist(), strict=True)) if tested else {}
    return [entry | {"q": q.get(entry["feature"])} for entry in entries]


def _feature(name: str, columns: dict[str, Floats]) -> dict[str, Any]:
    values = columns["difference"]
    several = len(values) > 1
    return {
        "feature": name,
        "difference": float(values.mean()),
        "passing": float(columns["passing"].mean()),
        "failing": float(columns["failing"].mean()),
        "tasks": len(values),
        "standard_error": float(values.std(ddof=1) / np.sqrt(len(values))) if several else None,
        "p": _p_value(values) if several else None,
    }


def _p_value(differences: Floats) -> float:
    """Sign-flip test over tasks; Student's t where there are so many tasks that both agree."""
    if len(differences) > MOST_FLIPPED:
        p = paired_difference(np.zeros_like(differences), differences, proportion=False).p
        if p is not None:
            return float(p)
    return sign_flip_p(differences)


def _clearness(entry: dict[str, Any]) -> float:
    if not entry["standard_error"]:
        return 0.0
    return abs(float(entry["difference"])) / float(entry["standard_error"])
