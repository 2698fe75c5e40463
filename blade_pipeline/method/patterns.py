"""What failing rollouts leave out or do, across all tasks that pass sometimes: patterns with counts."""

from typing import Any

import numpy as np
import pyarrow as pa

from blade_pipeline.method.failure_rules import FALLBACKS, LIFT, STOPPED
from blade_pipeline.method.sql import query, records
from blade_pipeline.method.stratified import MOST_TOOLS
from blade_pipeline.statistics import benjamini_hochberg, sign_flip_p

FALSE_SHARE = 0.05
FEWEST_TASKS = 6
"""Tasks from which a sign-flip test can reach p below 0.05 (2 of 2^6)."""

LEAVES_OUT, CALLS, STOPS = "leaves out", "calls", "stops after an error of"

_USES = """
    with mixed as (
        select row_number() over () as position, samples.*, modes.mode from samples
        semi join sometimes using (agent, stage, task) left join modes using (agent, stage, task, repeat)
        where outcome = 'measured' and steps is not null and not contains(steps, '["omitted"')
    ), whole as (
        select * from mixed where passed or list_contains($plain, mode) or contains(mode, ':')
    ), moves as (
        select position, step ->> 0 as kind, step ->> 1 as tool, (step ->> 4) = '1' as failed, place
        from (select position, from_json(steps, '["json"]') as all_steps from whole),
            unnest(all_steps) with ordinality as found(step, place)
        where step ->> 0 in ('tool_call', 'tool_output') and step ->> 1 is not null
    ), last_moves as (
        select position, arg_max(tool, place) as tool, arg_max(kind = 'tool_output' and failed, place) as stops
        from moves group by position
    ), tools as (
        select tool from moves where kind = 'tool_call'
        group by tool order by count(distinct position) desc, tool limit $tools
    ), used as (
        select distinct position, tool from moves where kind = 'tool_call'
    )
    select 'calls' as what, tools.tool, whole.* exclude (steps), used.tool is not null as does
    from whole cross join tools left join used using (position, tool)
    union all
    select 'stops', tools.tool, whole.* exclude (steps), coalesce(last_moves.stops, false)
    from whole cross join tools left join last_moves using (position, tool)
"""

_TALLY = """
    with per_task as (
        select what, tool, agent, stage, task, avg(does::int) filter (passed) - avg(does::int) filter (not passed) as d,
            count(*) filter (passed) as passing, count(*) filter (not passed) as failing,
            count(*) filter (passed and does) as passing_does, count(*) filter (not passed and does) as failing_does
        from uses group by all
    )
    select what, tool, list(d order by stage, task, agent) as differences, count(*) as tasks,
        sum(passing)::bigint as passing, sum(failing)::bigint as failing,
        sum(passing_does)::bigint as passing_does, sum(failing_does)::bigint as failing_does
    from per_task where d is not null group by what, tool having bool_or(d <> 0) order by what, tool
"""


def patterns(aligned: pa.Table, buckets: pa.Table, modes: pa.Table) -> dict[str, Any]:
    """Tools that failing rollouts leave out, call or stop at more often than passing ones of the same tasks.

    Failing rollouts that show a symptom (cut short, in circles, infrastructure) are left out: what they did not come
    to says nothing. A pattern stands where the share is at least twice that of the passing rollouts and the
    sign-flip test over tasks has a Benjamini-Hochberg q of 5 % at most, among all the tools of the run.

    Args:
        aligned: ``ALIGNED_SAMPLES``.
        buckets: ``OUTCOME_BUCKETS``.
        modes: ``FAILURE_MODES``.

    Returns:
        ``{patterns, patterns_tested}``; a pattern is ``{pattern, tool, failing_with, failing, passing_with, passing,
        tasks, sentence, p, q}``, the clearest first.
    """
    sometimes = query("select agent, stage, task from b where bucket = 'sometimes_pass'", b=buckets)
    columns = ["agent", "stage", "task", "repeat", "outcome", "passed", "steps"]
    uses = query(
        _USES,
        {"plain": [STOPPED, *(rule.code for rule in FALLBACKS)], "tools": MOST_TOOLS},
        samples=aligned.select(columns),
        sometimes=sometimes,
        modes=modes.select(["agent", "stage", "task", "repeat", "mode"]),
    )
    tested = [row for row in records(_TALLY, uses=uses) if row["tasks"] >= FEWEST_TASKS]
    if not tested:
        return {"patterns": [], "patterns_tested": 0}
    p = [sign_flip_p(np.array(row["differences"], dtype=np.float64)) for row in tested]
    q = benjamini_hochberg(p)
    found = [_pattern(row) | {"p": p[n], "q": float(q[n])} for n, row in enumerate(tested)]
    clear = [row for row in found if row["q"] <= FALSE_SHARE and _more_often(row)]
    return {"patterns": sorted(clear, key=lambda row: (row["p"], -row["failing_with"])), "patterns_tested": len(tested)}


def _pattern(row: dict[str, Any]) -> dict[str, Any]:
    """The tally in the direction in which failing rollouts differ from passing ones."""
    less = row["failing_does"] * row["passing"] < row["passing_does"] * row["failing"]
    leaves_out = row["what"] == "calls" and less
    counts = {
        f"{side}_with": row[side] - row[f"{side}_does"] if leaves_out else row[f"{side}_does"]
        for side in ("failing", "passing")
    }
    name = LEAVES_OUT if leaves_out else CALLS if row["what"] == "calls" else STOPS
    found = {"pattern": name, **{key: row[key] for key in ("tool", "failing", "passing", "tasks")}, **counts}
    return found | {"sentence": _sentence(found)}


def _sentence(found: dict[str, Any]) -> str:
    does = {LEAVES_OUT: "never call", CALLS: "call", STOPS: "stop after an error of"}[found["pattern"]]
    return (
        f"Of the failing rollouts without another symptom {found['failing_with']} of {found['failing']} {does} the "
        f"tool `{found['tool']}`, of the passing ones of the same {found['tasks']} tasks {found['passing_with']} of "
        f"{found['passing']}."
    )


def _more_often(row: dict[str, Any]) -> bool:
    return bool(row["failing_with"] * row["passing"] >= LIFT * row["passing_with"] * row["failing"])
